# A product of matrices: tiles to shared memory four times buffered and asynchronous, shared to registers double
# buffered, the second pipeline inside the first. The inner loop counts as three statements of the outer one.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 256), "float32"), B: T.Buffer((8, 256), "float32"), C: T.Buffer((8, 8), "float32")):
        for ko in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 0, 2, 3, 3],
                "software_pipeline_order": [0, 1, 3, 2, 4],
                "software_pipeline_async_stages": [0],
            },
        ):
            with T.sblock("tile"):
                T.reads(A[0:8, ko * 16:ko * 16 + 16], B[0:8, ko * 16:ko * 16 + 16], C[0:8, 0:8])
                T.writes(C[0:8, 0:8])
                A_shared = T.sblock_alloc_buffer((8, 16), scope="shared")
                B_shared = T.sblock_alloc_buffer((8, 16), scope="shared")
                for m, k in T.grid(8, 16):
                    with T.sblock("A_shared"):
                        T.reads(A[m, ko * 16 + k])
                        T.writes(A_shared[m, k])
                        A_shared[m, k] = A[m, ko * 16 + k]
                for n, k in T.grid(8, 16):
                    with T.sblock("B_shared"):
                        T.reads(B[n, ko * 16 + k])
                        T.writes(B_shared[n, k])
                        B_shared[n, k] = B[n, ko * 16 + k]
                for ki in T.serial(
                    4,
                    annotations={
                        "software_pipeline_stage": [0, 0, 1],
                        "software_pipeline_order": [0, 1, 2],
                    },
                ):
                    with T.sblock("fragment"):
                        T.reads(A_shared[0:8, ki * 4:ki * 4 + 4], B_shared[0:8, ki * 4:ki * 4 + 4], C[0:8, 0:8])
                        T.writes(C[0:8, 0:8])
                        A_local = T.sblock_alloc_buffer((8, 4), scope="local")
                        B_local = T.sblock_alloc_buffer((8, 4), scope="local")
                        for m, k in T.grid(8, 4):
                            with T.sblock("A_local"):
                                T.reads(A_shared[m, ki * 4 + k])
                                T.writes(A_local[m, k])
                                A_local[m, k] = A_shared[m, ki * 4 + k]
                        for n, k in T.grid(8, 4):
                            with T.sblock("B_local"):
                                T.reads(B_shared[n, ki * 4 + k])
                                T.writes(B_local[n, k])
                                B_local[n, k] = B_shared[n, ki * 4 + k]
                        for m, n, k in T.grid(8, 8, 4):
                            with T.sblock("mac"):
                                T.reads(C[m, n], A_local[m, k], B_local[n, k])
                                T.writes(C[m, n])
                                C[m, n] = C[m, n] + A_local[m, k] * B_local[n, k]
