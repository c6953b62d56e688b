//! What is proven of rings of buffers whatever a kernel is given, held against what is found with each number.
//!
//! A kernel copies ahead into a ring, goes round a loop as often as its argument says, and reads what is left behind it, in
//! buffers that remainders of the argument say. Its waits are right or too weak, its loop guarded or not, unrolled, or with
//! the number of buffers for a divisor. With a number in the place of the argument each branch and each address follows from
//! constants: there the paths are the executions. So: what is called proven is clean with each number; what is called
//! wrong is so with one. The seed is printed; `WAVEMARK_SEED=N` makes the same kernels, `WAVEMARK_CASES=N` so many.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use wavemark_diag::SourceMap;
use wavemark_ir::copies::{Verdict, judge};

/// Random numbers after Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % u64::from(limit)) as u32
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// Mostly the number itself, at times one more or less.
    fn about(&mut self, number: i64) -> i64 {
        number + self.one_of(&[0, 0, 0, 0, 0, 0, 0, 0, 1, -1])
    }
}

const HEAD: &str = r#"target triple = "amdgpu12.50-amd-amdhsa"
@lds = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
define amdgpu_kernel void @k(ptr addrspace(1) %g, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x16 = shl i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @lds, i32 %x16
"#;

struct Kernel {
    text: String,
    values: u32,
}

impl Kernel {
    fn line(&mut self, line: &str) {
        _ = writeln!(self.text, "  {line}");
    }

    /// A value.
    fn value(&mut self, is: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        self.line(&format!("{name} = {is}"));
        name
    }

    /// The work-item's place in a buffer.
    fn place(&mut self, slot: &str) -> String {
        let offset = self.value(&format!("shl i32 {slot}, 9"));
        self.value(&format!("getelementptr i8, ptr addrspace(3) %own, i32 {offset}"))
    }

    fn copy(&mut self, slot: &str) {
        let place = self.place(slot);
        self.line(&format!(
            "call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %g, ptr addrspace(3) {place}, i32 0, i32 0)"
        ));
    }

    fn wait(&mut self, left: i64) {
        self.line(&format!("call void @llvm.amdgcn.s.wait.asynccnt(i16 {})", left.max(0)));
    }

    fn read(&mut self, slot: &str) {
        let place = self.place(slot);
        self.value(&format!("load <4 x i32>, ptr addrspace(3) {place}"));
    }
}

/// A ring, and up to which argument its loop has no more rounds than are followed as they are.
fn ring(random: &mut Random) -> (String, i32) {
    let buffers = 2 + random.below(4);
    let ahead = i64::from(1 + random.below(buffers - 1));
    let mut kernel = Kernel { text: HEAD.to_owned(), values: 0 };
    (0..ahead).for_each(|slot| kernel.copy(&slot.to_string()));
    // As many rounds as tiles of a few elements, or as the argument.
    let scale = random.one_of(&[1, 1, 4]);
    let tiles = if scale == 1 { "%n".to_owned() } else { kernel.value(&format!("sdiv i32 %n, {scale}")) };
    let rounds = kernel.value(&format!("add nsw i32 {tiles}, -{ahead}"));
    let least = random.about(ahead) * scale + scale - 1;
    let guard = kernel.value(&format!("icmp sgt i32 %n, {least}"));
    kernel.line(&format!("br i1 {guard}, label %before, label %behind"));
    kernel.text += "before:\n";
    let count = kernel.value(&format!("call i32 @llvm.smax.i32(i32 {rounds}, i32 1)"));
    kernel.line("br label %loop");
    kernel.text += "loop:\n";
    kernel.line("%i = phi i32 [ 0, %before ], [ %j, %loop ]");
    let remainder = random.one_of(&["urem", "srem"]);
    let ahead_of = kernel.value(&format!("add nuw nsw i32 %i, {}", random.about(ahead).max(0)));
    let to = kernel.value(&format!("{remainder} i32 {ahead_of}, {buffers}"));
    kernel.copy(&to);
    let left = random.about(ahead);
    kernel.wait(left);
    let from = kernel.value(&format!("{remainder} i32 %i, {buffers}"));
    kernel.read(&from);
    kernel.line("%j = add nuw nsw i32 %i, 1");
    let (ends, goes_on) = ("label %behind, label %loop", "label %loop, label %behind");
    let (predicate, ways) = random.one_of(&[("eq", ends), ("sge", ends), ("ne", goes_on), ("slt", goes_on)]);
    let condition = kernel.value(&format!("icmp {predicate} i32 %j, {count}"));
    kernel.line(&format!("br i1 {condition}, {ways}"));
    kernel.text += "behind:\n";
    for tile in 0..ahead {
        let left = random.about(ahead - 1 - tile);
        kernel.wait(left);
        let number = kernel.value(&format!("add nsw i32 {tiles}, {}", tile - ahead));
        let slot = kernel.value(&format!("srem i32 {number}, {buffers}"));
        kernel.read(&slot);
    }
    kernel.wait(0);
    let text = kernel.text + "  ret void\n}\nattributes #0 = { \"amdgpu-flat-work-group-size\"=\"1,32\" }\n";
    (text, if scale == 1 { 30 } else { 60 })
}

fn verdict(text: &str) -> Verdict {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text);
    let parsed = wavemark_ir::parse(file, text).unwrap_or_else(|diagnostic| {
        panic!("{}\n{text}", wavemark_diag::render_short(&sources, &diagnostic))
    });
    let (kernel, _) = parsed.module.functions().find(|(_, function)| function.is_kernel()).unwrap();
    judge(&parsed.module, kernel, None).unwrap().unwrap_or_else(|why| panic!("{}\n{text}", why.reason()))
}

#[test]
fn what_is_proven_of_rings_is_so_with_each_number() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64 | 1;
    let seed = setting("WAVEMARK_SEED").unwrap_or(clock);
    println!("WAVEMARK_SEED={seed}");
    let cases = setting("WAVEMARK_CASES").unwrap_or(60);
    let mut random = Random(seed);
    let rings: Vec<_> = (0..cases).map(|_| ring(&mut random)).collect();
    // Whether all numbers are decided, and whether they are clean.
    let of_ring = |(text, most): &(String, i32)| {
        let of_all = verdict(text);
        let with = |number: i32| verdict(&text.replace(", i32 %n)", ")").replace("%n", &number.to_string()));
        let found = (-9..=*most).find(|&number| {
            let with_number = with(number);
            assert!(with_number.is_decided(), "{number}\n{text}");
            !with_number.hazards.is_empty()
        });
        match (of_all.is_decided(), of_all.hazards.is_empty()) {
            (true, true) => {
                assert_eq!(found, None, "proven, and wrong with that number:\n{text}");
            }
            (_, false) => {
                assert!(found.is_some(), "wrong, and clean with each number: {:?}\n{text}", of_all.hazards);
            }
            (false, true) => {}
        }
        (of_all.is_decided(), of_all.hazards.is_empty())
    };
    let verdicts: Vec<_> = rings.par_iter().map(of_ring).collect();
    let count = |is: fn(&(bool, bool)) -> bool| verdicts.iter().filter(|verdict| is(verdict)).count();
    let (proven, wrong) = (count(|&(decided, clean)| decided && clean), count(|&(_, clean)| !clean));
    let open = verdicts.len() - proven - wrong;
    println!("{proven} proven, {wrong} wrong, {open} open");
    assert!(cases < 20 || open as u64 * 4 <= cases, "{open} of {cases} are not decided");
}
