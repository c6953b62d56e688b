"""Triton kernels on Wavemark. Left out, and said so, where Triton or numpy is not installed."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from importlib.metadata import entry_points

try:
    import numpy as np
    import triton
    import triton.language as tl
    from triton import knobs
    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl
    from triton.tools.tensor_descriptor import TensorDescriptor

    import wavemark.triton
    from wavemark.triton import tensor
except ImportError as error:
    raise unittest.SkipTest(f"{error}") from None

TARGETS = ["gfx950", "gfx1250", "gfx942", "gfx1100", "gfx1201"]


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def scale(x, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at) * factor)


@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for step in range(0, K, BLOCK_K):
        left = tl.load(a + rows[:, None] * K + step + k[None, :])
        right = tl.load(b + (step + k)[:, None] * N + columns[None, :])
        sums += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def copy_tile(source, target, M: tl.constexpr, N: tl.constexpr):
    target.store([M, 0], source.load([0, N]))


@gluon.jit
def doubled(x, y, n: gl.constexpr, lanes: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [lanes], [4], [0])
    at = gl.arange(0, n, layout=layout)
    gl.store(y + at, gl.load(x + at) * 2)


@triton.jit
def printing(x):
    tl.device_print("x =", tl.load(x + tl.arange(0, 8)))


@triton.jit
def asserting(x):
    tl.device_assert(tl.load(x + tl.arange(0, 8)) < 5, "too large")


@triton.jit
def meet(arrived, out, count):
    tl.atomic_add(arrived, 1, sem="release")
    while tl.atomic_cas(arrived, count, count) < count:
        pass
    tl.store(out + tl.program_id(0), tl.atomic_cas(arrived, count, count))


@triton.jit
def loaded(x, at):
    return tl.load(x + at)


@triton.jit
def through_a_function(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, loaded(x, at) + 1, mask=at < 64)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 256})], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


class Triton(unittest.TestCase):
    def test_elementwise(self):
        random = np.random.default_rng(1)
        x, y = (random.random(1000, dtype=np.float32) for _ in range(2))
        for target in TARGETS:
            with self.subTest(target):
                wavemark.triton.use(target)
                out = np.zeros(1000, dtype=np.float32)
                add[(4,)](tensor(x), tensor(y), tensor(out), 1000, BLOCK=256)
                np.testing.assert_array_equal(out, x + y)
                (report,) = wavemark.triton.reports()
                self.assertTrue(report.ok, report)
                self.assertTrue(report.data["target"].startswith(target), report)

    def test_views_and_scalars(self):
        wavemark.triton.use("gfx950", completion="early")
        x = np.ones((4, 256), dtype=np.float32)
        scale[(1,)](tensor(x[2]), 2.5, BLOCK=256)
        self.assertEqual(x.sum(axis=1).tolist(), [256, 256, 640, 256])

    def test_products(self):
        random = np.random.default_rng(2)
        a = random.random((32, 128), dtype=np.float32).astype(np.float16)
        b = random.random((128, 32), dtype=np.float32).astype(np.float16)
        for target in TARGETS:
            with self.subTest(target):
                wavemark.triton.use(target, completion="random", seed=3)
                c = np.zeros((32, 32), dtype=np.float32)
                matmul[(1,)](tensor(a), tensor(b), tensor(c), 128, M=32, N=32, BLOCK_K=32, num_stages=2)
                np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3)

    def test_autotuning_is_the_same_every_time(self):
        for _ in range(2):
            wavemark.triton.use("gfx950", autotune="cost")
            tuned.cache.clear()
            x, out = np.arange(512, dtype=np.int32), np.zeros(512, dtype=np.int32)
            tuned[lambda meta: (triton.cdiv(512, meta["BLOCK"]),)](tensor(x), tensor(out), 512)
            self.assertEqual(out.tolist(), list(range(1, 513)))
            self.assertEqual(tuned.best_config.kwargs["BLOCK"], 256)

    def test_gluon(self):
        for target, lanes in [("gfx950", 64), ("gfx1250", 32)]:
            with self.subTest(target):
                wavemark.triton.use(target)
                x, y = np.arange(512, dtype=np.float32), np.zeros(512, dtype=np.float32)
                doubled[(1,)](tensor(x), tensor(y), 512, lanes, num_warps=4)
                np.testing.assert_array_equal(y, 2 * x)

    def test_descriptors(self):
        for target in ("gfx950", "gfx1250"):
            with self.subTest(target):
                wavemark.triton.use(target)
                self.copy_a_tile()

    def copy_a_tile(self):
        source = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
        target = np.zeros((64, 64), dtype=np.float32)
        described = [
            TensorDescriptor(tensor(array), list(array.shape), [array.shape[1], 1], [32, 64])
            for array in (source, target)
        ]
        copy_tile[(1,)](*described, M=32, N=64)
        np.testing.assert_array_equal(target[32:], source[:32, 64:])
        self.assertFalse(target[:32].any())

    def test_autotuning_takes_the_first_that_fits(self):
        wavemark.triton.use("gfx950")
        tuned.cache.clear()
        x, out = np.arange(512, dtype=np.int32), np.zeros(512, dtype=np.int32)
        tuned[lambda meta: (triton.cdiv(512, meta["BLOCK"]),)](tensor(x), tensor(out), 512)
        self.assertEqual((tuned.best_config.kwargs["BLOCK"], len(wavemark.triton.reports())), (64, 1))

    def test_work_that_is_copied_to_all_waves(self):
        for target in TARGETS:
            with self.subTest(target):
                wavemark.triton.use(target)
                x = np.ones(16, dtype=np.float32)
                scale[(1,)](tensor(x), 2.5, BLOCK=16)
                self.assertEqual(x.tolist(), [2.5] * 16)

    def test_printing_and_assertions(self):
        for target in ("gfx950", "gfx1250", "gfx1100"):
            with self.subTest(target):
                wavemark.triton.use(target)
                x, out = np.arange(8, dtype=np.int32), io.StringIO()
                with contextlib.redirect_stdout(out):
                    printing[(1,)](tensor(x))
                self.assertRegex(out.getvalue(), r"pid \(0, 0, 0\) idx \(5\) x =: 5\n")
                err = io.StringIO()
                with contextlib.redirect_stderr(err), self.assertRaises(wavemark.triton.Findings) as caught:
                    asserting[(1,)](tensor(x), debug=True)
                (finding,) = caught.exception.report.findings
                self.assertRegex(finding.title, "an assertion fails: .*'too large'.*test_triton.py")
                self.assertIn("test_triton.py", finding.sites[0]["source"])

    def test_cooperative_grids(self):
        wavemark.triton.use("gfx950")
        arrived, out = np.zeros(1, dtype=np.int32), np.zeros(8, dtype=np.int32)
        meet[(8,)](tensor(arrived), tensor(out), 8, launch_cooperative_grid=True)
        self.assertEqual(out.tolist(), [8] * 8)
        with self.assertRaisesRegex(RuntimeError, "a cooperative grid"):
            meet[(1024,)](tensor(arrived), tensor(out), 8, launch_cooperative_grid=True)

    def test_clusters(self):
        wavemark.triton.use("gfx1250")
        x, out = np.arange(512, dtype=np.int32), np.zeros(512, dtype=np.int32)
        add[(2,)](tensor(x), tensor(x), tensor(out), 512, BLOCK=256, num_ctas=2)
        self.assertEqual(out.tolist(), (2 * x).tolist())

    def test_hooks(self):
        told = []
        wavemark.triton.use("gfx950")
        knobs.runtime.launch_enter_hook.add(lambda data: told.append(data.get()["name"]))
        try:
            x = np.ones(16, dtype=np.float32)
            scale[(1,)](tensor(x), 2.5, BLOCK=16)
        finally:
            knobs.runtime.launch_enter_hook.calls.clear()
        self.assertEqual(told, ["scale"])

    def test_callers_and_hints(self):
        wavemark.triton.use("gfx950")
        with self.assertRaises(wavemark.triton.Findings) as caught:
            through_a_function[(1,)](tensor(np.zeros(64, dtype=np.float32)), BLOCK=128)
        text = str(caught.exception)
        self.assertIn("return tl.load(x + at)", text)
        self.assertIn("called at", text)
        self.assertIn("tl.store(x + at, loaded(x, at) + 1", text)
        self.assertIn("hint: in Triton: a mask", text)

    def test_findings_are_errors(self):
        wavemark.triton.use("gfx950")
        out = np.zeros(100, dtype=np.float32)
        with self.assertRaises(wavemark.triton.Findings) as caught:
            add[(1,)](tensor(out), tensor(out), tensor(out), 256, BLOCK=256)
        (rule,) = {finding.kind for finding in caught.exception.report.errors}
        self.assertEqual(rule, "out-of-bounds")
        self.assertIn("test_triton.py", str(caught.exception))


PROGRAM = """
import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends import Backend, backends
from triton.backends.driver import DriverBase


class Gpu(DriverBase):
    is_active = staticmethod(lambda: True)


Gpu.__abstractmethods__ = frozenset()
Gpu.__init__ = lambda self: None
if "gpu" in sys.argv:
    backends["amd"] = Backend(backends["amd"].compiler, Gpu)
print(type(triton.runtime.driver.active).__module__)


@triton.jit
def double(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * 2)


if "gpu" not in sys.argv:
    from wavemark.triton import tensor

    x, out = np.arange(64, dtype=np.int32), np.zeros(64, dtype=np.int32)
    double[(1,)](tensor(x), tensor(out), BLOCK=64)
    print(triton.runtime.driver.active.get_current_target().arch, (out == 2 * x).all())
"""


ASKING = ("WAVEMARK_ARCH", "TRITON_DEFAULT_BACKEND", "TRITON_LIBHIP_PATH")
"""What of the environment decides."""


class EntryPoint(unittest.TestCase):
    """Which driver Triton takes by itself, in processes of their own."""

    def run_program(self, *arguments, **environment):
        if not entry_points(group="triton.backends", name="wavemark"):
            self.skipTest("wavemark is not installed here")
        env = {name: value for name, value in os.environ.items() if name not in ASKING}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as file:
                file.write(PROGRAM)
            ran = subprocess.run(
                [sys.executable, path, *arguments], env=env | environment, capture_output=True, text=True, check=False
            )
        return ran.stdout.splitlines(), ran.stderr

    def test_the_environment_asks(self):
        for arch in ("gfx950", "gfx1250"):
            printed, _ = self.run_program(WAVEMARK_ARCH=arch)
            self.assertEqual(printed, ["wavemark.triton", f"{arch} True"])
        printed, _ = self.run_program(TRITON_DEFAULT_BACKEND="wavemark")
        self.assertEqual(printed, ["wavemark.triton", "gfx950 True"])

    def test_nobody_asks(self):
        printed, errors = self.run_program()
        self.assertEqual(printed, [])
        self.assertIn("0 active drivers", errors)

    def test_a_gpu_is_there(self):
        """It is Triton's driver, unless the environment names ours."""
        self.assertEqual(self.run_program("gpu")[0], ["__main__"])
        self.assertIn("2 active drivers", self.run_program("gpu", WAVEMARK_ARCH="gfx950")[1])
        runtime = {"WAVEMARK_ARCH": "gfx950", "TRITON_LIBHIP_PATH": "libamdhip64.so"}
        self.assertEqual(self.run_program("gpu", **runtime)[0], ["__main__"])
        both = {"WAVEMARK_ARCH": "gfx950", "TRITON_DEFAULT_BACKEND": "wavemark"}
        self.assertEqual(self.run_program("gpu", **both)[0], ["wavemark.triton"])

    def test_a_processor_that_is_none(self):
        self.assertIn("`gfx0` is not a known AMD GPU processor", self.run_program(WAVEMARK_ARCH="gfx0")[1])


if __name__ == "__main__":
    unittest.main()
