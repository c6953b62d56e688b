# Two asynchronous producers of one stage with their consumer between them: TVM's own wait count is too weak here.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((16, 32), "float32"), Y: T.Buffer((16, 32), "float32"), Z: T.Buffer((16, 32), "float32")):
        for i in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 0, 3],
                "software_pipeline_order": [0, 2, 1],
                "software_pipeline_async_stages": [0],
            },
        ):
            with T.sblock("step"):
                T.reads(X[i, 0:32], Y[i, 0:32])
                T.writes(Z[i, 0:32])
                x = T.sblock_alloc_buffer((32,), scope="shared")
                y = T.sblock_alloc_buffer((32,), scope="shared")
                for j in range(32):
                    with T.sblock("fetch_x"):
                        T.reads(X[i, j])
                        T.writes(x[j])
                        x[j] = X[i, j]
                for j in range(32):
                    with T.sblock("fetch_y"):
                        T.reads(Y[i, j])
                        T.writes(y[j])
                        y[j] = Y[i, j]
                for j in range(32):
                    with T.sblock("add"):
                        T.reads(x[j], y[j])
                        T.writes(Z[i, j])
                        Z[i, j] = x[j] + y[j]
