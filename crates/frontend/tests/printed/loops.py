# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    I.module_attrs({"a": 1, "b": True})
    @T.prim_func(s_tir=True)
    def alpha(A: T.Buffer((16,), "float32")):
        T.func_attr({"s": "a\"b", "tirx.noalias": True, "x": [1, 2], "y": 1.5})
        for v in range(0, 16, 2):
            A[v] = T.float32(1.0)

    @T.prim_func(private=True, s_tir=True)
    def beta(C: T.Buffer((16, 16), "int32"), k: T.int32, wide: T.int64):
        for v in T.serial(1, 16, annotations={"a": True, "b": 1.5, "c": "x", "d": [1, "x"], "e": {"a": 2, "z": 1}, "f": k + 1, "g": T.int64(4)}, step=2):
            C[0, 0] = v
        for i in range(3):
            for i_1 in range(3):
                C[i_1, i_1] = 1
            for j in range(4):
                C[i, i] = 1
        for i in range(3):
            for j in range(i):
                C[i, j] = 1
        for C_1 in T.parallel(3):
            for v in T.unroll(1, 3):
                with T.attr({"z": 1, "b": "s"}):
                    C[0, 0] = C_1
                x: T.let[T.int32] = v + 1
                y: T.let[T.int32] = x + 1
                C[0, 0] = x
                if v < 3:
                    T.evaluate(0)
                else:
                    T.attr({"pragma": T.int64(4), "pragma2": k})
                    T.evaluate(v + y)
                    T.evaluate(v)
        for v in T.serial(16, unroll=1):
            C[v, 0] = 1
        for v in range(wide):
            C[0, 0] = 1
        for v in range(k, k + 8):
            C[0, 0] = 1
        for v in range(T.int64(1), T.int64(8)):
            C[0, 0] = 1
        for i, j in T.grid(T.int64(2), wide):
            C[0, 0] = 1
        for v in T.vectorized(4):
            C[0, v] = 1
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for ty in T.thread_binding(1, 3, thread="threadIdx.y", annotations={"a": 1}):
                if tx < 3 and ty < 2:
                    C[0, tx] = 1

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((), "float32")):
        A[()] = T.float32(1.5)
