# interleaved.py after a pass that merges the two commits where no consumer stands between them, which is in the
# prologue: TVM 0.27 does. Three groups where there should be six, so `wait 5` lets the first two iterations read tiles
# that are still in flight. `wavemark check` says so.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((16, 32), "float32"), Y: T.Buffer((16, 32), "float32"), Z: T.Buffer((16, 32), "float32")):
        with T.sblock("pipeline"):
            x = T.sblock_alloc_buffer((4, 32), scope="shared")
            y = T.sblock_alloc_buffer((4, 32), scope="shared")
            for i in T.unroll(3):
                with T.attr({"async_commit_queue_scope": 0}):
                    with T.attr({"async_scope": 1}):
                        for j in range(32):
                            with T.sblock("fetch_x"):
                                x[i, j] = X[i, j]
                    with T.attr({"async_scope": 1}):
                        for j in range(32):
                            with T.sblock("fetch_y"):
                                y[i, j] = Y[i, j]
            for i in range(13):
                with T.attr({"async_commit_queue_scope": 0, "async_scope": 1}):
                    for j in range(32):
                        with T.sblock("fetch_x"):
                            x[(i + 3) % 4, j] = X[i + 3, j]
                with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 5}):
                    for j in range(32):
                        with T.sblock("add"):
                            Z[i, j] = x[i % 4, j] + y[i % 4, j]
                with T.attr({"async_commit_queue_scope": 0, "async_scope": 1}):
                    for j in range(32):
                        with T.sblock("fetch_y"):
                            y[(i + 3) % 4, j] = Y[i + 3, j]
            for i in T.unroll(3):
                with T.attr({"async_wait_queue_scope": 0, "async_wait_inflight_count": 4 - 2 * i}):
                    for j in range(32):
                        with T.sblock("add"):
                            Z[i + 13, j] = x[(i + 13) % 4, j] + y[(i + 13) % 4, j]
