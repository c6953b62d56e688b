//! Random accesses to memory: the input, the work-item's own parts of output, LDS and private memory, what work-items
//! share, and cross-lane operations.

use super::generate::{BLOCK, Generator, INPUT, LDS_OWN, OWN, PRIVATE, SHARED};
use super::types::{I32, I64, Scalar, Ty};

impl Generator<'_> {
    /// An access to memory.
    pub fn access(&mut self) {
        match self.random.below(10) {
            0..=2 => drop(self.input_of_any_type()),
            3..=7 => self.own(),
            8 => self.own_atomic(),
            _ => self.shared_atomic(),
        }
    }

    /// A value of the input, of any type that memory holds whole.
    pub fn input_of_any_type(&mut self) -> String {
        let ty = Ty::any_packed(self.random);
        self.load_input(ty)
    }

    /// A value of the input, whose place lanes may differ in.
    pub fn load_input(&mut self, ty: Ty) -> String {
        let offset = match self.random.below(4) {
            0 => (self.random.below((INPUT - 64) / 16) * 16).to_string(),
            _ => {
                let any = self.operand(I32);
                self.scaled(&any, 255, 16)
            }
        };
        let pointer = self.hidden(&format!("getelementptr i8, ptr addrspace(1) %in, i64 {offset}"));
        let align = self.alignment(ty);
        self.define_any(ty, &format!("load {}, ptr addrspace(1) {pointer}, align {align}", ty.text()))
    }

    /// An offset of so many times a number of bytes, the number `most` at most. In 64 bits from the beginning: LLVM 22 lets
    /// the instruction multiply what it has found to fit only behind a multiplication in 32 bits
    /// (`llvm_defects/scaled_offset.ll`); and not by a mask, which it takes away there (`llvm_defects/narrowed_product.ll`).
    fn scaled(&mut self, any: &str, most: u32, bytes: u32) -> String {
        let place = self.hidden(&format!("call i32 @llvm.umin.i32(i32 {any}, i32 {most})"));
        let place = self.hidden(&format!("zext i32 {place} to i64"));
        self.hidden(&format!("mul nuw nsw i64 {place}, {bytes}"))
    }

    /// An alignment that places at multiples of 16 bytes have.
    fn alignment(&mut self, ty: Ty) -> u32 {
        match self.random.below(4) {
            0 => 16,
            _ => ty.scalar.bits() / 8,
        }
    }

    /// A store to memory of the work-item alone, and a load from it: the same bytes perhaps, as another type.
    fn own(&mut self) {
        let (space, base, bytes) = self.own_memory();
        for store in [true, false] {
            let ty = Ty::any_packed(self.random);
            let whole = (ty.bits() / 8).next_power_of_two();
            if whole > bytes {
                continue;
            }
            let places = bytes / whole;
            let any = if self.random.one_in(3) { Some(self.operand(I32)) } else { None };
            let (width, offset) = match any {
                Some(any) => match space {
                    "ptr" | "ptr addrspace(1)" => ("i64", self.scaled(&any, places - 1, whole)),
                    _ => {
                        let place = self.hidden(&format!("and i32 {any}, {}", places - 1));
                        ("i32", self.hidden(&format!("mul i32 {place}, {whole}")))
                    }
                },
                None => ("i32", (self.random.below(places as usize) as u32 * whole).to_string()),
            };
            let pointer = self.hidden(&format!("getelementptr i8, {space} {base}, {width} {offset}"));
            let (text, align) = (ty.text(), ty.scalar.bits() / 8);
            if store {
                let value = self.operand(ty);
                self.line(format!("store {text} {value}, {space} {pointer}, align {align}"));
            } else {
                let load = format!("load {text}, {space} {pointer}, align {align}");
                // What was stored there may be known, and be -0.
                if ty.is_float() {
                    let raw = self.raw(&load);
                    self.define_rounded(ty, &raw);
                } else {
                    self.define(ty, &load);
                }
            }
        }
    }

    /// One of the memories that the work-item has for itself: type of its pointer, where it begins, bytes.
    fn own_memory(&mut self) -> (&'static str, String, u32) {
        let half = OWN as u32 / 2;
        let all = [
            ("ptr addrspace(1)", "%own", half),
            ("ptr addrspace(3)", "%lds", LDS_OWN),
            ("ptr addrspace(5)", "%private", PRIVATE),
        ];
        let global =
            |this: &mut Self| this.hidden(&format!("getelementptr i8, ptr addrspace(1) %own, i32 {half}"));
        if !self.random.one_in(4) {
            let (space, base, bytes) = all[self.random.below(3)];
            let base = if bytes == half { global(self) } else { base.to_owned() };
            return (space, base, bytes);
        }
        // By a flat pointer to one of two, whichever it is.
        let flat: Vec<String> = [0, 1 + self.random.below(2)]
            .into_iter()
            .map(|at| {
                let (space, base, _) = all[at];
                let base = if at == 0 { global(self) } else { base.to_owned() };
                self.hidden(&format!("addrspacecast {space} {base} to ptr"))
            })
            .collect();
        let condition = self.condition();
        let one = self.hidden(&format!("select i1 {condition}, ptr {}, ptr {}", flat[0], flat[1]));
        ("ptr", one, LDS_OWN)
    }

    /// An atomic operation on memory that nobody else changes: its result is known.
    fn own_atomic(&mut self) {
        let (space, base, bytes) = self.own_memory();
        // No other work-item reaches private memory, which what is atomic is not for.
        if matches!(space, "ptr" | "ptr addrspace(5)") {
            return;
        }
        let ty = if self.random.one_in(3) { I64 } else { I32 };
        let whole = ty.bits() / 8;
        let offset = self.random.below((bytes / whole) as usize) as u32 * whole;
        let pointer = self.hidden(&format!("getelementptr i8, {space} {base}, i32 {offset}"));
        let scope = self.random.pick(&["", "syncscope(\"agent\") ", "syncscope(\"workgroup\") "]).to_owned();
        let ordering =
            self.random.pick(&["monotonic", "acquire", "release", "acq_rel", "seq_cst"]).to_owned();
        let (text, value) = (ty.text(), self.operand(ty));
        if self.random.one_in(4) {
            let expected = self.operand(ty);
            let pair = self.hidden(&format!(
                "cmpxchg {space} {pointer}, {text} {expected}, {text} {value} {scope}{ordering} monotonic"
            ));
            self.define(ty, &format!("extractvalue {{ {text}, i1 }} {pair}, 0"));
            self.define(super::types::I1, &format!("extractvalue {{ {text}, i1 }} {pair}, 1"));
            return;
        }
        let all = [
            "xchg",
            "add",
            "sub",
            "and",
            "nand",
            "or",
            "xor",
            "max",
            "min",
            "umax",
            "umin",
            "uinc_wrap",
            "udec_wrap",
        ];
        let op = self.random.pick(&all).to_owned();
        self.define(ty, &format!("atomicrmw {op} {space} {pointer}, {text} {value} {scope}{ordering}"));
    }

    /// An atomic operation on what all share: each word has one operation of its own, which commutes, and nobody reads it.
    fn shared_atomic(&mut self) {
        const OPS: [&str; 8] = ["add", "sub", "xor", "umax", "umin", "max", "min", "or"];
        let word = self.random.below(SHARED / 8);
        let own = super::generate::GRID as usize * BLOCK as usize * OWN;
        let pointer =
            self.hidden(&format!("getelementptr i8, ptr addrspace(1) %out, i32 {}", own + word * 8));
        let value = self.operand(I32);
        let op = OPS[word];
        self.hidden(&format!(
            "atomicrmw {op} ptr addrspace(1) {pointer}, i32 {value} syncscope(\"agent\") monotonic, align 4"
        ));
    }

    /// Every work-item writes its part of LDS, and reads another's behind a barrier. The read is volatile: LLVM 22 may move
    /// another one behind the next barrier (`llvm_defects/sunk_load.ll`).
    pub fn exchange(&mut self) {
        let ty = Ty { scalar: Scalar::Int(32), lanes: [1, 2, 4][self.random.below(3)] };
        let text = ty.text();
        let value = self.operand(ty);
        self.line(format!("store {text} {value}, ptr addrspace(3) %lds, align 4"));
        self.barrier();
        let partner = self.random.below(BLOCK as usize);
        let other = self.hidden(&format!("xor i32 %lid, {partner}"));
        let offset = self.hidden(&format!("mul i32 {other}, {LDS_OWN}"));
        let number = self.number;
        let pointer = self.hidden(&format!("getelementptr i8, ptr addrspace(3) @lds{number}, i32 {offset}"));
        self.define(ty, &format!("load volatile {text}, ptr addrspace(3) {pointer}, align 4"));
        self.barrier();
    }

    fn barrier(&mut self) {
        self.line("fence syncscope(\"workgroup\") release".to_owned());
        self.line("call void @llvm.amdgcn.s.barrier()".to_owned());
        self.line("fence syncscope(\"workgroup\") acquire".to_owned());
    }

    /// A value of other lanes; all are active.
    pub fn across_lanes(&mut self) {
        let a = self.operand(I32);
        let b = self.operand(I32);
        let constant = self.random.below(32);
        let quad = self.random.below(256);
        let kind = self.random.below(12);
        // What is moved is no constant: LLVM 22 may move another operand instead (`llvm_defects/commuted_move.ll`).
        let a = match kind {
            4 | 5 | 9 => self.hidden(&format!("add i32 {a}, %lid")),
            _ => a,
        };
        let text = match kind {
            0 => format!("call i32 @llvm.amdgcn.readfirstlane.i32(i32 {a})"),
            1 => format!("call i32 @llvm.amdgcn.readlane.i32(i32 {a}, i32 {constant})"),
            2 => {
                let index = self.hidden(&format!("and i32 {b}, 124"));
                format!("call i32 @llvm.amdgcn.ds.bpermute(i32 {index}, i32 {a})")
            }
            3 => format!("call i32 @llvm.amdgcn.ds.swizzle(i32 {a}, i32 {})", 0x8000 + quad),
            4 => format!(
                "call i32 @llvm.amdgcn.update.dpp.i32(i32 {b}, i32 {a}, i32 {quad}, i32 15, i32 15, i1 false)"
            ),
            5 => {
                let control = 0x111 + self.random.below(15);
                let bound = self.random.pick(&["true", "false"]).to_owned();
                format!(
                    "call i32 @llvm.amdgcn.update.dpp.i32(i32 {b}, i32 {a}, i32 {control}, i32 15, i32 15, i1 {bound})"
                )
            }
            6 if self.has("llvm.amdgcn.permlane16.i32") => {
                let name = self.random.pick(&["permlane16", "permlanex16"]).to_owned();
                let (low, high) = (self.random.bits() as i32, self.random.bits() as i32);
                format!(
                    "call i32 @llvm.amdgcn.{name}.i32(i32 {b}, i32 {a}, i32 {low}, i32 {high}, i1 false, i1 false)"
                )
            }
            7 if self.has("llvm.amdgcn.permlane16.swap") => {
                let both = if self.has("llvm.amdgcn.permlane32.swap") { 2 } else { 1 };
                let name = ["permlane16", "permlane32"][self.random.below(both)];
                let pair = self.hidden(&format!(
                    "call {{ i32, i32 }} @llvm.amdgcn.{name}.swap(i32 {b}, i32 {a}, i1 false, i1 false)"
                ));
                self.define(I32, &format!("extractvalue {{ i32, i32 }} {pair}, 0"));
                format!("extractvalue {{ i32, i32 }} {pair}, 1")
            }
            8 => {
                let name = self.random.pick(&["umin", "umax"]).to_owned();
                format!("call i32 @llvm.amdgcn.wave.reduce.{name}.i32(i32 {a}, i32 0)")
            }
            9 => {
                format!("call i32 @llvm.amdgcn.mov.dpp8.i32(i32 {a}, i32 {})", self.random.bits() & 0xff_ffff)
            }
            _ => {
                let wide = wavemark_target::Machine::new(self.processor).lanes() == 64;
                let ty = if wide { I64 } else { I32 };
                let condition = self.condition();
                let text = ty.text();
                self.define(ty, &format!("call {text} @llvm.amdgcn.ballot.{text}(i1 {condition})"));
                return;
            }
        };
        if text.contains("dpp8") && !self.has("llvm.amdgcn.mov.dpp8.i32") {
            return;
        }
        if text.contains("dpp") {
            // Read once alone: LLVM 22 may take a move away that others read (`llvm_defects/lost_move.ll`).
            let moved = self.hidden(&text);
            self.define(I32, &format!("xor i32 {moved}, -1"));
            return;
        }
        self.define(I32, &text);
    }
}
