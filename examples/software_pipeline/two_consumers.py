# One asynchronous producer, two consumers one iteration apart: the nearer one needs the newer group.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((16, 32), "float32"), Y: T.Buffer((16, 32), "float32"), Z: T.Buffer((16, 32), "float32")):
        for i in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 2, 3],
                "software_pipeline_order": [0, 2, 1],
                "software_pipeline_async_stages": [0],
            },
        ):
            with T.sblock("step"):
                T.reads(X[i, 0:32])
                T.writes(Y[i, 0:32], Z[i, 0:32])
                tile = T.sblock_alloc_buffer((32,), scope="shared")
                for j in range(32):
                    with T.sblock("fetch"):
                        T.reads(X[i, j])
                        T.writes(tile[j])
                        tile[j] = X[i, j]
                for j in range(32):
                    with T.sblock("near"):
                        T.reads(tile[j])
                        T.writes(Y[i, j])
                        Y[i, j] = tile[j] * T.float32(2.0)
                for j in range(32):
                    with T.sblock("far"):
                        T.reads(tile[j])
                        T.writes(Z[i, j])
                        Z[i, j] = tile[j] - T.float32(3.0)
