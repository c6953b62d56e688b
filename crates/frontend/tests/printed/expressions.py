# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "int32"), k: T.int32, wide: T.int64, b: T.bool, u: T.uint8, h: T.Buffer((4,), "float16")):
        for i, j in T.grid(16, 16):
            C[i, j] = (T.Cast("int32", A[i, j]) << 2) + (C[i, j] & 3) * (i | j) + (i ^ j)
            C[i, j] = 0 - ~i + (i >> 1) + T.truncmod(i, 2) + T.Div(i, j)
            C[i, j] = T.min(i, j * -1) + T.max(i * -3, 3) + i // j % 3 - (i - j) - (i + (j + 1)) + T.Select(i >= 0, i, 0 - i)
            C[i, j] = i // (j * 3) * 2 + i // j * 2
            C[i, j] = ~(k + 1) + (k & (k | 1) ^ 3) + (k >> 2 >> (k << 2))
        C[0, 0] = T.if_then_else(k < 3 and k > 2 or not k == 1, 1, 2)
        C[0, 0] = T.if_then_else(k < 3 and (k > 2 and not (k == 1 or k != 2)), 1, 2)
        C[0, 0] = T.if_then_else(1 < k and k < 4, 1, 2)
        C[0, 0] = T.Cast("int32", wide + T.int64(3))
        C[0, 0] = T.Cast("int32", u + T.uint8(3))
        C[0, 0] = T.Cast("int32", not T.bool(True))
        C[0, 0] = T.if_then_else(T.And(b, T.bool(True)), 1, 2)
        C[0, 0] = T.if_then_else(T.LT(1, 2), T.FloorDiv(4, 2), T.Add(k, 0))
        C[0, 0] = T.Div(k, 2) + T.Div(k, 1) + T.truncmod(k, 2)
        C[0, 0] = T.FloorMod(0, 2) + T.Mul(0, 4) + T.Sub(3, 3) + T.Mul(k, 1) + (0 - k)
        C[0, 0] = T.reinterpret("int32", T.float32(1.0)) + T.Cast("int32", T.likely(k < 3))
        A[0, 0] = T.exp(A[0, 0]) * T.float32(2.0) / T.sqrt(A[0, 0]) - T.float32(1.4999999999999999e-07) + T.float32(1000000000000000019884624838656.0)
        A[0, 0] = T.Cast("float32", (not b) == b)
        A[0, 0] = T.Cast("float32", (b or b) and (b or not b))
        A[0, 0] = T.Cast("float32", T.Or(T.bool(True), b))
        A[0, 0] = T.float32("inf")
        A[0, 0] = T.float32("-inf")
        A[0, 0] = T.float32("nan")
        A[0, 0] = T.float32(-0.0)
        A[0, 0] = T.float32(0.10000000000000001)
        A[0, 0] = T.Add(T.float32(1.5), T.float32(0.0))
        A[0, 0] = T.Mul(A[0, 0], T.float32(1.0))
        A[0, 0] = T.pow(A[0, 0], T.float32(2.0)) + T.floor(A[0, 0]) + T.sigmoid(A[0, 0]) + T.tanh(A[0, 0])
        A[0, 0] = T.call_extern("float32", "f", A[0, 0], A.data, 3, "s\"\\")
        h[0] = T.float16(1.0)
        T.tvm_storage_sync("shared", T.bool(False), -1)
        T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1))
        T.evaluate(k + 1)
