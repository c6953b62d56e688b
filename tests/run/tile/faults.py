from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def outside(a: T.handle, n: T.int32):
        m = T.int32()
        A = T.match_buffer(a, (m,), "float32")
        for i in range(n):
            A[i] = A[i] + T.float32(1)

    @T.prim_func(s_tir=True)
    def opaque():
        T.evaluate(T.call_extern("int32", "consume", 1))

    @T.prim_func(s_tir=True)
    def threads(A: T.Buffer((8,), "int32")):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                A[bx * 4 + tx] = bx * 10 + tx
