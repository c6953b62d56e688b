"""Triton kernels on Wavemark. Left out, and said so, where Triton or numpy is not installed."""

import unittest

try:
    import numpy as np
    import triton
    import triton.language as tl
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
        wavemark.triton.use("gfx950")
        source = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
        target = np.zeros((64, 64), dtype=np.float32)
        described = [
            TensorDescriptor(tensor(array), list(array.shape), [array.shape[1], 1], [32, 64])
            for array in (source, target)
        ]
        copy_tile[(1,)](*described, M=32, N=64)
        np.testing.assert_array_equal(target[32:], source[:32, 64:])
        self.assertFalse(target[:32].any())

    def test_findings_are_errors(self):
        wavemark.triton.use("gfx950")
        out = np.zeros(100, dtype=np.float32)
        with self.assertRaises(wavemark.triton.Findings) as caught:
            add[(1,)](tensor(out), tensor(out), tensor(out), 256, BLOCK=256)
        (rule,) = {finding.kind for finding in caught.exception.report.errors}
        self.assertEqual(rule, "out-of-bounds")
        self.assertIn("test_triton.py", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
