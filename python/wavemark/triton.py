"""Triton kernels on Wavemark: a driver in Triton's sense, with AMD's own compiler untouched.

    import wavemark.triton

    wavemark.triton.use("gfx950")
    add[(4,)](x, y, out, 1000, BLOCK=256)        # x, y, out: torch tensors on the CPU, or wavemark.triton.tensor(array)

Each launch is checked; one with errors raises `Findings`. Tensors of `wavemark.torch.cuda_is_here` are in the device's
memory as long as they exist; others are as long as the launch. What this needs of Triton's internals is in this file and in
`_tdm.py` (Triton 3.8 and 3.9).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import triton
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase, decompose_descriptor
from triton.runtime import _allocation
from triton.runtime.autotuner import Autotuner

from . import _wavemark
from ._device import COMPUTE_UNITS, Kernel, Module, default_device
from ._memory import Pointer, Region, Shared, pointer_of
from ._report import Report
from ._tdm import descriptor as tdm_descriptor

_RESIDENT_WAVES = 1024
"""Waves that run at the same time, at most; a cooperative grid may not have more."""

_KEPT = 1024
"""Reports that are kept."""


class Findings(AssertionError, RuntimeError):
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


def use(
    arch: str,
    *,
    autotune: str = "first",
    on_report: Callable[[Report], None] | None = None,
    capture: Callable[[Kernel, Sequence[int]], str | os.PathLike[str] | None] | None = None,
    **options: Any,
) -> None:
    """Makes Wavemark the active driver of Triton; kernels are compiled for `arch`.

    An autotuner takes the `first` of its configurations that compiles and fits, or the one of the least `cost`: the
    wave instructions that it executes, which are the same every time, but no time. `on_report` is told of each
    launch. `capture` is asked for a file for each launch, a kernel with its grid, which the launch is written to (`None`: it
    is not). Other `options` are those of `wavemark.Kernel.launch`, such as `check`, `completion`, `seed`, `threads`, `record`.
    """
    if autotune not in ("first", "cost"):
        raise ValueError(f'autotune is "first" or "cost", not {autotune!r}')
    triton.runtime.driver.set_active(_Driver(arch, autotune, on_report, capture, options))


def install(arch: str | None = None, **options: Any) -> None:
    """The same for a processor that `WAVEMARK_ARCH` may name, as the pytest plugin has it."""
    use(arch or _default_arch(), **options)


def default_driver() -> DriverBase:
    """The driver for the processor that `WAVEMARK_ARCH` names, which Triton takes where the environment asks for it."""
    return _Driver(_default_arch(), "first", None, None, {})


def _default_arch() -> str:
    return os.environ.get("WAVEMARK_ARCH") or "gfx950"


def reports() -> list[Report]:
    """The reports of the last launches since `use`, in order."""
    active = triton.runtime.driver.active
    if not isinstance(active, _Driver):
        raise RuntimeError("wavemark.triton.use has not been called")
    return list(active.reports)


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
            "sm_clock_rate": 1_000_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 4096,
            "cooperativeLaunch": 1,
        }

    def load_binary(
        self, name: str, binary: bytes, shared: int, device: int
    ) -> tuple[Module, Kernel, int, int, int]:
        module = default_device().loads(binary, name=name, lang="obj")
        _, _, work_items = _wavemark.limits(self._driver.arch)
        return module, module.kernel(name), 0, 0, work_items

    def unload_module(self, module: Module) -> None:
        module.unload()


class _Launcher:
    """Launches one compiled kernel; Triton makes it from the source and the metadata."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._metadata = metadata
        self._types = tuple(source.signature.values())
        names = getattr(getattr(source, "fn", None), "arg_names", None) or range(len(self._types))
        self._names = [str(name) for name in names]
        self._descriptors = getattr(metadata, "tensordesc_meta", None) or ()

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
        if enter_hook is not None:
            enter_hook(launch_metadata)
        if x * y * z > 0:
            self._launch(x, y, z, stream, kernel, kernel_metadata[0], arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _launch(
        self, x: int, y: int, z: int, stream: Any, kernel: Kernel, warps: int, arguments: tuple[Any, ...]
    ) -> None:
        driver, metadata = triton.runtime.driver.active, self._metadata
        ctas, groups = metadata.num_ctas, x * y * z * metadata.num_ctas
        if metadata.launch_cooperative_grid and groups * warps > _RESIDENT_WAVES:
            raise RuntimeError(
                f"a cooperative grid of {groups} workgroups of {warps} waves: at most {_RESIDENT_WAVES} waves run at the same time"
            )
        scratch = [
            _scratch(x * y * z * metadata.global_scratch_size, metadata.global_scratch_align, stream, False),
            _scratch(x * y * z * metadata.profile_scratch_size, metadata.profile_scratch_align, stream, True),
        ]
        descriptors = iter(self._descriptors)
        passed: list[tuple[str, Any]] = []
        for name, kind, value in zip(self._names, self._types, arguments):
            passed.extend(_passed(name, kind, value, warps, descriptors))
        passed += zip(("global_scratch", "profile_scratch"), scratch)
        pointers = ((name, value.pointer if isinstance(value, _Described) else value) for name, value in passed)
        shared = [(name, pointer) for name, pointer in pointers if isinstance(pointer, Pointer)]
        grid = [x * ctas, y, z]
        with Shared(default_device(), shared) as memory:
            report = kernel._run(
                grid,
                [warps * metadata.warp_size, 1, 1],
                [_laid_out(one, parameter, memory) for one, parameter in zip(passed, kernel._parameters or ())],
                cluster=[ctas, 1, 1] if ctas > 1 else None,
                dynamic_lds=metadata.shared,
                capture=None if driver.capture is None else driver.capture(kernel, grid),
                **driver.options,
            )
        driver.reports.append(report)
        if driver.on_report is not None:
            driver.on_report(report)
        if report._native.errors or report._native.unsupported:
            raise Findings(report)


class _Described:
    """A tensor descriptor that is made of the address of its tensor."""

    def __init__(self, pointer: Any, make: Callable[[int], bytes]) -> None:
        self.pointer, self.make = pointer, make


def _laid_out(
    argument: tuple[str, Any], parameter: tuple[str | None, int, str], memory: Shared
) -> tuple[str, int | None, bytes]:
    """An argument as the native launch takes it: an address, or bytes."""
    name, value = argument
    if isinstance(value, Pointer):
        return name, memory.address(value), b""
    if isinstance(value, _Described):
        address = memory.address(value.pointer) if isinstance(value.pointer, Pointer) else value.pointer.address
        # What a kernel does not need of it, it does not take.
        return name, None, value.make(address)[: parameter[1]]
    if isinstance(value, _Address):
        return name, value.address, b""
    if isinstance(value, int):
        size = parameter[1]
        return name, None, (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    return name, None, value


class _Address:
    """An address that the device has already."""

    def __init__(self, address: int) -> None:
        self.address = address


def _passed(name: str, kind: Any, value: Any, warps: int, descriptors: Iterator[Any]) -> Iterator[tuple[str, Any]]:
    """What of an argument of this type the kernel takes: addresses, integers, bytes of floats."""
    if isinstance(kind, tuple):
        for index, pair in enumerate(zip(kind, value)):
            yield from _passed(f"{name}[{index}]", *pair, warps, descriptors)
    elif kind == "constexpr":
        return
    elif kind.startswith("tensordesc"):
        how = next(descriptors, None)
        if how is not None:
            pointer = _pointer(name, value.base)
            yield name, _Described(pointer, lambda address: tdm_descriptor(how, value.shape, value.strides, warps, address))
            for number in (*value.shape, *value.strides):
                yield name, int(number)
            return
        base, *numbers = decompose_descriptor(value)
        yield name, _pointer(name, base)
        for number in numbers:
            yield name, int(number)
    elif kind.startswith("*"):
        yield name, _pointer(name, value)
    elif kind in _FLOATS:
        yield name, _FLOATS[kind](value)
    else:
        yield name, int(value)


def _half(value: float) -> bytes:
    try:
        return struct.pack("<e", value)
    except OverflowError:
        return struct.pack("<e", float("inf") if value > 0 else float("-inf"))


_FLOATS: dict[str, Callable[[float], bytes]] = {
    "fp16": _half,
    # As Triton's own launcher: the upper half.
    "bf16": lambda value: bytes(ctypes.c_float(value))[2:],
    "fp32": lambda value: bytes(ctypes.c_float(value)),
    "f32": lambda value: bytes(ctypes.c_float(value)),
    "fp64": lambda value: bytes(ctypes.c_double(value)),
}


def _pointer(name: str, value: Any) -> Pointer | _Address:
    """Where an argument that is a pointer points to."""
    if value is None:
        return _Address(0)
    if isinstance(value, int):
        return _Address(value)
    # `tensor` has an array, what Triton reinterprets as another type has a base.
    value = getattr(value, "array", value)
    if not hasattr(value, "untyped_storage"):
        value = getattr(value, "base", value) if hasattr(value, "data_ptr") else value
    here = sys.modules.get("wavemark.torch")
    if here is not None and here.is_here() and hasattr(value, "untyped_storage"):
        if not here.is_accessible(value):
            raise ValueError(f"Pointer argument `{name}` cannot be accessed from Triton (cpu tensor?)")
        return _Address(here.address_of(value))
    pointer = pointer_of(value)
    if pointer is not None:
        return pointer
    address, size = value.data_ptr(), getattr(value, "nbytes", None)
    # Without a size it can only be an address of the device.
    return _Address(address) if size is None else Pointer(address, Region(address, size, True, value))


def _scratch(size: int, align: int, stream: Any, is_profile: bool) -> Pointer | _Address:
    """Memory of a launch, from the allocator that the program has set."""
    if size == 0:
        return _Address(0)
    if not is_profile:
        return _pointer("global_scratch", _allocation._allocator.get()(size, align, stream))
    if _allocation.has_profile_allocator():
        return _pointer("profile_scratch", _allocation._profile_allocator.get()(size, align, stream))
    return pointer_of(bytearray(size)) or _Address(0)


_bench_of_triton = Autotuner._bench


def _bench(self: Autotuner, *args: Any, config: Any, **meta: Any) -> list[float]:
    """The cost of a configuration. Where the first one is to be taken, others cost the more the later they come."""
    active = triton.runtime.driver.active
    if not isinstance(active, _Driver) or active.autotune != "first":
        return _bench_of_triton(self, *args, config=config, **meta)
    from triton.compiler.errors import CompileTimeAssertionFailure
    from triton.runtime.errors import OutOfResources

    never = [float("inf")] * 3
    # Each search has arguments of its own.
    if getattr(self, "_wavemark_took_one_for", None) is self.nargs:
        return never
    try:
        compiled = self.fn.run(*args, **{**meta, **config.all_kwargs(), "warmup": True})
        if compiled is not None:
            compiled._init_handles()
    except (OutOfResources, CompileTimeAssertionFailure):
        return never
    self._wavemark_took_one_for = self.nargs
    return [0.0] * 3


_numbers: dict[str, int] = {}
"""The device of each processor."""


class _Driver(DriverBase):
    def __init__(
        self,
        arch: str,
        autotune: str,
        on_report: Callable[[Report], None] | None,
        capture: Callable[[Kernel, Sequence[int]], str | os.PathLike[str] | None] | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__()
        _wavemark.limits(arch)
        Autotuner._bench = _bench
        self.arch, self.autotune, self.on_report, self.capture, self.options = arch, autotune, on_report, capture, options
        # Triton keeps what it has compiled by the number of the device.
        self._number = _numbers.setdefault(arch, len(_numbers))
        self.reports: deque[Report] = deque(maxlen=_KEPT)
        self.utils = _Utils(self)
        self.launcher_cls = _Launcher

    @classmethod
    def is_active(cls) -> bool:
        return False

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        arch = knobs.runtime.override_arch or self.arch
        _, lanes, _ = _wavemark.limits(arch)
        return GPUTarget("hip", arch, lanes)

    def get_current_device(self) -> int:
        return self._number

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_device_capability(self, *_: Any) -> tuple[int, int]:
        """As ROCm has it."""
        digits = self.arch.removeprefix("gfx")
        return int(digits[:-2]), int(digits[-2], 16)

    def get_active_torch_device(self) -> Any:
        import torch

        # Inside of `wavemark.torch.cuda_is_here` it is the GPU that seems to be there.
        return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")

    def get_device_interface(self) -> Any:
        """What torch has for the device."""
        import torch

        return torch.cuda

    def get_empty_cache_for_benchmark(self) -> Any:
        """What a benchmark writes to so that caches are cold: there are none."""
        import torch

        return torch.empty(1, dtype=torch.int, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        cache.zero_()

    def get_benchmarker(self) -> Any:
        """The cost of a kernel is the wave instructions that it executes."""

        def cost(call: Any, *, quantiles: Any = None, **_: Any) -> Any:
            # Triton keeps what measures for longer than a driver is the active one.
            active, spent = triton.runtime.driver.active, 0

            def add(report: Report) -> None:
                nonlocal spent
                spent += report._native.cost[0]
                if before is not None:
                    before(report)

            before, active.on_report = active.on_report, add
            try:
                call()
            finally:
                active.on_report = before
            return [float(spent)] * len(quantiles) if quantiles else float(spent)

        return cost
