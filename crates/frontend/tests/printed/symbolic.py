# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(D: T.Buffer((16, "n"), "int32"), E: T.Buffer(("n + k", 16), "int32", strides=("k", "s")), F: T.Buffer((k,), "float32"), k: T.int32, G: T.Buffer(("p", "q", p * q), "int8", scope="shared")):
        n = T.int32()
        p, q = T.int32(), T.int32()
        T.func_attr({"z": 1})
        D[0, 0] = E.strides[1] + p + n
