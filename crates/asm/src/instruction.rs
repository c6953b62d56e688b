//! Instruction statements: the instruction table's parser and encoder, with the symbols of this assembly.

use std::cell::Cell;
use std::ops::Range;

use wavemark_isa::{self as isa, Operand, RegFile, Resolved, SymbolResolver};
use wavemark_target::{InstFeature, Machine, Target};

use crate::assembler::{Assembler, Fault};
use crate::expr::{Binary, Expr, Function, Specifier, Unary};
use crate::known::Known;
use crate::object::SourceLine;
use crate::section::FixupKind;
use crate::symbol::Symbols;

/// The longest instruction statement; a guard for the stack, which long expressions would eat.
pub(crate) const MAX_LENGTH: usize = 4096;

/// Names that are numbers already; addresses are left to fixups, as in LLVM.
struct Constants<'a> {
    symbols: &'a Symbols,
    /// Whether a name was asked for.
    asked: Cell<bool>,
}

impl SymbolResolver for Constants<'_> {
    fn resolve(&self, name: &str) -> Resolved {
        self.asked.set(true);
        let value = self.symbols.find(name).and_then(|symbol| self.symbols.constant(symbol));
        value.map_or(Resolved::Unknown, Resolved::Value)
    }
}

impl Assembler<'_> {
    /// Assembles a statement whose bytes are known; `false`: they are not.
    pub fn known_instruction(&mut self, text: &str, offset: usize) -> bool {
        let Some(Known { bytes, registers }) = self.known.find(text).cloned() else { return false };
        self.next_free.raise(registers);
        self.note_line(offset);
        self.emit(&bytes);
        true
    }

    /// Assembles the instruction `text`, which starts at `offset` of the file.
    pub fn instruction(&mut self, text: &str, offset: usize) -> Result<(), Fault> {
        let all = 0..text.len();
        if text.len() > MAX_LENGTH {
            return Err(Fault::new(0..1, format!("the statement is longer than {MAX_LENGTH} bytes")));
        }
        let machine = self.subtarget.machine;
        self.refresh_counts();
        let constants = Constants { symbols: &self.symbols, asked: Cell::new(false) };
        let mut parsed = isa::parse(machine, text, &constants)
            .map_err(|error| point(text, error.column, error.message))?;
        let named = constants.asked.get() || !parsed.fixups.is_empty();
        parsed.inst.mods.idle_zero = fills_idle_sources(machine, self.file_target.as_ref());
        let bytes =
            isa::encode(machine, &parsed.inst).map_err(|error| Fault::new(all.clone(), error.to_string()))?;
        let registers = next_registers(&parsed.inst);
        self.next_free.raise(registers);
        self.note_line(offset);
        for fixup in parsed.fixups {
            let kind = match fixup.kind {
                isa::FixupKind::Branch16 => FixupKind::Branch,
                isa::FixupKind::Absolute16 => FixupKind::Absolute16,
                isa::FixupKind::Literal32 => FixupKind::Literal32,
                isa::FixupKind::Literal64 => FixupKind::Literal64,
            };
            let range = first_name(&fixup.expr).and_then(|name| find_name(text, name)).unwrap_or(all.clone());
            let label = matches!(fixup.expr, isa::Expr::Symbol { variant: None, .. });
            if kind == FixupKind::Branch && !label {
                return Err(Fault::new(range, "expected an absolute expression or a label"));
            }
            let expr = self.adopt(&fixup.expr).map_err(|message| Fault::new(range.clone(), message))?;
            let span = self.span(offset, range);
            self.fixup(u64::from(fixup.offset), kind, expr, span);
        }
        self.emit(&bytes);
        if !named {
            self.known.put(text, Known { bytes, registers });
        }
        Ok(())
    }

    /// Records where the instruction that comes now is from.
    fn note_line(&mut self, offset: usize) {
        let offset = match (&self.included, &self.expansion) {
            (Some(included), _) => included.root as usize,
            (None, Some(expansion)) => expansion.call.start as usize,
            (None, None) => offset,
        };
        let (section, at) = self.here();
        let (line, column) = self.line_column(offset);
        self.lines.push(SourceLine { section: section.0, offset: at, line, column });
        self.place_line();
    }

    /// The table's expression over names as one over symbols.
    fn adopt(&mut self, expr: &isa::Expr) -> Result<Expr, String> {
        let many = |this: &mut Self, arguments: &[isa::Expr]| {
            arguments.iter().map(|argument| this.adopt(argument)).collect::<Result<Vec<Expr>, String>>()
        };
        Ok(match expr {
            isa::Expr::Int(value) => Expr::Int(*value),
            isa::Expr::Symbol { name, variant } => self.adopt_symbol(name, variant.as_deref())?,
            isa::Expr::Unary(op, operand) => {
                use isa::expr::UnaryOp;
                let operand = self.adopt(operand)?;
                match op {
                    UnaryOp::Plus => operand,
                    UnaryOp::Neg => Expr::Unary(Unary::Minus, Box::new(operand)),
                    UnaryOp::Not => Expr::Unary(Unary::Not, Box::new(operand)),
                    UnaryOp::LogicalNot => Expr::Unary(Unary::LogicalNot, Box::new(operand)),
                }
            }
            isa::Expr::Binary(op, left, right) => {
                let left = Box::new(self.adopt(left)?);
                let right = Box::new(self.adopt(right)?);
                Expr::Binary(adopt_operator(*op), left, right)
            }
            isa::Expr::Call(name, arguments) => {
                let function = Function::from_name(name).ok_or_else(|| format!("unknown function {name}"))?;
                Expr::Call(function, many(self, arguments)?)
            }
        })
    }

    fn adopt_symbol(&mut self, name: &str, variant: Option<&str>) -> Result<Expr, String> {
        if name == "." {
            let (section, offset) = self.here();
            return Ok(Expr::Place(section, offset));
        }
        let specifier = match variant {
            None => None,
            Some(variant) => Some(
                Specifier::from_name(variant)
                    .ok_or_else(|| format!("unknown relocation specifier @{variant}"))?,
            ),
        };
        let digits = name.trim_end_matches(['b', 'f']);
        if let (Ok(number), true) = (digits.parse::<u64>(), digits.len() + 1 == name.len()) {
            let symbol = self.symbols.numeric(number, name.ends_with('f'));
            return symbol
                .map(|symbol| Expr::Symbol(symbol, None))
                .ok_or_else(|| format!("there is no label {number} before"));
        }
        let symbol = self.symbols.intern(name);
        Ok(match self.symbols.constant(symbol) {
            Some(value) if specifier.is_none() => Expr::Int(value),
            _ => Expr::Symbol(symbol, specifier),
        })
    }
}

/// Whether text of a file for `target` assembles with the inline constant 0 in source fields that an instruction does not
/// use: newer compilers write it there, LLVM 22 writes zero bits.
pub(crate) fn fills_idle_sources(machine: Machine, target: Option<&Target>) -> bool {
    machine.has_inst(InstFeature::Gfx10Insts) && target.is_some_and(Target::is_of_newer_compiler)
}

/// One past the last VGPR and the last SGPR of an instruction.
fn next_registers(inst: &isa::Inst) -> [i64; 2] {
    let mut next = [0; 2];
    for operand in inst.operands.iter().chain(inst.second.iter().flat_map(|second| &second.operands)) {
        let Operand::Reg(reg) = operand else { continue };
        let slot = match reg.file {
            RegFile::Vgpr => 0,
            RegFile::Sgpr => 1,
            _ => continue,
        };
        next[slot] = next[slot].max(i64::from(reg.index) + i64::from(reg.dwords));
    }
    next
}

/// The first name in an expression.
fn first_name(expr: &isa::Expr) -> Option<&str> {
    match expr {
        isa::Expr::Int(_) => None,
        isa::Expr::Symbol { name, .. } => Some(name),
        isa::Expr::Unary(_, operand) => first_name(operand),
        isa::Expr::Binary(_, left, right) => first_name(left).or_else(|| first_name(right)),
        isa::Expr::Call(_, arguments) => arguments.iter().find_map(first_name),
    }
}

/// Where `name` stands in an instruction's operands.
fn find_name(text: &str, name: &str) -> Option<Range<usize>> {
    let operands = text.find([' ', '\t'])?;
    let at = operands + text[operands..].find(name)?;
    Some(at..at + name.len())
}

/// The fault at `column` of `text`: the word there.
fn point(text: &str, column: u32, message: String) -> Fault {
    let start = (column as usize).saturating_sub(1).min(text.len());
    let rest = text.get(start..).unwrap_or("");
    let length = rest.find([',', ' ', '\t']).unwrap_or(rest.len()).max(1);
    Fault::new(start..start + length, message)
}

fn adopt_operator(op: isa::expr::BinaryOp) -> Binary {
    use isa::expr::BinaryOp;
    match op {
        BinaryOp::Mul => Binary::Mul,
        BinaryOp::Div => Binary::Div,
        BinaryOp::Mod => Binary::Mod,
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Sub,
        BinaryOp::Shl => Binary::Shl,
        BinaryOp::Shr => Binary::Shr,
        BinaryOp::And => Binary::And,
        BinaryOp::Or => Binary::Or,
        BinaryOp::Xor => Binary::Xor,
        BinaryOp::Eq => Binary::Equal,
        BinaryOp::Ne => Binary::NotEqual,
        BinaryOp::Lt => Binary::Less,
        BinaryOp::Le => Binary::LessEqual,
        BinaryOp::Gt => Binary::Greater,
        BinaryOp::Ge => Binary::GreaterEqual,
        BinaryOp::LogicalAnd => Binary::LogicalAnd,
        BinaryOp::LogicalOr => Binary::LogicalOr,
    }
}
