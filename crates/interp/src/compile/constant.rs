//! Constants as words.

use wavemark_ir::constant::{Const, ConstKind, Expr};
use wavemark_ir::entity::Id as _;
use wavemark_ir::layout::{field_offset, layout};
use wavemark_ir::module::{Global, GlobalKind, Module};
use wavemark_ir::opcode::{CastOp, Flags};
use wavemark_ir::types::{Type, TypeKind};

use super::cast::{conversion, convert_one};
use crate::Refused;
use crate::arith;
use crate::lanes::Known;
use crate::shape::{Class, Leaf, Piece, image, leaves, mask, recut, sign_extend};

/// Where functions seem to be: no memory is there.
pub const FUNCTIONS: u64 = 0x0000_7fff_0000_0000;
/// From one function to the next.
pub const FUNCTION_STRIDE: u64 = 256;

/// Addresses of globals.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// By the number of the global.
    pub of: Vec<Option<u64>>,
}

impl Addresses {
    /// The address of a function.
    pub fn of_function(global: Global) -> u64 {
        FUNCTIONS + global.index() as u64 * FUNCTION_STRIDE
    }

    /// The function at an address.
    pub fn function_at(address: u64) -> Option<usize> {
        let offset = address.checked_sub(FUNCTIONS)?;
        (offset.is_multiple_of(FUNCTION_STRIDE)).then_some((offset / FUNCTION_STRIDE) as usize)
    }
}

/// A limb of a constant.
pub type Limb = (u64, Known);

/// The limbs of a constant.
pub fn limbs(module: &Module, addresses: &Addresses, constant: Const) -> Result<Vec<Limb>, Refused> {
    let mut found = Vec::new();
    Reader { module, addresses }.read(constant, &mut found)?;
    Ok(found)
}

/// The bytes of an initialiser, with zeros where it leaves them open.
pub fn bytes(module: &Module, addresses: &Addresses, constant: Const) -> Result<Vec<u8>, Refused> {
    let ty = module.constants.ty(constant);
    let size = layout(&module.types, ty).map_or(0, |layout| layout.size);
    wavemark_budget::room_for(size).map_err(|no_room| Refused::new(format!("an initialiser {no_room}")))?;
    let mut bytes = vec![0; size as usize];
    initialise(module, addresses, constant, &mut bytes)?;
    Ok(bytes)
}

fn initialise(module: &Module, addresses: &Addresses, constant: Const, to: &mut [u8]) -> Result<(), Refused> {
    let types = &module.types;
    let ty = module.constants.ty(constant);
    match module.constants.kind(constant) {
        ConstKind::Zero | ConstKind::Undef | ConstKind::Poison => {}
        ConstKind::Bytes(bytes) => to[..bytes.len()].copy_from_slice(bytes),
        ConstKind::Aggregate(parts) if !matches!(types.kind(ty), TypeKind::Vector { .. }) => {
            for (index, &part) in (0..).zip(parts) {
                let at = match *types.kind(ty) {
                    TypeKind::Array { element, .. } => {
                        index * layout(types, element).map_or(0, |layout| layout.stride())
                    }
                    _ => field_offset(types, ty, index).unwrap_or(0),
                };
                initialise(module, addresses, part, &mut to[at as usize..])?;
            }
        }
        _ => {
            let place = image(types, ty)?;
            for (field, (word, _)) in place.fields.iter().zip(limbs(module, addresses, constant)?) {
                crate::run::bytes::put(to, field.bit, field.bits, word);
            }
        }
    }
    Ok(())
}

struct Reader<'r> {
    module: &'r Module,
    addresses: &'r Addresses,
}

impl Reader<'_> {
    fn read(&self, constant: Const, out: &mut Vec<Limb>) -> Result<(), Refused> {
        let ty = self.module.constants.ty(constant);
        let same = |known: fn(u32) -> Known, out: &mut Vec<Limb>| -> Result<(), Refused> {
            let limbs = leaves(&self.module.types, ty)?.into_iter().flat_map(Leaf::limb_bits);
            out.extend(limbs.map(|bits| (0, known(bits))));
            Ok(())
        };
        match self.module.constants.kind(constant) {
            ConstKind::Int(value) => {
                let bits = self.module.types.int_bits(ty).unwrap_or(64);
                let limbs = Leaf { class: Class::Int, bits }.limbs();
                let limb = |at: usize| (value.limbs().get(at).copied().unwrap_or(0), Known::Value);
                out.extend((0..limbs).map(limb));
            }
            ConstKind::Float(bits) => out.push((*bits as u64, Known::Value)),
            ConstKind::Null | ConstKind::Zero => same(|_| Known::Value, out)?,
            ConstKind::None => {}
            ConstKind::Undef => same(|bits| Known::Undef(mask(bits)), out)?,
            ConstKind::Poison => same(|_| Known::Poison, out)?,
            ConstKind::Aggregate(parts) => parts.iter().try_for_each(|&part| self.read(part, out))?,
            ConstKind::Splat(part) => {
                let mut one = Vec::new();
                self.read(*part, &mut one)?;
                let count = self.module.types.lanes(ty).unwrap_or(0);
                (0..count).for_each(|_| out.extend_from_slice(&one));
            }
            ConstKind::Bytes(bytes) => out.extend(bytes.iter().map(|&b| (u64::from(b), Known::Value))),
            ConstKind::Global(global) => out.push((self.address(*global)?, Known::Value)),
            ConstKind::Expr(expr) => self.expression(ty, expr, out)?,
        }
        Ok(())
    }

    fn address(&self, global: Global) -> Result<u64, Refused> {
        match &self.module.globals[global].kind {
            GlobalKind::Function(_) => Ok(Addresses::of_function(global)),
            GlobalKind::Alias { aliasee, .. } => {
                let mut limbs = Vec::new();
                self.read(*aliasee, &mut limbs)?;
                limbs.first().map(|limb| limb.0).ok_or_else(|| Refused::new("an alias of nothing"))
            }
            GlobalKind::Variable(_) => self.addresses.of[global.index()].ok_or_else(|| {
                Refused::new(format!("the address of @{}, which is nowhere", self.module.name(global)))
            }),
        }
    }

    fn all(&self, constant: Const) -> Result<Vec<Limb>, Refused> {
        let mut limbs = Vec::new();
        self.read(constant, &mut limbs)?;
        Ok(limbs)
    }

    fn expression(&self, ty: Type, expr: &Expr, out: &mut Vec<Limb>) -> Result<(), Refused> {
        let types = &self.module.types;
        let elements = matches!(
            expr,
            Expr::ExtractElement { .. } | Expr::InsertElement { .. } | Expr::ShuffleVector { .. }
        );
        if elements && leaves(types, ty)?.into_iter().any(|leaf| leaf.limbs() != 1) {
            return Err(Refused::new("a constant of elements of wide integers"));
        }
        match expr {
            Expr::Cast { op: CastOp::BitCast, value } => {
                let from_type = self.module.constants.ty(*value);
                let bits = |ty| -> Result<Vec<u32>, Refused> {
                    Ok(leaves(types, ty)?.into_iter().flat_map(Leaf::limb_bits).collect())
                };
                let from = self.all(*value)?;
                for pieces in recut(&bits(from_type)?, &bits(ty)?) {
                    out.push(joined(&from, &pieces));
                }
            }
            Expr::Cast { op, value } => {
                let from = leaves(types, self.module.constants.ty(*value))?;
                let to = leaves(types, ty)?;
                let words = self.all(*value)?;
                if words.len() != to.len() {
                    return Err(Refused::new("a constant cast of wide integers"));
                }
                for ((from, to), (word, known)) in from.iter().zip(&to).zip(words) {
                    let word = match conversion(*op, Flags::empty(), *from, *to)? {
                        Some(convert) => convert_one(convert, word).0,
                        None => word & mask(to.bits),
                    };
                    let known = match known {
                        Known::Undef(bits) if matches!(op, CastOp::Trunc) => {
                            Known::Undef(bits & mask(to.bits))
                        }
                        Known::Undef(_) => Known::Undef(mask(to.bits)),
                        other => other,
                    };
                    out.push((word, known));
                }
            }
            Expr::Binary { op, flags, lhs, rhs } => {
                let bits = types.int_bits(ty).filter(|&bits| bits <= 64);
                let Some(bits) = bits else {
                    return Err(Refused::new("constant arithmetic of wide integers"));
                };
                for ((a, known), (b, other)) in self.all(*lhs)?.into_iter().zip(self.all(*rhs)?) {
                    let (value, poison) = arith::int(*op, *flags, bits, a, b);
                    let known = if poison { Known::Poison } else { worse(known, other) };
                    out.push((value, known));
                }
            }
            Expr::Gep { source, base, indices, .. } => {
                let mut address = self.all(*base)?;
                if address.len() != 1 {
                    return Err(Refused::new("a constant address of several"));
                }
                let mut walk = super::address::Walk::new(types, *source);
                for (position, &index) in indices.iter().enumerate() {
                    let bits = types.int_bits(self.module.constants.ty(index)).unwrap_or(64);
                    let limbs = self.all(index)?;
                    let Some(&(word, known)) = limbs.first() else { continue };
                    address[0].1 = worse(address[0].1, known);
                    match walk.step(position, Some(word))? {
                        super::address::Step::Offset(bytes) => {
                            address[0].0 = address[0].0.wrapping_add(bytes)
                        }
                        super::address::Step::Scale(scale) => {
                            let index = sign_extend(word, bits.min(64)) as u64;
                            address[0].0 = address[0].0.wrapping_add(index.wrapping_mul(scale));
                        }
                    }
                }
                let bits = leaves(types, ty)?.first().map_or(64, |leaf| leaf.bits);
                address[0].0 &= mask(bits);
                out.push(address[0]);
            }
            Expr::ExtractElement { vector, index } => {
                let vector = self.all(*vector)?;
                let at = self.all(*index)?.first().map_or(0, |limb| limb.0) as usize;
                out.push(vector.get(at).copied().unwrap_or((0, Known::Poison)));
            }
            Expr::InsertElement { vector, value, index } => {
                let mut vector = self.all(*vector)?;
                let at = self.all(*index)?.first().map_or(0, |limb| limb.0) as usize;
                let value = self.all(*value)?;
                match (vector.get_mut(at), value.first()) {
                    (Some(place), Some(&value)) => *place = value,
                    _ => vector.iter_mut().for_each(|place| place.1 = Known::Poison),
                }
                out.extend(vector);
            }
            Expr::ShuffleVector { lhs, rhs, mask } => {
                let mut both = self.all(*lhs)?;
                both.extend(self.all(*rhs)?);
                for (index, known) in self.all(*mask)? {
                    let chosen = both.get(index as usize).filter(|_| known == Known::Value);
                    out.push(chosen.copied().unwrap_or((0, Known::Poison)));
                }
            }
        }
        Ok(())
    }
}

fn worse(a: Known, b: Known) -> Known {
    match (a, b) {
        (Known::Poison, _) | (_, Known::Poison) => Known::Poison,
        (Known::Undef(_), _) | (_, Known::Undef(_)) => Known::Undef(u64::MAX),
        _ => Known::Value,
    }
}

fn joined(from: &[Limb], pieces: &[Piece]) -> Limb {
    pieces.iter().fold((0, Known::Value), |(word, known), piece| {
        let (part, other) = from[piece.from as usize];
        let moved = |word: u64| (word >> piece.shift & mask(piece.bits)) << piece.to;
        let known = match (known, other) {
            (Known::Poison, _) | (_, Known::Poison) => Known::Poison,
            (known, Known::Value) => known,
            (Known::Value, Known::Undef(bits)) => Known::Undef(moved(bits)),
            (Known::Undef(known), Known::Undef(bits)) => Known::Undef(known | moved(bits)),
        };
        (word | moved(part), known)
    })
}
