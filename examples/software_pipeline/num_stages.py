# No stages written: `num_stages` alone, as TileLang's T.Pipelined and Triton have it. `wavemark compile` plans the
# rest. The tiles are allocated at the top of the kernel, as TileLang does; they hold nothing between iterations, so
# their allocation moves into the loop.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((32, 256), "float16"), B: T.Buffer((256, 64), "float16"), C: T.Buffer((32, 64), "float32")):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("kernel"):
                    T.reads(A[bx * 16:bx * 16 + 16, 0:256], B[0:256, 0:64])
                    T.writes(C[bx * 16:bx * 16 + 16, tx])
                    A_shared = T.sblock_alloc_buffer((16, 16), "float16", scope="shared.dyn")
                    B_shared = T.sblock_alloc_buffer((16, 64), "float16", scope="shared.dyn")
                    C_local = T.sblock_alloc_buffer((16,), scope="local")
                    for m in range(16):
                        with T.sblock("clear"):
                            T.reads()
                            T.writes(C_local[m])
                            C_local[m] = T.float32(0.0)
                    for ko in T.serial(16, annotations={"num_stages": 3}):
                        for v in T.vectorized(4):
                            A_shared[tx // 4, tx % 4 * 4 + v] = A[bx * 16 + tx // 4, ko * 16 + tx % 4 * 4 + v]
                        for u in T.unroll(2):
                            for v in T.vectorized(8):
                                B_shared[u * 8 + tx // 8, tx % 8 * 8 + v] = B[ko * 16 + u * 8 + tx // 8, tx % 8 * 8 + v]
                        for m, k in T.grid(16, 16):
                            with T.sblock("mac"):
                                T.reads(C_local[m], A_shared[m, k], B_shared[k, tx])
                                T.writes(C_local[m])
                                C_local[m] = C_local[m] + T.Cast("float32", A_shared[m, k]) * T.Cast("float32", B_shared[k, tx])
                    for m in range(16):
                        with T.sblock("out"):
                            T.reads(C_local[m])
                            T.writes(C[bx * 16 + m, tx])
                            C[bx * 16 + m, tx] = C_local[m]
