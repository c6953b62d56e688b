"""Launches from Python: arguments, what is written, what is found. `python -m unittest` with the package installed."""

import array
import ctypes
import resource
import unittest
from pathlib import Path

import wavemark

try:
    import numpy as np
except ImportError:
    np = None

ADD = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl add
	.p2align 8
	.type add,@function
add:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s8, s[0:1], 0x10
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[4:5]
	{wait}
	v_add_u32_e32 v1, s8, v1
	global_store_dword v0, v1, s[6:7]
	s_endpgm
	.section .rodata,"a"
	.amdhsa_kernel add
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 1024
    .sgpr_count: 16
    .vgpr_count: 4
    .wavefront_size: 64
    .args:
      - {{.name: from, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.name: to, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.name: step, .offset: 16, .size: 4, .value_kind: by_value}}
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
"""
RIGHT = ADD.format(wait="s_waitcnt vmcnt(0)")
WRONG = ADD.format(wait="s_nop 0")


def kernel(text=RIGHT):
    return wavemark.loads(text, name="add.s").kernel()


class Launch(unittest.TestCase):
    def test_buffers(self):
        source, target = array.array("I", range(64)), array.array("I", [0] * 64)
        report = kernel().launch(1, 64, [source, target, 5])
        self.assertTrue(report.ok, report)
        self.assertEqual((report.outcome, report.findings), ("clean", []))
        self.assertEqual(list(target), list(range(5, 69)))
        report = kernel().launch(1, 64, [source, source, ctypes.c_uint32(1)], completion="early", threads=2)
        self.assertTrue(report.ok, report)
        self.assertEqual(list(source), list(range(1, 65)))

    def test_views_are_parts_of_their_owner(self):
        memory = bytearray(512)
        view = memoryview(memory)
        self.assertTrue(kernel().launch(1, 64, [view[:256], view[256:], -1]).ok)
        self.assertEqual(memory, bytes(256) + b"\xff" * 256)

    def test_what_may_not_be_written(self):
        report = kernel().launch(1, 64, [bytearray(256), bytes(256), 1])
        self.assertEqual([finding.kind for finding in report.errors], ["out-of-bounds"])
        self.assertIn("argument `to`, which is read-only", str(report))

    def test_findings(self):
        report = kernel(WRONG).launch(1, 64, [bytearray(256), bytearray(256), 5])
        self.assertFalse(report.ok)
        self.assertEqual(report.outcome, "findings")
        self.assertEqual([finding.kind for finding in report.errors], ["missing-wait"])
        self.assertIn("add.s:12", str(report))
        self.assertIn("add.s:14", str(report))
        self.assertIn("vmcnt", report.errors[0].hint)
        off = kernel(WRONG).launch(1, 64, [bytearray(256), bytearray(256), 5], check="off")
        self.assertEqual(off.outcome, "not-checked")
        outside = kernel().launch(1, 64, [bytearray(256), bytearray(128), 5])
        self.assertIn("argument `to`", str(outside))

    def test_what_cannot_be_used(self):
        with self.assertRaisesRegex(wavemark.Error, "add.s:3"):
            wavemark.loads(RIGHT.replace(".text", ".txt"), name="add.s")
        with self.assertRaisesRegex(TypeError, "add takes 3 arguments, found 1"):
            kernel().launch(1, 64, [bytearray(256)])
        with self.assertRaisesRegex(OverflowError, "argument step"):
            kernel().launch(1, 64, [bytearray(256), bytearray(256), 1 << 40])
        with self.assertRaisesRegex(wavemark.Error, "has no kernel `sub`"):
            wavemark.loads(RIGHT, name="add.s").kernel("sub")
        with self.assertRaisesRegex(wavemark.Error, "a workgroup of 4096 work-items"):
            kernel().launch(1, 4096, [bytearray(256), bytearray(256), 1])
        with self.assertRaisesRegex(ValueError, "completion is"):
            kernel().launch(1, 64, [bytearray(256), bytearray(256), 1], completion="soon")
        with self.assertRaisesRegex(wavemark.Error, "is neither an array nor a number|"):
            kernel().launch(1, 64, [bytearray(256), bytearray(256), ctypes.c_uint64(1)])
        # Of gfx8 nothing is executed: a kernel that does nothing, either.
        does = RIGHT[RIGHT.index("add:\n") + len("add:\n") : RIGHT.index("\ts_endpgm")]
        other = RIGHT.replace(does, "").replace("gfx950", "gfx803").replace("\t\t.amdhsa_accum_offset 4\n", "")
        with self.assertRaises(wavemark.Unsupported):
            kernel(other).launch(1, 64, [bytearray(256), bytearray(256), 1])

    def test_what_is_too_large(self):
        large = RIGHT.replace(".amdhsa_kernel add\n", ".amdhsa_kernel add\n\t\t.amdhsa_private_segment_fixed_size 131000\n")
        large = large.replace(".private_segment_fixed_size: 0", ".private_segment_fixed_size: 131000")
        add = kernel(large)
        wavemark.set_max_memory(4 << 20)
        try:
            with self.assertRaisesRegex(wavemark.Error, "needs .* of memory, where"):
                add.launch(1, 64, [bytearray(256), bytearray(256), 1])
        finally:
            wavemark.set_max_memory(8 << 30)

    def test_launches_leave_nothing(self):
        add, source, target = kernel(), bytearray(1 << 20), bytearray(1 << 20)
        address = add._device.allocate(8)
        for count in range(600):
            add.launch(1, 64, [source, target, 1])
            if count == 100:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # 500 launches: a copy of an argument in each would be 1,000 MiB, one of a report some MiB.
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 1024, "KiB")
        self.assertLess(add._device.allocate(8) - address, 1 << 20)

    def test_memory_of_the_device(self):
        device = wavemark.Device()
        module = device.loads(RIGHT)
        self.assertEqual(module.kernels, ["add"])
        memory = device.allocate(256)
        for _ in range(3):
            module.kernel().launch(1, 64, [memory, memory, 2])
        self.assertEqual(device.read(memory, 8), b"\x06\0\0\0" * 2)
        segment = memory.to_bytes(8, "little") * 2 + (1).to_bytes(4, "little")
        module.kernel().launch((1, 1), (64, 1, 1), segment)
        self.assertEqual(device.read(memory, 4), b"\x07\0\0\0")
        device.free(memory)
        self.assertIn("(freed)", str(module.kernel().launch(1, 64, segment)))

    @unittest.skipIf(np is None, "numpy is not installed")
    def test_arrays(self):
        matrix = np.arange(256, dtype=np.uint32).reshape(4, 64)
        report = kernel().launch(1, 64, [matrix[1], matrix[3], np.uint32(1000)])
        self.assertTrue(report.ok, report)
        self.assertEqual(matrix[3].tolist(), list(range(1064, 1128)))
        self.assertEqual(matrix[:3].tolist(), np.arange(192).reshape(3, 64).tolist())
        fixed = np.zeros(64, dtype=np.uint32)
        fixed.flags.writeable = False
        report = kernel().launch(1, 64, [matrix[0], fixed, 1])
        self.assertEqual([finding.kind for finding in report.errors], ["out-of-bounds"])
        self.assertFalse(fixed.any())


class TensorLike:
    """What the package uses of a torch tensor, over a buffer."""

    class _Device:
        type = "cpu"

    class _Storage:
        def __init__(self, memory):
            self.memory = memory

        def data_ptr(self):
            return ctypes.addressof(self.memory)

        def nbytes(self):
            return len(self.memory)

    device = _Device()

    def __init__(self, memory, offset):
        self.memory = memory
        self.offset = offset

    def untyped_storage(self):
        return self._Storage(self.memory)

    def data_ptr(self):
        return ctypes.addressof(self.memory) + self.offset


class Tensors(unittest.TestCase):
    def test_storages_are_shared(self):
        memory = (ctypes.c_char * 512)()
        report = kernel().launch(1, 64, [TensorLike(memory, 0), TensorLike(memory, 256), 3])
        self.assertTrue(report.ok, report)
        self.assertEqual(memory.raw, bytes(256) + b"\x03\0\0\0" * 64)

    def test_other_devices(self):
        far = TensorLike((ctypes.c_char * 256)(), 0)
        far.device = type("Far", (), {"type": "cuda"})()
        with self.assertRaisesRegex(TypeError, "only those on the CPU"):
            kernel().launch(1, 64, [far, far, 3])


class Shipped(unittest.TestCase):
    def test_an_example(self):
        example = Path(__file__).parents[2] / "examples" / "pipelined_copy_gfx950" / "kernel.s"
        source = array.array("I", range(2 * 6 * 128 * 4))
        target = array.array("I", [0] * len(source))
        report = wavemark.load(example).kernel().launch(2, 128, [source, target])
        self.assertTrue(report.ok, report)
        self.assertEqual(target[0], 2 * source[127 * 4] + 1)


if __name__ == "__main__":
    unittest.main()
