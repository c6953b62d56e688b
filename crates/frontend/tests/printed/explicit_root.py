# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.sblock(""):
                T.reads()
                T.writes(A[0:16])
                B = T.sblock_alloc_buffer((1,), scope="shared")
                with T.sblock(""):
                    T.where(T.int64(1) < T.Cast("int64", A[0]))
                    T.reads()
                    T.writes(B[0])
                    T.attr({"async_commit_queue_scope": 0, "async_scope": 1})
                    B[0] = T.float32(1.0)
                with T.sblock(""):
                    T.reads(B[0])
                    T.writes(A[1:16])
                    with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 0}):
                        A[1] = B[0]
                    A[2] = B[0]
