"""TVM's pipelines by Wavemark. Left out, and said so, where TVM or numpy is not installed."""

import logging
import os
import shutil
import tempfile
import unittest

try:
    import numpy as np
    import tvm
    from tvm import s_tir, tirx
    from tvm.script import tirx as T

    import wavemark
    import wavemark.tvm
except ImportError as error:
    raise unittest.SkipTest(f"{error}") from None

PIPELINES = [("llvm", "local")]
"""A target that runs here, and the scope of buffers that it knows."""
if shutil.which("g++") or shutil.which("clang++"):
    PIPELINES.append(("c", "shared"))


def two_stages(scope, stages=(0, 1), order=(0, 1), asynchronous=()):
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
        for row in range(16):
            for i in T.serial(0, 16, annotations={"software_pipeline_stage": list(stages), "software_pipeline_order": list(order), "software_pipeline_async_stages": list(asynchronous)}):
                with T.sblock("body"):
                    T.reads(A[row, i])
                    T.writes(C[row, i])
                    B = T.sblock_alloc_buffer((16, 1), dtype="float32", scope=scope)
                    with T.sblock("produce"):
                        T.reads(A[row, i])
                        T.writes(B[row, 0])
                        B[row, 0] = A[row, i] * T.float32(2)
                    with T.sblock("consume"):
                        T.reads(B[row, 0])
                        T.writes(C[row, i])
                        C[row, i] = B[row, 0] + T.float32(1)

    return main


def chain(scope, stages, asynchronous):
    """Three statements one after the other."""

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((20,), "float32"), D: T.Buffer((20,), "float32")):
        for i in T.serial(0, 20, annotations={"software_pipeline_stage": list(stages), "software_pipeline_order": [0, 1, 2], "software_pipeline_async_stages": list(asynchronous)}):
            with T.sblock("body"):
                T.reads(A[i])
                T.writes(D[i])
                B = T.sblock_alloc_buffer((1,), dtype="float32", scope=scope)
                C = T.sblock_alloc_buffer((1,), dtype="float32", scope=scope)
                with T.sblock("first"):
                    T.reads(A[i])
                    T.writes(B[0])
                    B[0] = A[i] * T.float32(3)
                with T.sblock("second"):
                    T.reads(B[0])
                    T.writes(C[0])
                    C[0] = B[0] - T.float32(1)
                with T.sblock("third"):
                    T.reads(C[0])
                    T.writes(D[i])
                    D[i] = C[0] * C[0]

    return main


def two_producers(scope, order, stages=(0, 0, 3), asynchronous=(0,)):
    """Where the order puts the consumer between the producers, TVM waits for too little."""

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
        for i in T.serial(0, 16, annotations={"software_pipeline_stage": list(stages), "software_pipeline_order": list(order), "software_pipeline_async_stages": list(asynchronous)}):
            with T.sblock("body"):
                T.reads(A[i], B[i])
                T.writes(C[i])
                left = T.sblock_alloc_buffer((1,), dtype="float32", scope=scope)
                right = T.sblock_alloc_buffer((1,), dtype="float32", scope=scope)
                with T.sblock("left"):
                    T.reads(A[i])
                    T.writes(left[0])
                    left[0] = A[i]
                with T.sblock("right"):
                    T.reads(B[i])
                    T.writes(right[0])
                    right[0] = B[i]
                with T.sblock("sum"):
                    T.reads(left[0], right[0])
                    T.writes(C[i])
                    C[i] = left[0] - right[0]

    return main


def dynamic(scope, first=0):
    """As many iterations as the arguments have rows."""

    @T.prim_func(s_tir=True)
    def main(a: T.handle, c: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, 4), "float32")
        C = T.match_buffer(c, (n, 4), "float32")
        for i in T.serial(first, n, annotations={"software_pipeline_stage": [0, 2], "software_pipeline_order": [0, 1], "software_pipeline_async_stages": [0]}):
            with T.sblock("body"):
                T.reads(A[i, 0:4])
                T.writes(C[i, 0:4])
                B = T.sblock_alloc_buffer((4,), dtype="float32", scope=scope)
                for j in range(4):
                    with T.sblock("produce"):
                        T.reads(A[i, j])
                        T.writes(B[j])
                        B[j] = A[i, j] * T.float32(2)
                for j in range(4):
                    with T.sblock("consume"):
                        T.reads(B[j])
                        T.writes(C[i, j])
                        C[i, j] = B[j] + T.float32(1)

    return main


def nested(scope):
    """A product of tiles: copies to `scope` in the outer pipeline, from there to `local` in the inner one."""

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 64), "float32"), B: T.Buffer((64, 8), "float32"), C: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            with T.sblock("zero"):
                T.reads()
                T.writes(C[i, j])
                C[i, j] = T.float32(0)
        for outer in T.serial(0, 8, annotations={"software_pipeline_stage": [0, 0, 2, 3, 3], "software_pipeline_order": [0, 1, 2, 3, 4], "software_pipeline_async_stages": [0]}):
            with T.sblock("tile"):
                T.reads(A[0:8, outer * 8 : outer * 8 + 8], B[outer * 8 : outer * 8 + 8, 0:8], C[0:8, 0:8])
                T.writes(C[0:8, 0:8])
                left = T.sblock_alloc_buffer((8, 8), dtype="float32", scope=scope)
                right = T.sblock_alloc_buffer((8, 8), dtype="float32", scope=scope)
                for i, k in T.grid(8, 8):
                    with T.sblock("copy_left"):
                        T.reads(A[i, outer * 8 + k])
                        T.writes(left[i, k])
                        left[i, k] = A[i, outer * 8 + k]
                for k, j in T.grid(8, 8):
                    with T.sblock("copy_right"):
                        T.reads(B[outer * 8 + k, j])
                        T.writes(right[k, j])
                        right[k, j] = B[outer * 8 + k, j]
                for inner in T.serial(0, 8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
                    with T.sblock("step"):
                        T.reads(left[0:8, inner], right[inner, 0:8], C[0:8, 0:8])
                        T.writes(C[0:8, 0:8])
                        column = T.sblock_alloc_buffer((8,), dtype="float32")
                        for i in range(8):
                            with T.sblock("fetch"):
                                T.reads(left[i, inner])
                                T.writes(column[i])
                                column[i] = left[i, inner]
                        for i, j in T.grid(8, 8):
                            with T.sblock("add"):
                                T.reads(column[i], right[inner, j], C[i, j])
                                T.writes(C[i, j])
                                C[i, j] = C[i, j] + column[i] * right[inner, j]

    return main


def with_num_stages(scope, count, width=8):
    """A loop that says no more than how many stages it wants."""

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, width), "float32"), C: T.Buffer((16, width), "float32")):
        for i in T.serial(0, 16, annotations={"num_stages": count}):
            with T.sblock("body"):
                T.reads(A[i, 0:width])
                T.writes(C[i, 0:width])
                B = T.sblock_alloc_buffer((width,), dtype="float32", scope=scope)
                for j in range(width):
                    with T.sblock("copy"):
                        T.reads(A[i, j])
                        T.writes(B[j])
                        B[j] = A[i, j]
                for j in range(width):
                    with T.sblock("compute"):
                        T.reads(B[j])
                        T.writes(C[i, j])
                        C[i, j] = B[j] * B[j]

    return main


def module_of(function, **others):
    return tvm.IRModule({"main": function, **others})


def own_pipeline(*inject):
    """A pipeline as programs have their own: what makes C or LLVM of blocks, with or without a pass for pipelines."""

    def pipeline():
        passes = [
            s_tir.transform.CanonicalizeLoop(),
            s_tir.transform.LowerInitBlock(),
            s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
            s_tir.transform.ConvertBlocksToOpaque(),
            s_tir.transform.CompactBufferAllocation(),
            s_tir.transform.LowerMatchBuffer(),
            *inject,
            s_tir.transform.LowerOpaqueBlock(),
            tirx.transform.FlattenBuffer(),
            tirx.transform.StmtSimplify(),
            tirx.transform.UnrollLoop(),
            tirx.transform.RemoveNoOp(),
            tirx.transform.AnnotateEntryFunc(),
            tirx.transform.SplitHostDevice(),
            tirx.transform.MakePackedAPI(),
        ]
        finish = [tirx.transform.LowerTVMBuiltin(), tirx.transform.LowerIntrin()]
        sequential = tvm.ir.transform.Sequential
        return sequential(passes), lambda: sequential(finish), lambda: sequential(finish)

    return pipeline


def run(module, target, pipeline, arguments):
    """What the module, built with a pipeline, makes of arrays."""
    if pipeline is None:
        built = tirx.build(module, target=target)
    else:
        tirx.register_tir_pipeline("own", pipeline)
        built = tirx.build(module, target=target, pipeline="own")
    if target == "c":
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "module.so")
            built.export_library(library)
            return call(tvm.runtime.load_module(library), arguments)
    return call(built, arguments)


def call(built, arguments):
    tensors = [tvm.runtime.tensor(array) for array in arguments]
    built["main"](*tensors)
    return [tensor.numpy() for tensor in tensors]


def arrays(*shapes):
    random = np.random.default_rng(1)
    return [random.standard_normal(shape).astype("float32") for shape in shapes]


class Pass(unittest.TestCase):
    def same(self, make, *shapes):
        """A program and its pipelined twin make the same of the same, however they are built."""
        for target, scope in PIPELINES:
            module, arguments = module_of(make(scope)), arrays(*shapes)
            expected = run(module, target, own_pipeline(), arguments)
            ours = wavemark.tvm.InjectSoftwarePipeline()
            self.assertNotEqual(ours(module).script(), module.script())
            found = run(module, target, own_pipeline(ours), arguments)
            for one, other in zip(expected, found):
                np.testing.assert_array_equal(one, other)
            report = wavemark.tvm.check(ours(module))
            self.assertFalse(report.errors, report)

    def test_two_stages(self):
        self.same(two_stages, (16, 16), (16, 16))
        self.same(lambda scope: two_stages(scope, (0, 1), (1, 0)), (16, 16), (16, 16))

    def test_three_stages(self):
        self.same(lambda scope: two_stages(scope, (0, 2)), (16, 16), (16, 16))
        self.same(lambda scope: chain(scope, (0, 1, 2), ()), (20,), (20,))

    def test_asynchronous_stages(self):
        self.same(lambda scope: two_stages(scope, (0, 2), asynchronous=[0]), (16, 16), (16, 16))
        self.same(lambda scope: chain(scope, (0, 1, 2), (0, 1)), (20,), (20,))
        self.same(lambda scope: chain(scope, (0, 2, 3), (0,)), (20,), (20,))

    def test_several_producers(self):
        for order in ((0, 1, 2), (0, 2, 1)):
            self.same(lambda scope: two_producers(scope, order), (16,), (16,), (16,))
        self.same(lambda scope: two_producers(scope, (0, 1, 2), (0, 1, 3), (0, 1)), (16,), (16,), (16,))

    def test_nested(self):
        self.same(nested, (8, 64), (64, 8), (8, 8))

    def test_dynamic_extents(self):
        for rows in (0, 1, 2, 3, 17):
            self.same(dynamic, (rows, 4), (rows, 4))
        self.same(lambda scope: dynamic(scope, 3), (9, 4), (9, 4))

    def test_num_stages_alone(self):
        for count in (2, 3):
            self.same(lambda scope: with_num_stages(scope, count), (16, 8), (16, 8))

    def test_in_a_pipeline_of_tvm(self):
        """TVM's own pipeline, which takes our pass while it is said to."""
        if ("c", "shared") not in PIPELINES:
            self.skipTest("there is no compiler for C++")
        module, (a, b) = module_of(two_producers("shared", (0, 2, 1))), arrays((16,), (16,))
        seen = []
        theirs = s_tir.transform.InjectSoftwarePipeline
        with wavemark.tvm.use(), tvm.transform.PassContext(instruments=[_names(seen)()]):
            *_, found = run(module, "c", None, [a, b, np.zeros(16, "float32")])
        self.assertIs(s_tir.transform.InjectSoftwarePipeline, theirs)
        self.assertIn("wavemark.InjectSoftwarePipeline", seen)
        self.assertNotIn("s_tir.InjectSoftwarePipeline", seen)
        np.testing.assert_array_equal(found, a - b)

    def test_the_rest_of_a_module_stays(self):
        """Attributes of the function, other functions, and what TVM says of the module."""

        @T.prim_func(s_tir=True)
        def other(A: T.Buffer((4,), "float32")):
            for i in range(4):
                with T.sblock("other"):
                    T.reads()
                    T.writes(A[i])
                    A[i] = T.float32(1)

        target = tvm.target.Target("llvm")
        function = two_stages("global").with_attr("target", target).with_attr("tirx.noalias", True)
        module = module_of(function, other=other).with_attr("mine", "kept")
        changed = wavemark.tvm.InjectSoftwarePipeline()(module)
        self.assertEqual(changed["main"].attrs["target"], target)
        self.assertEqual(changed["main"].attrs["tirx.noalias"], True)
        self.assertTrue(changed["other"].same_as(module["other"]))
        self.assertEqual(changed.attrs["mine"], "kept")
        self.assertEqual({name.name_hint for name in changed.functions}, {"main", "other"})
        asking_for_nothing = module_of(other)
        self.assertTrue(wavemark.tvm.InjectSoftwarePipeline()(asking_for_nothing)["main"].same_as(asking_for_nothing["main"]))

    def test_notes_are_logged_with_their_place(self):
        with self.assertLogs("wavemark.tvm", logging.INFO) as logged:
            wavemark.tvm.InjectSoftwarePipeline()(module_of(two_stages("shared", (0, 2))))
        line = _line_of("for i in T.serial(0, 16, annotations={\"software_pipeline_stage\": list(stages)")
        text = "\n".join(logged.output)
        self.assertIn(f"{__file__}:{line}:13: loop `i`: 3 versions of `B`", text)

    def test_a_refusal_is_a_diagnostic_of_tvm(self):
        with self.assertRaises(tvm.error.DiagnosticError) as raised:
            wavemark.tvm.InjectSoftwarePipeline()(module_of(two_stages("shared", (1, 0))))
        text = str(raised.exception)
        self.assertTrue(text.startswith("error: "), text)
        self.assertIn(f"--> {__file__}:", text)
        self.assertIn("`consume`", text)

    def test_places_after_other_passes(self):
        """TVM forgets where blocks were; a block is where its first statement is."""
        module = s_tir.transform.ConvertBlocksToOpaque()(module_of(two_stages("shared", (1, 0))))
        with self.assertRaises(tvm.error.DiagnosticError) as raised:
            wavemark.tvm.InjectSoftwarePipeline()(module)
        self.assertIn(f"--> {__file__}:", str(raised.exception))

    def test_options(self):
        with self.assertRaisesRegex(ValueError, "gfx0"):
            wavemark.tvm.InjectSoftwarePipeline(target="gfx0")
        large = module_of(with_num_stages("shared", 6, 8192))
        wavemark.tvm.InjectSoftwarePipeline()(large)
        with self.assertRaisesRegex(tvm.error.DiagnosticError, "196608 bytes of LDS, gfx950 has 163840"):
            wavemark.tvm.InjectSoftwarePipeline(target="gfx950")(large)
        two_queues = module_of(two_producers("shared", (0, 1, 2), (0, 1, 3), (0, 1)))
        wavemark.tvm.InjectSoftwarePipeline()(two_queues)
        with self.assertRaisesRegex(tvm.error.DiagnosticError, "depends on two asynchronous stages"):
            wavemark.tvm.InjectSoftwarePipeline(tvm_compatible=True)(two_queues)


class Check(unittest.TestCase):
    def test_a_wait_of_tvm_that_is_too_weak(self):
        """TVM's pass merges the commits of the prologue and counts as if it had not."""
        module = s_tir.transform.InjectSoftwarePipeline()(module_of(two_producers("shared", (0, 2, 1))))
        report = wavemark.tvm.check(module)
        self.assertFalse(report.ok)
        for finding, producer in zip(report.errors, ("left[0] = A[i]", "right[0] = B[i]"), strict=True):
            self.assertEqual((finding.rule, finding.kind), ("A1", "missing-wait"))
            self.assertIn("async_wait_inflight_count 3 instead of 5", finding.hint)
            where = [site["source"] for site in finding.sites[:2]]
            self.assertEqual(where, [f"{__file__}:{_line_of(text)}:21" for text in (producer, "C[i] = left[0]")])
        self.assertEqual(report.kernel, "main")
        ours = wavemark.tvm.check(wavemark.tvm.InjectSoftwarePipeline()(module_of(two_producers("shared", (0, 2, 1)))))
        self.assertTrue(ours.ok, ours)
        self.assertEqual(ours.outcome, "clean")

    def test_what_would_run_is_checked(self):
        report = wavemark.tvm.check(module_of(dynamic("shared")))
        self.assertTrue(report.ok, report)
        self.assertIn("what is checked is the result", str(report))
        self.assertIn("n in", str(report))

    def test_nothing_asynchronous(self):
        self.assertEqual(wavemark.tvm.check(module_of(two_stages("shared"))).outcome, "nothing-to-check")

    def test_what_cannot_be_read(self):
        @T.prim_func(s_tir=True)
        def main(A: T.Buffer((4,), "float32x4")):
            for i in range(4):
                with T.sblock("body"):
                    T.reads()
                    T.writes(A[i])
                    A[i] = T.broadcast(T.float32(1), 4)

        with self.assertRaises(wavemark.Unsupported) as raised:
            wavemark.tvm.check(module_of(main))
        self.assertIn("float32x4", str(raised.exception))


class Plan(unittest.TestCase):
    def test_num_stages_alone(self):
        planned = wavemark.tvm.plan(module_of(with_num_stages("shared", 3)))
        (loop,) = planned.loops
        self.assertEqual((loop.function, loop.name, loop.num_stages), ("main", "i", 3))
        self.assertEqual((loop.stages, loop.order, loop.async_stages), ([0, 2], [0, 1], [0]))
        self.assertEqual([tuple(one) for one in loop.versions], [("B", 3)])
        self.assertEqual((loop.lds_bytes_before, loop.lds_bytes_after), (32, 96))
        line = _line_of('for i in T.serial(0, 16, annotations={"num_stages"')
        self.assertTrue(str(planned).startswith(f"{__file__}:{line}:9: loop `i`, num_stages 3"), str(planned))
        # TVM's own pass takes it from here.
        theirs = s_tir.transform.InjectSoftwarePipeline()(planned.module)
        self.assertIn("async_commit_queue_scope", theirs.script())
        self.assertTrue(wavemark.tvm.check(theirs).ok)

    def test_pictures(self):
        planned = wavemark.tvm.plan(module_of(with_num_stages("shared", 2)))
        (picture,) = planned.pictures
        self.assertEqual(picture.title, "main")
        self.assertEqual(planned._repr_svg_(), picture.svg)
        self.assertTrue(picture.svg.startswith("<svg"), picture.svg[:40])
        theirs = s_tir.transform.InjectSoftwarePipeline()(module_of(two_stages("shared", (0, 1), asynchronous=[0])))
        self.assertIn("<svg", wavemark.tvm.pictures(theirs)[0].svg)

    def test_nothing_to_plan(self):
        planned = wavemark.tvm.plan(module_of(two_stages("shared")))
        self.assertEqual((planned.loops, planned._repr_svg_()), ([], None))
        self.assertEqual(str(planned), "no loop has `num_stages` alone")

    def test_what_cannot_overlap(self):
        @T.prim_func(s_tir=True)
        def main(A: T.Buffer((16,), "float32")):
            for i in T.serial(1, 15, annotations={"num_stages": 2}):
                with T.sblock("body"):
                    T.reads(A[i - 1])
                    T.writes(A[i])
                    A[i] = A[i - 1] + T.float32(1)

        with self.assertRaises(wavemark.Error) as raised:
            wavemark.tvm.plan(module_of(main))
        self.assertIn(f"--> {__file__}:", str(raised.exception))


def _names(seen):
    @tvm.instrument.pass_instrument
    class Names:
        def run_before_pass(self, module, info):
            seen.append(str(info.name))

    return Names


def _line_of(text):
    """The first line of this file that has a text."""
    with open(__file__) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


if __name__ == "__main__":
    unittest.main()
