//! Random control flow: branches, switches, loops with exits, in which lanes part and meet.

use super::generate::Generator;
use super::types::{I32, Ty};

impl Generator<'_> {
    /// A branch, switch or loop with statements in it.
    pub fn region(&mut self) {
        match self.random.below(5) {
            0 | 1 => self.branch(),
            2 => self.switch(),
            _ => self.repeat(),
        }
    }

    fn begin(&mut self, label: &str) {
        self.lines.push(format!("{label}:"));
        self.block = label.to_owned();
    }

    /// Statements of which nothing can be used behind them but the operand of type `ty` that is given.
    fn body(&mut self, ty: Ty) -> String {
        let visible = self.values.len();
        self.depth += 1;
        let count = self.random.below(5).min(self.budget as usize);
        (0..count).for_each(|_| self.statement());
        let value = self.operand(ty);
        self.depth -= 1;
        self.values.truncate(visible);
        value
    }

    fn branch(&mut self) {
        let (number, ty) = (self.fresh(), Ty::any(self.random));
        let condition = self.condition();
        let (then, otherwise, join) =
            (format!("then{number}"), format!("else{number}"), format!("join{number}"));
        let both = self.random.one_in(2);
        let mut incoming = Vec::new();
        let next = if both { &otherwise } else { &join };
        if !both {
            let value = self.operand(ty);
            incoming.push((value, self.block.clone()));
        }
        self.line(format!("br i1 {condition}, label %{then}, label %{next}"));
        self.begin(&then);
        let value = self.body(ty);
        incoming.push((value, self.block.clone()));
        self.line(format!("br label %{join}"));
        if both {
            self.begin(&otherwise);
            let value = self.body(ty);
            incoming.push((value, self.block.clone()));
            self.line(format!("br label %{join}"));
        }
        self.begin(&join);
        self.phi(ty, &incoming);
    }

    fn phi(&mut self, ty: Ty, incoming: &[(String, String)]) -> String {
        let list: Vec<String> =
            incoming.iter().map(|(value, block)| format!("[ {value}, %{block} ]")).collect();
        self.define(ty, &format!("phi {} {}", ty.text(), list.join(", ")))
    }

    /// A switch. LLVM 22 takes apart what is joined behind it in vectors, and may give one case what another one has
    /// (`llvm_defects/hoisted_slice.ll`): those of more than a dword are not joined there.
    fn switch(&mut self) {
        let (number, any) = (self.fresh(), Ty::any(self.random));
        let ty = if any.bits() > 32 { any.element() } else { any };
        let any = self.operand(I32);
        let value = self.hidden(&format!("and i32 {any}, 3"));
        let join = format!("join{number}");
        let cases = 2 + self.random.below(3);
        let labels: Vec<String> = (0..cases).map(|case| format!("case{number}.{case}")).collect();
        let list: Vec<String> =
            (1..cases).map(|case| format!("i32 {}, label %{}", case - 1, labels[case])).collect();
        self.line(format!("switch i32 {value}, label %{} [ {} ]", labels[0], list.join(" ")));
        let mut incoming = Vec::new();
        for label in &labels {
            self.begin(label);
            let value = self.body(ty);
            incoming.push((value, self.block.clone()));
            self.line(format!("br label %{join}"));
        }
        self.begin(&join);
        self.phi(ty, &incoming);
    }

    /// A loop of at most eight turns, which lanes may leave in different ones, and perhaps in its midst.
    fn repeat(&mut self) {
        let (number, ty) = (self.fresh(), Ty::any(self.random));
        let (head, exit) = (format!("head{number}"), format!("exit{number}"));
        let any = self.operand(I32);
        let bound = self.hidden(&format!("and i32 {any}, 7"));
        let first = self.operand(ty);
        let before = self.block.clone();
        self.line(format!("br label %{head}"));
        self.begin(&head);
        // What the `phi`s take from the loop's end is known there.
        let (turn, carried) = (format!("%v{}", self.fresh()), format!("%v{}", self.fresh()));
        let at = self.lines.len();
        let visible = self.values.len();
        self.keep(turn.clone(), I32);
        self.keep(carried.clone(), ty);
        let mut incoming = Vec::new();
        let middle = self.body(ty);
        if self.random.one_in(2) {
            let out = self.condition();
            let go = format!("go{number}");
            incoming.push((middle, self.block.clone()));
            self.line(format!("br i1 {out}, label %{exit}, label %{go}"));
            self.begin(&go);
        }
        let last = self.body(ty);
        let next = self.hidden(&format!("add i32 {turn}, 1"));
        let more = self.hidden(&format!("icmp ult i32 {next}, {bound}"));
        incoming.push((last.clone(), self.block.clone()));
        let latch = self.block.clone();
        self.line(format!("br i1 {more}, label %{head}, label %{exit}"));
        let text = ty.text();
        self.lines
            .insert(at, format!("  {carried} = phi {text} [ {first}, %{before} ], [ {last}, %{latch} ]"));
        self.lines.insert(at, format!("  {turn} = phi i32 [ 0, %{before} ], [ {next}, %{latch} ]"));
        self.values.truncate(visible);
        self.begin(&exit);
        self.phi(ty, &incoming);
    }
}
