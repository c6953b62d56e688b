//! Random kernels in LLVM IR that give one result.
//!
//! A kernel is made from a seed: a frame ([`kernel`]) around random statements ([`super::arithmetic`],
//! [`super::memory`], [`super::flow`]). What the language leaves open is not made, so that two right executions agree:
//!
//! * no poison: shifts by less than the width, divisors that are positive, flags only where operands are so small that
//!   they hold;
//! * which NaN an operation gives is open: every floating-point result is replaced by a constant where it is a NaN;
//! * which zero `minnum` and `maxnum` give is open: a zero is replaced by +0;
//! * fast-math flags, `fmuladd`, and functions that are only approximated (`llvm.exp2`, `llvm.sin`): not made;
//! * memory is written before it is read; what work-items share is read behind a barrier, or changed by atomics that
//!   commute and whose results nobody reads;
//! * cross-lane operations stand where all lanes are active.
//!
//! A line is an instruction, a label, or a declaration: the reducer takes lines away.

use wavemark_filetests::random::Random;
use wavemark_target::Processor;

use super::types::{I1, I32, I64, Scalar, Ty};

/// Work-items of a workgroup, and workgroups of a launch.
pub const BLOCK: u32 = 64;
/// Workgroups of a launch.
pub const GRID: u32 = 2;
/// Bytes of the input.
pub const INPUT: usize = 4096 + 64;
/// Bytes of the output that each work-item has.
pub const OWN: usize = 512;
/// Bytes of the output that all share, behind those.
pub const SHARED: usize = 64;
/// Bytes of LDS that each work-item has.
pub const LDS_OWN: u32 = 32;
/// Bytes of private memory.
pub const PRIVATE: u32 = 64;

/// A kernel under construction, or a function that it calls.
pub struct Generator<'g> {
    pub random: &'g mut Random,
    pub processor: Processor,
    pub lines: Vec<String>,
    /// Those that may be used here, the innermost last.
    pub values: Vec<(String, Ty)>,
    /// The block that is being filled.
    pub block: String,
    /// How many branches and loops are around.
    pub depth: u32,
    /// Statements that may still be made.
    pub budget: u32,
    /// The number of the kernel, which is part of the names of its globals.
    pub number: usize,
    /// A function, which may be called: its parameters and result.
    pub callee: Option<(Vec<Ty>, Ty)>,
    /// Whether it is a kernel: it has output, LDS and private memory.
    pub is_kernel: bool,
    /// The first bytes of its part of the output that nobody has written.
    pub stored: usize,
    next: u32,
}

/// The text of a kernel, and what else must stand in the module: a line each.
pub fn kernel(processor: Processor, number: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut lines = Vec::new();
    let callee = random.one_in(3).then(|| function(&mut random, processor, number, &mut lines));
    lines.push(format!(
        "@lds{number} = internal addrspace(3) global [{} x i8] poison, align 16",
        BLOCK * LDS_OWN
    ));
    lines.push(format!(
        "define amdgpu_kernel void @k{number}(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {{"
    ));
    let budget = 6 + random.below(30) as u32;
    let mut generator = Generator {
        random: &mut random,
        processor,
        lines,
        values: vec![("%n".to_owned(), I32)],
        block: "entry".to_owned(),
        depth: 0,
        budget,
        number,
        callee,
        is_kernel: true,
        stored: 0,
        next: 0,
    };
    generator.frame();
    generator.lines
}

/// A function for the kernel to call.
fn function(
    random: &mut Random,
    processor: Processor,
    number: usize,
    lines: &mut Vec<String>,
) -> (Vec<Ty>, Ty) {
    let params: Vec<Ty> = (0..1 + random.below(4)).map(|_| Ty::any(random)).collect();
    let result = Ty::any(random);
    let list: Vec<String> =
        params.iter().enumerate().map(|(at, ty)| format!("{} %p{at}", ty.text())).collect();
    let inline = if random.one_in(2) { "noinline " } else { "" };
    lines.push(format!(
        "define internal {} @f{number}(ptr addrspace(1) %in, {}) {inline}#0 {{",
        result.text(),
        list.join(", ")
    ));
    let budget = 2 + random.below(10) as u32;
    let mut generator = Generator {
        random,
        processor,
        lines: std::mem::take(lines),
        values: params.iter().enumerate().map(|(at, &ty)| (format!("%p{at}"), ty)).collect(),
        block: "entry".to_owned(),
        depth: 0,
        budget,
        number,
        callee: None,
        is_kernel: false,
        stored: 0,
        next: 0,
    };
    generator.lines.push("entry:".to_owned());
    while generator.budget > 0 {
        generator.statement();
    }
    let value = generator.operand(result);
    generator.line(format!("ret {} {value}", result.text()));
    generator.lines.push("}".to_owned());
    *lines = generator.lines;
    (params, result)
}

impl Generator<'_> {
    /// A line within a block.
    pub fn line(&mut self, text: String) {
        self.lines.push(format!("  {text}"));
    }

    /// A number that nothing else has.
    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// An instruction with a result that nobody else uses.
    pub fn hidden(&mut self, text: &str) -> String {
        let name = format!("%v{}", self.fresh());
        self.line(format!("{name} = {text}"));
        name
    }

    /// An instruction whose result may be used.
    pub fn define(&mut self, ty: Ty, text: &str) -> String {
        let name = self.hidden(text);
        self.keep(name.clone(), ty);
        name
    }

    /// A floating-point operation whose result may be a NaN: [`Generator::settle`] must follow. The reducer puts it in no
    /// other place.
    pub fn raw(&mut self, text: &str) -> String {
        let name = format!("%raw{}", self.fresh());
        self.line(format!("{name} = {text}"));
        name
    }

    /// A floating-point operation whose result may be used: where it is a NaN, a constant is.
    pub fn define_float(&mut self, ty: Ty, text: &str) -> String {
        let raw = self.raw(text);
        self.settle(&raw, ty)
    }

    /// A value with a number in the place of a NaN; by another NaN LLVM would rightly do nothing.
    pub fn settle(&mut self, raw: &str, ty: Ty) -> String {
        let settled = self.settled(raw, ty);
        self.keep(settled.clone(), ty);
        settled
    }

    /// The same, which nobody else uses.
    pub fn settled(&mut self, raw: &str, ty: Ty) -> String {
        let text = ty.text();
        let nan = self.hidden(&format!("fcmp uno {text} {raw}, {raw}"));
        let instead = self.number(ty);
        let condition = ty.of(Scalar::Int(1)).text();
        self.hidden(&format!("select {condition} {nan}, {text} {instead}, {text} {raw}"))
    }

    /// A value that may be used from here on.
    pub fn keep(&mut self, name: String, ty: Ty) {
        self.values.push((name, ty));
    }

    /// The end of a result that is one or the other.
    pub fn define_any(&mut self, ty: Ty, text: &str) -> String {
        if ty.is_float() { self.define_float(ty, text) } else { self.define(ty, text) }
    }

    /// An operand of a type: a value, or a constant; mostly a recent value.
    pub fn operand(&mut self, ty: Ty) -> String {
        let fitting: Vec<usize> = (0..self.values.len()).filter(|&at| self.values[at].1 == ty).collect();
        if !fitting.is_empty() && !self.random.one_in(8) {
            let recent = fitting.len().min(4);
            let among = if self.random.one_in(2) { &fitting[fitting.len() - recent..] } else { &fitting[..] };
            return self.values[among[self.random.below(among.len())]].0.clone();
        }
        if fitting.is_empty() && !self.random.one_in(4) {
            return self.made(ty);
        }
        self.constant(ty)
    }

    /// A new value of a type, from memory or from a value of another type.
    fn made(&mut self, ty: Ty) -> String {
        if ty.is_packed() && self.random.one_in(2) {
            return self.load_input(ty);
        }
        let scalars = self.values.iter().filter(|(_, known)| known.lanes == 1 && !known.is_float());
        let scalars: Vec<(String, Ty)> = scalars.cloned().collect();
        let Some((name, from)) = scalars.get(self.random.below(scalars.len())).cloned() else {
            return self.constant(ty);
        };
        let element = ty.element();
        let one = match element.scalar {
            Scalar::Int(bits) => self.resized(&name, from, bits),
            _ => {
                let text = format!("sitofp {} {name} to {}", from.text(), element.text());
                if from.bits() > convertible(element.scalar) {
                    return self.constant(ty);
                }
                self.define_float(element, &text)
            }
        };
        if ty.lanes == 1 {
            return one;
        }
        let mut vector = self.constant(ty);
        for lane in 0..ty.lanes {
            if lane == 0 || self.random.one_in(2) {
                let (text, element) = (ty.text(), element.text());
                vector =
                    self.define(ty, &format!("insertelement {text} {vector}, {element} {one}, i32 {lane}"));
            }
        }
        vector
    }

    /// An integer as one of another width.
    pub fn resized(&mut self, name: &str, from: Ty, bits: u32) -> String {
        let to = Ty::int(bits);
        let op = match from.bits().cmp(&bits) {
            std::cmp::Ordering::Equal => return name.to_owned(),
            std::cmp::Ordering::Greater => "trunc",
            std::cmp::Ordering::Less if self.random.one_in(2) => "sext",
            std::cmp::Ordering::Less => "zext",
        };
        self.define(to, &format!("{op} {} {name} to {}", from.text(), to.text()))
    }

    /// A constant. Of 16-bit numbers there is no -0: LLVM 22 takes one in the upper half of a register for +0
    /// (`llvm_defects/negative_zero.ll`).
    pub fn constant(&mut self, ty: Ty) -> String {
        if ty.is_float() && ty.lanes == 1 && self.random.one_in(12) {
            return match ty.scalar {
                Scalar::Half => "0xH7E00",
                Scalar::BFloat => "0xR7FC0",
                _ => "0x7FF8000000000000",
            }
            .to_owned();
        }
        self.number(ty)
    }

    /// A constant that is no NaN.
    fn number(&mut self, ty: Ty) -> String {
        if ty.lanes == 1 {
            return self.scalar_constant(ty.scalar);
        }
        if self.random.one_in(6) {
            return "zeroinitializer".to_owned();
        }
        let text = ty.element().text();
        let elements: Vec<String> =
            (0..ty.lanes).map(|_| format!("{text} {}", self.scalar_constant(ty.scalar))).collect();
        format!("<{}>", elements.join(", "))
    }

    fn scalar_constant(&mut self, scalar: Scalar) -> String {
        let Scalar::Int(bits) = scalar else {
            let infinite = match scalar {
                Scalar::Half => "0xH7C00",
                Scalar::BFloat => "0xR7F80",
                _ => "0x7FF0000000000000",
            };
            let all =
                ["0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "-2.5", "1024.0", "-0.125", "256.0", infinite];
            // Not those that have a code of their own in instructions: LLVM 22 reads them in packed ones otherwise than the
            // CDNA5 manual says (`llvm_defects/inline_constants.ll`).
            let of_bfloat = ["0.0", "1.5", "-5.0", "3.0", "-2.5", "1024.0", "-0.125", "256.0", infinite];
            let of_half = ["0.0", "1.0", "-1.0", "0.5", "3.0", "-2.5", "1024.0", "-0.125", infinite];
            let all = match scalar {
                Scalar::BFloat => &of_bfloat[..],
                Scalar::Half => &of_half[..],
                _ => &all[..],
            };
            return self.random.pick(all).to_owned();
        };
        if bits == 1 {
            return self.random.pick(&["true", "false"]).to_owned();
        }
        let most = (1u128 << (bits - 1).min(126)) - 1;
        match self.random.below(8) {
            0 => "0".to_owned(),
            1 => "-1".to_owned(),
            2 => "1".to_owned(),
            3 => most.to_string(),
            4 => format!("-{most}"),
            5 => (1u128 << self.random.below(bits as usize - 1)).to_string(),
            _ => {
                let value = u128::from(self.random.bits()) & most;
                if self.random.one_in(2) { format!("-{value}") } else { value.to_string() }
            }
        }
    }

    /// One statement, of any kind that may stand here.
    pub fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(20) {
            0..=10 => self.arithmetic(),
            11..=13 if self.is_kernel => self.access(),
            11..=13 => drop(self.input_of_any_type()),
            14..=16 if self.depth < 3 && self.budget > 0 => self.region(),
            17 if self.depth == 0 && self.is_kernel => self.across_lanes(),
            18 if self.depth == 0 && self.is_kernel => self.exchange(),
            19 if self.callee.is_some() => self.call(),
            _ => self.arithmetic(),
        }
    }

    fn call(&mut self) {
        let Some((params, result)) = self.callee.clone() else { return };
        let arguments: Vec<String> =
            params.iter().map(|&ty| format!("{} {}", ty.text(), self.operand(ty))).collect();
        let text = format!(
            "call {} @f{}(ptr addrspace(1) %in, {})",
            result.text(),
            self.number,
            arguments.join(", ")
        );
        self.define(result, &text);
    }

    /// A kernel around its statements: numbers of work-items, memory of its own, and what it stores at its end.
    fn frame(&mut self) {
        self.lines.push("entry:".to_owned());
        self.line("%lid = call i32 @llvm.amdgcn.workitem.id.x()".to_owned());
        self.line("%group = call i32 @llvm.amdgcn.workgroup.id.x()".to_owned());
        self.line(format!("%first = mul i32 %group, {BLOCK}"));
        self.line("%gid = add i32 %first, %lid".to_owned());
        self.line(format!("%own.offset = mul i32 %gid, {OWN}"));
        self.line("%own = getelementptr i8, ptr addrspace(1) %out, i32 %own.offset".to_owned());
        self.line(format!("%lds.offset = mul i32 %lid, {LDS_OWN}"));
        self.line(format!("%lds = getelementptr i8, ptr addrspace(3) @lds{}, i32 %lds.offset", self.number));
        self.line(format!("%private = alloca [{PRIVATE} x i8], align 16, addrspace(5)"));
        for word in 0..PRIVATE / 16 {
            let (at, value) = (self.fresh(), self.constant(Ty { scalar: Scalar::Int(32), lanes: 4 }));
            self.line(format!("%v{at} = getelementptr i8, ptr addrspace(5) %private, i32 {}", word * 16));
            self.line(format!("store <4 x i32> {value}, ptr addrspace(5) %v{at}, align 16"));
        }
        for word in 0..LDS_OWN / 16 {
            let (at, value) = (self.fresh(), self.constant(Ty { scalar: Scalar::Int(32), lanes: 4 }));
            self.line(format!("%v{at} = getelementptr i8, ptr addrspace(3) %lds, i32 {}", word * 16));
            self.line(format!("store <4 x i32> {value}, ptr addrspace(3) %v{at}, align 16"));
        }
        for (name, ty) in [("%lid", I32), ("%group", I32), ("%gid", I32)] {
            self.keep(name.to_owned(), ty);
        }
        for _ in 0..2 + self.random.below(4) {
            _ = self.input_of_any_type();
        }
        while self.budget > 0 {
            self.statement();
        }
        // What was made last depends most on the rest.
        let mut values = self.values.clone();
        values.reverse();
        for (name, ty) in values.into_iter().take(24) {
            self.store_result(&name, ty);
        }
        self.line("ret void".to_owned());
        self.lines.push("}".to_owned());
    }

    /// Stores a value to the output in a form that has no bits to spare.
    fn store_result(&mut self, name: &str, ty: Ty) {
        let (mut name, mut ty) = (name.to_owned(), ty);
        if !ty.is_packed() {
            if ty.lanes > 1 {
                let whole = Ty::int(ty.bits());
                name = self.hidden(&format!("bitcast {} {name} to {}", ty.text(), whole.text()));
                ty = whole;
            }
            let bits = ty.bits().next_multiple_of(32);
            if bits != ty.bits() {
                name = self.hidden(&format!("zext {} {name} to i{bits}", ty.text()));
            }
            ty = Ty { scalar: Scalar::Int(32), lanes: bits / 32 };
            name = match ty.lanes {
                1 => name,
                _ => self.hidden(&format!("bitcast i{bits} {name} to {}", ty.text())),
            };
        }
        let bytes = (ty.bits() / 8) as usize;
        let align = (ty.scalar.bits() / 8) as usize;
        let at = self.stored.next_multiple_of(align);
        // The first half is for stores at the end; the other is read and written before.
        if at + bytes > OWN / 2 {
            return;
        }
        self.stored = at + bytes;
        let pointer = self.hidden(&format!("getelementptr i8, ptr addrspace(1) %own, i32 {at}"));
        self.line(format!("store {} {name}, ptr addrspace(1) {pointer}, align {align}", ty.text()));
    }

    /// An `i1`, which lanes may differ in.
    pub fn condition(&mut self) -> String {
        if self.random.one_in(3) {
            return self.operand(I1);
        }
        let ty = if self.random.one_in(3) { I64 } else { I32 };
        let (a, b) = (self.operand(ty), self.operand(ty));
        let predicate = self.random.pick(&["eq", "ne", "slt", "ult", "sge", "ugt"]).to_owned();
        self.define(I1, &format!("icmp {predicate} {} {a}, {b}", ty.text()))
    }
}

/// Bits of an integer that is converted to a number, at most: wider than 64 there is no instruction for it, and to 16 bits
/// LLVM 22 rounds what a float does not hold twice (`llvm_defects/rounded_twice.ll`).
pub fn convertible(to: Scalar) -> u32 {
    if matches!(to, Scalar::Half | Scalar::BFloat) { 24 } else { 64 }
}

/// Declarations of what a module's lines call, and the attributes of its functions.
pub fn module(processor: Processor, kernels: &[Vec<String>]) -> String {
    let mut text = String::from("target triple = \"amdgcn-amd-amdhsa\"\n\n");
    let mut declared = std::collections::BTreeSet::new();
    for line in kernels.iter().flatten() {
        text += line;
        text.push('\n');
        declared.extend(declaration(line));
    }
    for line in declared {
        text += &line;
        text.push('\n');
    }
    text + &attributes(processor)
}

/// The attributes of a module's functions.
pub fn attributes(processor: Processor) -> String {
    format!(
        "attributes #0 = {{ \"target-cpu\"=\"{processor}\" \"amdgpu-flat-work-group-size\"=\"{BLOCK},{BLOCK}\" }}\n"
    )
}

/// The declaration of the intrinsic that a line calls.
fn declaration(line: &str) -> Option<String> {
    let (_, call) = line.split_once("call ")?;
    let (result, rest) = call.split_once(" @llvm.")?;
    let result = result.strip_prefix("afn ").unwrap_or(result);
    let (name, arguments) = rest.split_once('(')?;
    let arguments = arguments.strip_suffix(')')?;
    // The arguments are separated by commas outside of brackets; a type is what stands before the last space outside.
    let (mut depth, mut types, mut word, mut part) = (0, Vec::new(), String::new(), String::new());
    for c in arguments.chars().chain([',']) {
        match c {
            '<' | '{' | '(' => depth += 1,
            '>' | '}' | ')' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            types.push(std::mem::take(&mut word));
            part.clear();
        } else if c == ' ' && depth == 0 {
            if !part.is_empty() {
                word = if word.is_empty() { part.clone() } else { format!("{word} {part}") };
            }
            part.clear();
        } else {
            part.push(c);
        }
    }
    types.retain(|ty| !ty.is_empty());
    Some(format!("declare {result} @llvm.{name}({})", types.join(", ")))
}
