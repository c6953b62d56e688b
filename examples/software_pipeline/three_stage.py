# Three stages, two of them asynchronous: `scale` waits for queue 0 and is itself committed to queue 1.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((16, 32), "float32"), Y: T.Buffer((16, 32), "float32")):
        for i in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 1, 2],
                "software_pipeline_order": [0, 1, 2],
                "software_pipeline_async_stages": [0, 1],
            },
        ):
            with T.sblock("step"):
                T.reads(X[i, 0:32])
                T.writes(Y[i, 0:32])
                raw = T.sblock_alloc_buffer((32,), scope="shared")
                scaled = T.sblock_alloc_buffer((32,), scope="shared")
                for j in range(32):
                    with T.sblock("fetch"):
                        T.reads(X[i, j])
                        T.writes(raw[j])
                        raw[j] = X[i, j]
                for j in range(32):
                    with T.sblock("scale"):
                        T.reads(raw[j])
                        T.writes(scaled[j])
                        scaled[j] = raw[j] * T.float32(2.0)
                for j in range(32):
                    with T.sblock("put"):
                        T.reads(scaled[j])
                        T.writes(Y[i, j])
                        Y[i, j] = scaled[j] + T.float32(1.0)
