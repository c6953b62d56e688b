# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(C: T.Buffer((16, 16), "int32"), k: T.int32):
        C[0, 0] = T.BitwiseNot(3) + T.LShift(k, 0) + T.BitwiseAnd(1, 2) + T.Cast("int32", T.uint8(1) & T.uint8(3))
