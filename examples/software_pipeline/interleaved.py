# Two asynchronous producers of one stage with their consumer between them: TVM's own wait count is too weak here.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(P: T.Buffer((16, 32), "float32"), Q: T.Buffer((16, 32), "float32"), R: T.Buffer((16, 32), "float32")):
        for i in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 0, 3],
                "software_pipeline_order": [0, 2, 1],
                "software_pipeline_async_stages": [0],
            },
        ):
            with T.sblock("step"):
                T.reads(P[i, 0:32], Q[i, 0:32])
                T.writes(R[i, 0:32])
                p = T.sblock_alloc_buffer((32,), scope="shared")
                q = T.sblock_alloc_buffer((32,), scope="shared")
                for j in range(32):
                    with T.sblock("fetch_p"):
                        T.reads(P[i, j])
                        T.writes(p[j])
                        p[j] = P[i, j]
                for j in range(32):
                    with T.sblock("fetch_q"):
                        T.reads(Q[i, j])
                        T.writes(q[j])
                        q[j] = Q[i, j]
                for j in range(32):
                    with T.sblock("add"):
                        T.reads(p[j], q[j])
                        T.writes(R[i, j])
                        R[i, j] = p[j] + q[j]
