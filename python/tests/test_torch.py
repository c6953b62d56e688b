"""torch's `cuda` without a GPU. Left out, and said so, where torch, Triton or numpy is not installed."""

import gc
import unittest

try:
    import numpy as np
    import torch
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor

    import wavemark.torch
    import wavemark.triton
except ImportError as error:
    raise unittest.SkipTest(f"{error}") from None


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def sum_of(pointers, out, count, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for index in range(count):
        source = tl.load(pointers + index).to(tl.pointer_type(tl.float32))
        sums += tl.load(source + at, mask=at < n, other=0.0)
    tl.store(out + at, sums, mask=at < n)


@triton.jit
def copy_tile(source, target, M: tl.constexpr, N: tl.constexpr):
    target.store([M, 0], source.load([0, N]))


class Square(torch.autograd.Function):
    """A function whose backward launches a kernel, as those of kernel packages do."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(context, upstream):
        (x,) = context.saved_tensors
        twice = torch.empty(x.shape, device=x.device)
        assert x.is_cuda and upstream.is_cuda and twice.is_cuda
        add[(1,)](x, x, twice, x.numel(), BLOCK=256)
        return twice * upstream


class Torch(unittest.TestCase):
    def setUp(self):
        here = wavemark.torch.cuda_is_here("gfx950")
        here.__enter__()
        self.addCleanup(here.__exit__, None, None, None)
        wavemark.triton.use("gfx950")

    def test_where_tensors_are(self):
        x = torch.randn(8, device="cuda")
        self.assertEqual((x.device, x.is_cuda, x.get_device()), (torch.device("cuda:0"), True, 0))
        host = x.cpu()
        self.assertEqual((host.device.type, host.is_cuda, host.get_device()), ("cpu", False, -1))
        self.assertTrue((host + 1).is_cpu and (x + 1).is_cuda and (x + 1)[2:].is_cuda)
        self.assertIs(x.cuda(), x)
        self.assertIs(host.to("cpu"), host)
        host[0] = 7
        self.assertNotEqual(x[0].item(), 7)
        self.assertTrue(torch.from_numpy(np.zeros(3)).is_cpu)
        self.assertTrue(torch.from_numpy(np.zeros(3)).to("cuda").is_cuda)
        self.assertTrue(torch.zeros(3, device=0).is_cuda and torch.zeros(3).is_cpu)
        self.assertTrue(torch.nn.Linear(2, 2).weight.is_cpu and torch.nn.Linear(2, 2).cuda().weight.is_cuda)
        self.assertTrue(torch.nn.Linear(2, 2, device="cuda").weight.is_cuda)
        with torch.device("cuda"):
            self.assertTrue(torch.zeros(3).is_cuda)
        torch.testing.assert_close(x.cpu() * 2, (x * 2).to("cpu"))
        with self.assertRaises(AssertionError):
            torch.testing.assert_close(x, x.cpu())

    def test_launches(self):
        x, y = torch.randn(1000, device="cuda"), torch.randn(1000).cuda()
        out = torch.empty_like(x)
        add[(4,)](x, y, out, 1000, BLOCK=256)
        torch.testing.assert_close(out, x + y)
        add[(4,)](x[500:], x, x, 500, BLOCK=256)
        with self.assertRaisesRegex(ValueError, "cpu tensor"):
            add[(4,)](x.cpu(), y, out, 1000, BLOCK=256)

    def test_addresses_in_tensors(self):
        parts = [torch.randn(100, device="cuda") for _ in range(3)]
        pointers = torch.tensor([part.data_ptr() for part in parts], device="cuda")
        out = torch.empty(100, device="cuda")
        sum_of[(1,)](pointers, out, 3, 100, BLOCK=128)
        torch.testing.assert_close(out, sum(parts))
        self.assertEqual(parts[0][10:].data_ptr(), parts[0].data_ptr() + 40)
        del parts
        gc.collect()
        with self.assertRaises(wavemark.triton.Findings) as caught:
            sum_of[(1,)](pointers, out, 3, 100, BLOCK=128)
        self.assertIn("freed", str(caught.exception))

    def test_descriptors(self):
        for target in ("gfx950", "gfx1250"):
            with self.subTest(target), wavemark.torch.cuda_is_here(target):
                wavemark.triton.use(target)
                source = torch.randn(64, 128, device="cuda")
                copied = torch.zeros(64, 64, device="cuda")
                described = [TensorDescriptor.from_tensor(one, [32, 64]) for one in (source, copied)]
                copy_tile[(1,)](*described, M=32, N=64)
                torch.testing.assert_close(copied[32:], source[:32, 64:])
                self.assertFalse(copied[:32].any())

    def test_backward(self):
        x = torch.randn(100, device="cuda", requires_grad=True)
        Square.apply(x).sum().backward()
        torch.testing.assert_close(x.grad, 2 * x.detach())
        self.assertTrue(x.grad.is_cuda)

    def test_operators(self):
        @torch.library.custom_op("wavemark_tests::plus", mutates_args=(), device_types="cuda")
        def plus(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            out = torch.empty(x.shape, device=x.device)
            add[(1,)](x, y, out, x.numel(), BLOCK=256)
            return out

        x = torch.randn(100, device="cuda")
        torch.testing.assert_close(plus(x, x), 2 * x)
        library = torch.library.Library("wavemark_tests", "FRAGMENT")
        library.define("where_is_it(Tensor x) -> int")
        library.impl("where_is_it", lambda x: 1, "CUDA")
        library.impl("where_is_it", lambda x: 0, "CPU")
        where = torch.ops.wavemark_tests.where_is_it
        self.assertEqual((where(x), where(x.cpu())), (1, 0))

    def test_what_torch_says_of_the_device(self):
        self.assertTrue(torch.cuda.is_available() and torch.accelerator.is_available())
        self.assertEqual((torch.cuda.device_count(), torch.cuda.current_device()), (1, 0))
        self.assertEqual(torch.cuda.get_device_capability(), (9, 5))
        properties = torch.cuda.get_device_properties(0)
        self.assertEqual((properties.gcnArchName, properties.warp_size), ("gfx950", 64))
        self.assertTrue(torch.version.hip)
        self.assertFalse(torch.cuda.is_current_stream_capturing())
        with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda.synchronize()
        first, second = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record(), second.record()
        self.assertGreaterEqual(first.elapsed_time(second), 0)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            product = torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")
        self.assertEqual((product.dtype, product.is_cuda), (torch.bfloat16, True))

    def test_generators(self):
        torch.manual_seed(5)
        first = torch.rand(3, device="cuda")
        torch.cuda.manual_seed(5)
        torch.testing.assert_close(first, torch.rand(3, device="cuda"))
        generator = torch.Generator("cuda").manual_seed(7)
        generator.set_offset(12)
        seed, offset = generator.get_state().view(torch.int64).tolist()
        self.assertEqual((generator.device.type, seed, offset), ("cuda", 7, 12))
        torch.rand(3, device="cuda", generator=generator)

    def test_nothing_is_left(self):
        with wavemark.torch.cuda_is_here("gfx1250"):
            self.assertEqual(torch.cuda.get_device_capability(), (12, 5))
        self.assertEqual(torch.cuda.get_device_capability(), (9, 5))
        self.doCleanups()
        self.assertFalse(torch.zeros(3).is_cuda)
        self.assertIs(torch.Tensor.to, torch._C.TensorBase.to)


if __name__ == "__main__":
    unittest.main()
