"""Triton kernels through AMD's own driver, unchanged, on the stand-in.

    TRITON_LIBHIP_PATH=…/libamdhip64.so WAVEMARK_ARCH=gfx950 python crates/hip/tests/triton_driver.py

AMD's driver asks PyTorch for device and stream; `Torch` answers in its place. Arrays are memory of `hipMalloc`.
"""

import ctypes
import os
import sys
import types
import unittest

import numpy as np


def torch() -> types.ModuleType:
    """What Triton's driver asks of PyTorch."""
    module = types.ModuleType("torch")
    stream = types.SimpleNamespace(cuda_stream=0)
    module.cuda = types.SimpleNamespace(
        is_available=lambda: True,
        get_device_capability=lambda device=0: (9, 5),
        current_device=lambda: 0,
        set_device=lambda device: None,
        current_stream=lambda device=0: stream,
    )
    module.Tensor = type("Tensor", (), {})
    module.version = types.SimpleNamespace(hip="7.1", cuda=None)
    return module


sys.modules["torch"] = torch()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

hip = ctypes.CDLL(os.environ["TRITON_LIBHIP_PATH"])


def must(code: int) -> None:
    hip.hipGetErrorString.restype = ctypes.c_char_p
    assert code == 0, hip.hipGetErrorString(code)


class Array:
    """A numpy array that has been copied to the device."""

    def __init__(self, values: np.ndarray):
        self.host = values
        self.dtype = values.dtype
        self.address = ctypes.c_uint64()
        must(hip.hipMalloc(ctypes.byref(self.address), ctypes.c_size_t(values.nbytes)))
        must(hip.hipMemcpy(self.address, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes), 1))

    def data_ptr(self) -> int:
        return self.address.value

    def back(self) -> np.ndarray:
        size = ctypes.c_size_t(self.host.nbytes)
        must(hip.hipMemcpy(ctypes.c_void_p(self.host.ctypes.data), self.address, size, 2))
        return self.host


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a + rows[:, None] * K + start + depth[None, :])
        right = tl.load(b + (start + depth)[:, None] * N + columns[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


class Driver(unittest.TestCase):
    def test_the_driver_is_amds(self):
        driver = triton.runtime.driver.active
        self.assertEqual(type(driver).__module__, "triton.backends.amd.driver")
        target = driver.get_current_target()
        self.assertEqual((target.backend, target.arch), ("hip", os.environ["WAVEMARK_ARCH"]))
        properties = driver.utils.get_device_properties(0)
        self.assertEqual(properties["arch"], os.environ["WAVEMARK_ARCH"])
        self.assertEqual(properties["warpSize"], target.warp_size)
        self.assertGreaterEqual(properties["max_shared_mem"], 65536)
        self.assertEqual(properties["multiprocessor_count"], 1)

    def test_elementwise(self):
        x = Array(np.arange(1000, dtype=np.float32))
        y = Array(np.ones(1000, dtype=np.float32))
        out = Array(np.zeros(1000, dtype=np.float32))
        add[(4,)](x, y, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out.back(), np.arange(1000) + 1)

    def test_products(self):
        generator = np.random.default_rng(1)
        left = generator.integers(-4, 4, (64, 128)).astype(np.float16)
        right = generator.integers(-4, 4, (128, 32)).astype(np.float16)
        c = Array(np.zeros((64, 32), dtype=np.float32))
        matmul[(1,)](Array(left), Array(right), c, 128, M=64, N=32, BLOCK_K=32)
        np.testing.assert_array_equal(c.back(), left.astype(np.float32) @ right.astype(np.float32))

    def test_what_is_no_device_memory_is_refused(self):
        class Foreign:
            dtype = np.dtype(np.float32)

            def data_ptr(self) -> int:
                return np.zeros(4).ctypes.data

        out = Array(np.zeros(256, dtype=np.float32))
        with self.assertRaisesRegex(ValueError, "cannot be accessed"):
            add[(1,)](Foreign(), out, out, 256, BLOCK=256)


if __name__ == "__main__":
    unittest.main()
