//! How long operations take: prints, and is ignored unless asked for.

use std::time::Instant;

use super::*;

#[test]
#[ignore = "a measurement"]
fn speed() {
    for machine in [GFX1250, GFX950] {
        let m = Mods { op_sel_hi: 7, ..Mods::default() };
        let cases: &[(&str, &[Operand], Mods)] = &[
            ("v_add_u32", &[v(0), v(1), v(2)], m),
            ("v_add_u32", &[v(0), s(1), v(2)], m),
            ("v_add_u32", &[v(0), lit(77), v(2)], m),
            ("v_mul_f32", &[v(0), v(1), v(2)], m),
            ("v_fma_f32", &[v(0), v(1), v(2), v(3)], m),
            ("v_fma_f32", &[v(0), v(1), v(2), v(3)], Mods { neg: 1, ..m }),
            ("v_pk_fma_f32", &[vreg(0, 2), vreg(2, 2), vreg(4, 2), vreg(6, 2)], m),
            ("v_max_f32", &[v(0), v(1), v(2)], m),
            ("v_cmp_lt_f32", &[VCC, v(1), v(2)], m),
            ("v_cmp_lt_u32", &[VCC, v(1), v(2)], m),
            ("v_cndmask_b32", &[v(0), v(1), v(2), VCC], m),
            ("v_lshl_add_u64", &[vreg(0, 2), vreg(2, 2), Operand::Int(3), vreg(4, 2)], m),
            ("v_add_co_u32", &[v(0), VCC, v(1), v(2)], m),
            ("v_exp_f32", &[v(0), v(1)], m),
            ("v_rcp_f32", &[v(0), v(1)], m),
            ("v_log_f32", &[v(0), v(1)], m),
            ("v_pk_add_f16", &[v(0), v(1), v(2)], m),
            ("v_pk_fma_f16", &[v(0), v(1), v(2), v(3)], m),
            ("v_perm_b32", &[v(0), v(1), v(2), v(3)], m),
            ("v_bfe_u32", &[v(0), v(1), Operand::Int(3), Operand::Int(5)], m),
            ("v_mul_lo_u32", &[v(0), v(1), v(2)], m),
            ("v_mul_hi_u32", &[v(0), v(1), v(2)], m),
            ("v_sin_f32", &[v(0), v(1)], m),
            ("s_add_u32", &[s(0), s(1), s(2)], m),
            ("s_and_b64", &[s2(0), s2(2), s2(4)], m),
            ("s_cmp_lt_i32", &[s(0), s(1)], m),
        ];
        for (name, operands, mods) in cases {
            let mut line = format!("{} {name:16} {operands:?}", machine.processor);
            line.truncate(60);
            for level in super::super::levels() {
                let mut wave = Wave::new(machine);
                for n in 0..8 {
                    wave.set_v(n, |l| (1.0 + l as f32 * 0.25 + f32::from(n)).to_bits());
                }
                wave.set_v(0, |_| 0);
                for full in [true, false] {
                    wave.set_exec(if full { u64::MAX } else { 0x0fff_f00f_0fff_f00f });
                    let op = wave.bind_with(name, operands, *mods, level as usize).unwrap();
                    let n = 200_000;
                    let mut best = f64::MAX;
                    for _ in 0..5 {
                        let start = Instant::now();
                        for _ in 0..n {
                            // SAFETY: the level is one of this host's.
                            unsafe { (op.body)(&mut wave.regs, std::hint::black_box(&op)) };
                        }
                        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(n));
                    }
                    line += &format!(" {best:6.2}");
                }
                line += " |";
            }
            println!("{line}");
        }
    }
}
