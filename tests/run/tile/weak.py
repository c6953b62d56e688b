from tvm.script import ir as I
from tvm.script import tirx as T

# C[i] = A[i] + 2 in two stages, the first asynchronous: the wait in the loop is too weak.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            B = T.sblock_alloc_buffer((2,), scope="shared")
            with T.sblock(""):
                T.attr({"async_commit_queue_scope": 0, "async_scope": 1})
                B[0] = A[0] + T.float32(1)
            for i in range(15):
                with T.sblock(""):
                    T.attr({"async_commit_queue_scope": 0, "async_scope": 1})
                    B[(i + 1) % 2] = A[i + 1] + T.float32(1)
                with T.sblock(""):
                    T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 2})
                    C[i] = B[i % 2] + T.float32(1)
            with T.sblock(""):
                T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 0})
                C[15] = B[1] + T.float32(1)
