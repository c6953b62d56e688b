# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(D: T.Buffer((n, "n * T.int64(2)"), "int32"), E: T.Buffer(("n * T.int64(2)",), "int32")):
        for i in range(n):
            D[i, i] = 1
