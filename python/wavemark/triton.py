"""Triton kernels on Wavemark: a driver in Triton's sense, with AMD's own compiler untouched.

    import wavemark.triton

    wavemark.triton.use("gfx950")
    add[(4,)](x, y, out, 1000, BLOCK=256)        # x, y, out: torch tensors on the CPU, or wavemark.triton.tensor(array)

Each launch is checked; one with errors raises `Findings`. What this needs of Triton's internals is in this file alone
(Triton 3.9).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase, decompose_descriptor

from . import _wavemark
from ._device import COMPUTE_UNITS, Device, Kernel, Module
from ._report import Report


class Findings(AssertionError):
    """A launch had errors; `report` says which."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


class tensor:
    """An array of numpy, as Triton takes arguments. It is not copied."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape

    def data_ptr(self) -> int:
        """The address of its first element."""
        return int(self.array.__array_interface__["data"][0])

    def stride(self, dimension: int) -> int:
        """From an element to the next along a dimension, in elements."""
        return int(self.array.strides[dimension] // self.array.itemsize)


def use(arch: str, **options: Any) -> None:
    """Makes Wavemark the active driver of Triton; kernels are compiled for `arch`.

    `options` are those of `wavemark.Kernel.launch`, such as `check`, `completion`, `seed`, `threads`.
    """
    triton.runtime.driver.set_active(_Driver(arch, options))


def reports() -> list[Report]:
    """The reports of all launches since `use`, in order."""
    active = triton.runtime.driver.active
    if not isinstance(active, _Driver):
        raise RuntimeError("wavemark.triton.use has not been called")
    return active.reports


class _Utils:
    def __init__(self, driver: _Driver) -> None:
        self._driver = driver

    def get_device_properties(self, device: int) -> dict[str, Any]:
        lds, lanes, work_items = _wavemark.limits(self._driver.arch)
        return {
            "arch": self._driver.arch,
            "max_shared_mem": lds,
            "warpSize": lanes,
            "max_threads_per_sm": work_items,
            "multiprocessor_count": COMPUTE_UNITS,
            "max_num_regs": 65536,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
            "cooperativeLaunch": 0,
        }

    def load_binary(
        self, name: str, binary: bytes, shared: int, device: int
    ) -> tuple[Module, Kernel, int, int, int]:
        module = self._driver.device.loads(binary, name=name, lang="obj")
        _, _, work_items = _wavemark.limits(self._driver.arch)
        return module, module.kernel(name), 0, 0, work_items

    def unload_module(self, module: Module) -> None:
        pass


class _Launcher:
    """Launches one compiled kernel; Triton makes it from the source and the metadata."""

    def __init__(self, source: Any, metadata: Any) -> None:
        if getattr(metadata, "tensordesc_meta", None):
            raise _wavemark.Unsupported("tensor descriptors of the host that are structures")
        if metadata.launch_cooperative_grid:
            raise _wavemark.Unsupported("cooperative grids")
        self._metadata = metadata
        self._types = tuple(source.signature.values())

    def __call__(
        self,
        x: int,
        y: int,
        z: int,
        stream: Any,
        kernel: Kernel,
        kernel_metadata: Any,
        launch_metadata: Any,
        enter_hook: Any,
        exit_hook: Any,
        *arguments: Any,
    ) -> None:
        if x * y * z == 0:
            return
        driver = triton.runtime.driver.active
        metadata = self._metadata
        if enter_hook is not None:
            enter_hook(launch_metadata)
        passed = [value for pair in zip(self._types, arguments) for value in _passed(*pair)]
        for size in (metadata.global_scratch_size, metadata.profile_scratch_size):
            passed.append(bytearray(size * x * y * z) if size else None)
        clusters = metadata.num_ctas > 1
        report = kernel.launch(
            (x * metadata.num_ctas, y, z),
            metadata.num_warps * metadata.warp_size,
            passed,
            cluster=metadata.num_ctas if clusters else None,
            dynamic_lds=metadata.shared,
            **driver.options,
        )
        driver.reports.append(report)
        if exit_hook is not None:
            exit_hook(launch_metadata)
        if report.errors or report.outcome == "unsupported":
            raise Findings(report)


def _passed(kind: Any, value: Any) -> Iterator[Any]:
    """What of an argument of this type the kernel takes."""
    if isinstance(kind, tuple):
        for pair in zip(kind, value):
            yield from _passed(*pair)
    elif kind == "constexpr":
        return
    elif kind.startswith("tensordesc"):
        base, *numbers = decompose_descriptor(value)
        rank = len(value.shape)
        yield _pointed_to(base)
        # Shape and strides in 64 bits, two flags, then shape in 32 and strides in 64 bits.
        kinds = ["i64"] * (2 * rank) + ["i1", "i1"] + ["i32"] * rank + ["i64"] * rank
        for pair in zip(kinds, numbers):
            yield from _passed(*pair)
    elif kind.startswith("*"):
        yield _pointed_to(value)
    elif kind == "bf16":
        yield int.from_bytes(struct.pack("<f", value)[2:], "little")
    elif kind.startswith("fp") or kind == "f32":
        yield float(value)
    else:
        yield int(value)


def _pointed_to(value: Any) -> Any:
    return value.array if isinstance(value, tensor) else value


_numbers: dict[str, int] = {}
"""The device of each processor."""


class _Driver(DriverBase):
    def __init__(self, arch: str, options: dict[str, Any]) -> None:
        super().__init__()
        self.arch, self.options = arch, options
        self.device = Device()
        # Triton keeps what it has compiled by the number of the device.
        self._number = _numbers.setdefault(arch, len(_numbers))
        self.reports: list[Report] = []
        self.utils = _Utils(self)
        self.launcher_cls = _Launcher

    @classmethod
    def is_active(cls) -> bool:
        return False

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        _, lanes, _ = _wavemark.limits(self.arch)
        return GPUTarget("hip", self.arch, lanes)

    def get_current_device(self) -> int:
        return self._number

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        # Inside of `wavemark.torch.cuda_is_here` it is the GPU that seems to be there.
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def get_device_interface(self) -> Any:
        """What torch has for the device."""
        import torch

        return torch.cuda

    def get_benchmarker(self) -> Any:
        """The cost of a kernel is the wave instructions that it executes: the same every time, but not a time."""

        def cost(call: Any, *, quantiles: Any = None, **_: Any) -> Any:
            # Triton keeps what measures for longer than a driver is the active one.
            before = len(reports())
            call()
            instructions = sum(report.data["stats"]["wave_instructions"] for report in reports()[before:])
            return [float(instructions)] * len(quantiles) if quantiles else float(instructions)

        return cost
