# Two statements, two stages, nothing asynchronous: while `use` works on tile i, `fetch` is one tile ahead.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((16, 32), "float32"), Y: T.Buffer((16, 32), "float32")):
        for i in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 1],
                "software_pipeline_order": [0, 1],
            },
        ):
            with T.sblock("step"):
                T.reads(X[i, 0:32])
                T.writes(Y[i, 0:32])
                tile = T.sblock_alloc_buffer((32,), scope="shared")
                for j in range(32):
                    with T.sblock("fetch"):
                        T.reads(X[i, j])
                        T.writes(tile[j])
                        tile[j] = X[i, j] + T.float32(1.0)
                for j in range(32):
                    with T.sblock("use"):
                        T.reads(tile[j])
                        T.writes(Y[i, j])
                        Y[i, j] = tile[j] * T.float32(2.0)
