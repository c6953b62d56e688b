# A GEMM over K in tiles: copies to LDS four deep and asynchronous, copies to registers two deep.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4, 1024), "float32"), B: T.Buffer((4, 1024), "float32"), C: T.Buffer((4, 4), "float32")):
        for k0 in T.serial(128, annotations={"software_pipeline_async_stages": [0], "software_pipeline_order": [0, 1, 3, 2, 4], "software_pipeline_stage": [0, 0, 2, 3, 3]}):
            with T.sblock("tile"):
                T.reads(A[0:4, k0 * 8:k0 * 8 + 8], B[0:4, k0 * 8:k0 * 8 + 8], C[0:4, 0:4])
                T.writes(C[0:4, 0:4])
                A_lds = T.sblock_alloc_buffer((4, 8), scope="shared")
                B_lds = T.sblock_alloc_buffer((4, 8), scope="shared")
                for m, k in T.grid(4, 8):
                    with T.sblock("copy_a"):
                        T.reads(A[m, k0 * 8 + k])
                        T.writes(A_lds[m, k])
                        A_lds[m, k] = A[m, k0 * 8 + k]
                for n, k in T.grid(4, 8):
                    with T.sblock("copy_b"):
                        T.reads(B[n, k0 * 8 + k])
                        T.writes(B_lds[n, k])
                        B_lds[n, k] = B[n, k0 * 8 + k]
                for k1 in T.serial(2, annotations={"software_pipeline_order": [0, 1, 2], "software_pipeline_stage": [0, 0, 1]}):
                    with T.sblock("step"):
                        T.reads(A_lds[0:4, k1 * 4:k1 * 4 + 4], B_lds[0:4, k1 * 4:k1 * 4 + 4], C[0:4, 0:4])
                        T.writes(C[0:4, 0:4])
                        A_reg = T.sblock_alloc_buffer((4, 4), scope="local")
                        B_reg = T.sblock_alloc_buffer((4, 4), scope="local")
                        for m, k in T.grid(4, 4):
                            with T.sblock("read_a"):
                                T.reads(A_lds[m, k1 * 4 + k])
                                T.writes(A_reg[m, k])
                                A_reg[m, k] = A_lds[m, k1 * 4 + k]
                        for n, k in T.grid(4, 4):
                            with T.sblock("read_b"):
                                T.reads(B_lds[n, k1 * 4 + k])
                                T.writes(B_reg[n, k])
                                B_reg[n, k] = B_lds[n, k1 * 4 + k]
                        for m, n, k in T.grid(4, 4, 4):
                            with T.sblock("multiply_add"):
                                T.reads(C[m, n], A_reg[m, k], B_reg[n, k])
                                T.writes(C[m, n])
                                C[m, n] = C[m, n] + A_reg[m, k] * B_reg[n, k]
