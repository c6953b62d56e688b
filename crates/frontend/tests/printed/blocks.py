# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32"), k: T.int32):
        # with T.sblock("root"):
        S = T.sblock_alloc_buffer((3, 3), "float16", strides=(3, 1), scope="shared.dyn", align=128)
        for i, j, k1 in T.grid(16, 16, 16):
            with T.sblock("x"):
                vi = T.axis.spatial((1, 16), i)
                vj, vk, vi2 = T.axis.remap("SRS", [j, k1, i])
                vo = T.axis.opaque(16, i)
                vs = T.axis.scan(16, i)
                T.where(i < 3)
                T.reads(A[vi, 0:16], A[vi:vi + 3, vj * 2:vj * 2 + 2], A[0:k, 3:3 + k])
                T.writes(C[vi, vj])
                T.sblock_attr({"double_buffer_scope": 0})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi2, vk]
        for i in range(3):
            with T.sblock(""):
                T.reads(S[i, 0:2])
                T.writes()
                M = T.match_buffer(S[i, 0:2], (2,), "float16", strides=("s0",), scope="shared.dyn", offset_factor=2)
                P = T.match_buffer(S[i, 0:2], (2,), "float16", strides=(M.strides[0],), scope="shared.dyn", offset_factor=1)
                M[0] = T.Cast("float16", M.strides[0] + P.elem_offset)
        with T.sblock("last"):
            T.reads()
            T.writes()
            T.evaluate(0)
