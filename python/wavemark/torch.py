"""`device="cuda"` without one: torch code that asks for a GPU gets tensors on the CPU, which launches read and write.

    with wavemark.torch.cuda_is_here("gfx950"):
        x = torch.randn(1000, device="cuda")
        add[(4,)](x, x.cuda(), torch.empty_like(x), 1000, BLOCK=256)

A tensor that would be on the GPU says so (`x.is_cuda`, `x.device`), and moving one there or back copies it as it does
with a GPU. `torch.cuda` answers as it would on ROCm with one device. What torch itself computes, the CPU computes.

Not promised: graphs, memory statistics, several devices, and extension libraries with GPU kernels of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import torch.utils._device
from torch.overrides import TorchFunctionMode

from . import _wavemark
from ._device import COMPUTE_UNITS

_HIP = "7.0.0"
"""What `torch.version.hip` says."""

_TOTAL_MEMORY = 64 << 30
"""The bytes of memory that the device says it has."""

_archs: list[str] = []
"""The processors of the blocks that are entered; the last one is asked."""


@contextmanager
def cuda_is_here(arch: str) -> Iterator[None]:
    """Until the end of the block a device of `arch` seems to be there, with number 0."""
    _wavemark.limits(arch)
    _archs.append(arch)
    try:
        with ExitStack() as stack:
            if len(_archs) == 1:
                for place, name, replacement in _replacements():
                    # Where this torch has no such name, nobody can ask for it.
                    if hasattr(place, name):
                        stack.enter_context(mock.patch.object(place, name, replacement))
                stack.enter_context(_OnTheCpu())
            yield
    finally:
        _archs.pop()


_ON_HOST = "_wavemark_on_host"
"""The attribute of tensors that would not be on the GPU. One that torch makes out of our sight is on the GPU."""


def _on_host(tensor: torch.Tensor) -> bool:
    return _ON_HOST in tensor.__dict__


def _marked(value: Any, on_host: bool) -> Any:
    """The tensors of a result, said to be on the host or the GPU."""
    if isinstance(value, torch.Tensor):
        if on_host:
            value.__dict__[_ON_HOST] = True
        else:
            value.__dict__.pop(_ON_HOST, None)
    elif isinstance(value, (tuple, list)):
        for one in value:
            _marked(one, on_host)
    return value


def _is_gpu(device: Any) -> bool:
    """Whether a device, its name or its number is a GPU's."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device == "cuda" or device.startswith("cuda:")
    return type(device) is int


def _names_device(value: Any) -> bool:
    return isinstance(value, torch.device) or (
        isinstance(value, str) and (value.split(":")[0] in ("cuda", "cpu", "meta"))
    )


def _host(value: Any) -> Any:
    """The CPU where `value` is or names the GPU; all else as it is."""
    return "cpu" if _names_device(value) and _is_gpu(value) else value


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(value)


class _OnTheCpu(TorchFunctionMode):
    """Sends what asks for the GPU to the CPU."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        answer = _ANSWERS.get(function)
        if answer is not None:
            return answer(*args, **kwargs)
        device = kwargs.get("device")
        if device is None:
            device = next((arg for arg in args if _names_device(arg)), None)
        else:
            kwargs["device"] = "cpu" if _is_gpu(device) else device
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        result = function(*(_host(arg) for arg in args), **kwargs)
        if device is not None:
            on_host = not _is_gpu(device)
        else:
            on_host = all(map(_on_host, _tensors((*args, *kwargs.values()))))
            if on_host and not any(_tensors_in(args, kwargs)):
                on_host = not _is_gpu(torch.get_default_device())
        # What works in place stays where it is.
        if not any(result is tensor for tensor in _tensors(args)):
            _marked(result, on_host)
        return result


def _tensors_in(args: Any, kwargs: dict[str, Any]) -> Iterator[bool]:
    return (True for _ in _tensors((*args, *kwargs.values())))


def _to(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """`x.to(...)`: a copy if it changes places."""
    device = kwargs.get("device")
    if device is None:
        named = [arg for arg in args[:1] if _names_device(arg) or type(arg) is int]
        others = [arg for arg in (*args[:1], kwargs.get("other")) if isinstance(arg, torch.Tensor)]
        if named:
            device = named[0]
        elif others:
            device = _device_of(others[0])
        else:
            device = _device_of(tensor)
    on_host = not _is_gpu(device)
    if "device" in kwargs and _is_gpu(device):
        kwargs["device"] = "cpu"
    passed = tuple("cpu" if _names_device(arg) or type(arg) is int else arg for arg in args[:1]) + args[1:]
    if isinstance(device, (str, torch.device)) and torch.device(device).type == "meta":
        passed = args
    result = torch.Tensor.to(tensor, *passed, **kwargs)
    if result is tensor:
        if on_host == _on_host(tensor):
            return tensor
        result = tensor.clone()
    return _marked(result, on_host)


def _cuda(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return _to(tensor, "cuda")


def _cpu(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return _to(tensor, "cpu")


def _device_of(tensor: torch.Tensor) -> torch.device:
    actual = _DEVICE(tensor)
    return torch.device("cuda", 0) if actual.type == "cpu" and not _on_host(tensor) else actual


def _set_data(tensor: torch.Tensor, data: torch.Tensor) -> None:
    """`x.data = y`: x is where y is."""
    torch.Tensor.data.__set__(tensor, data)
    _marked(tensor, _on_host(data))


def _make_device(*args: Any, **kwargs: Any) -> torch.device:
    """`torch.device(...)`: a number is a GPU's."""
    if len(args) == 1 and type(args[0]) is int and not kwargs:
        return torch.device("cuda", args[0])
    return torch.device(*args, **kwargs)


def _parse_to(*args: Any, **kwargs: Any) -> Any:
    """What `Module.to` asks; the tensors' own `to` comes after it."""
    args = tuple(torch.device("cuda", arg) if type(arg) is int else arg for arg in args)
    return torch._C._nn._parse_to(*args, **kwargs)


_DEVICE = torch.Tensor.device.__get__

# Functions of attributes compare equal by what they belong to.
_ANSWERS: dict[Any, Callable[..., Any]] = {
    torch.Tensor.to: _to,
    torch.Tensor.cuda: _cuda,
    torch.Tensor.cpu: _cpu,
    torch.Tensor.device.__get__: _device_of,
    torch.Tensor.is_cuda.__get__: lambda tensor, *_: _device_of(tensor).type == "cuda",
    torch.Tensor.is_cpu.__get__: lambda tensor, *_: _device_of(tensor).type == "cpu",
    torch.Tensor.get_device: lambda tensor: 0 if _device_of(tensor).type == "cuda" else -1,
    torch.Tensor.data.__set__: _set_data,
    torch.Tensor.pin_memory: lambda tensor, *_, **__: tensor,
    torch.Tensor.record_stream: lambda *_: None,
    torch.device: _make_device,
    torch._C._nn._parse_to: _parse_to,
}


class _Generator(torch.Generator):
    """A generator; a GPU's is of Philox, whose state is a seed and an offset."""

    def __new__(cls, device: Any = "cpu") -> _Generator:
        made = super().__new__(cls, device=_host("cuda" if type(device) is int else device))
        made._gpu, made._offset = _is_gpu(device), 0
        return made

    @property
    def device(self) -> torch.device:
        """The device that it says it is of."""
        return torch.device("cuda", 0) if self._gpu else torch.device("cpu")

    def manual_seed(self, seed: int) -> _Generator:
        """Begins anew with a seed."""
        self._offset = 0
        super().manual_seed(seed)
        return self

    def get_offset(self) -> int:
        """How far in the sequence of its seed it is."""
        return self._offset

    def set_offset(self, offset: int) -> None:
        """Goes to a place of the sequence."""
        self._offset = int(offset)

    def get_state(self) -> torch.Tensor:
        """Seed and offset of a GPU's generator, as bytes; the CPU's own state otherwise."""
        if not self._gpu:
            return super().get_state()
        return torch.tensor([self.initial_seed(), self._offset], dtype=torch.uint64).view(torch.uint8)

    def set_state(self, state: torch.Tensor) -> _Generator:
        """Sets what `get_state` has given."""
        if not self._gpu:
            super().set_state(state)
            return self
        seed, offset = state.view(torch.uint64).tolist()
        self.manual_seed(seed)
        self._offset = offset
        return self

    def clone_state(self) -> _Generator:
        """Another generator in the same state."""
        other = _Generator("cuda" if self._gpu else "cpu")
        other.set_state(self.get_state())
        return other


class _Stream:
    """A stream: what is launched has ended when the launch returns."""

    device = property(lambda self: torch.device("cuda", 0))
    cuda_stream = stream_id = device_index = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def synchronize(self) -> None:
        """Waits for what is launched, which has ended."""

    wait_stream = wait_event = lambda self, other: None

    def record_event(self, event: _Event | None = None) -> _Event:
        """An event that has happened now."""
        event = event or _Event()
        event.record()
        return event

    def query(self) -> bool:
        """Whether all has ended."""
        return True


class _Event:
    """An event; the time between two is the host's."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        """It happens now."""
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        """Waits for the event, which has happened."""

    def wait(self, stream: Any = None) -> None:
        """Lets a stream wait for the event, which has happened."""

    def query(self) -> bool:
        """Whether it has happened."""
        return True

    def elapsed_time(self, later: _Event) -> float:
        """Milliseconds from this one to a later one."""
        return (later._time - self._time) * 1e3


class _Selected:
    """`torch.cuda.device(0)`."""

    def __init__(self, *_: Any) -> None:
        self.idx = 0

    def __enter__(self) -> _Selected:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class _Autocast(torch.autocast):
    """Autocasting of the GPU's operations, which are the CPU's."""

    def __init__(self, device_type: str, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
        if _is_gpu(device_type):
            device_type, dtype = "cpu", dtype or torch.float16
        super().__init__(device_type, dtype, *args, **kwargs)


def _properties(*_: Any) -> SimpleNamespace:
    arch = _archs[-1]
    lds, lanes, work_items = _wavemark.limits(arch)
    major, minor = _capability()
    return SimpleNamespace(
        name=f"Wavemark {arch}",
        gcnArchName=arch,
        major=major,
        minor=minor,
        multi_processor_count=COMPUTE_UNITS,
        warp_size=lanes,
        total_memory=_TOTAL_MEMORY,
        max_threads_per_block=work_items,
        max_threads_per_multi_processor=2 * work_items,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=lds,
        shared_memory_per_block_optin=lds,
        shared_memory_per_multiprocessor=lds,
        L2_cache_size=4 << 20,
        is_integrated=False,
        is_multi_gpu_board=False,
    )


def _capability(*_: Any) -> tuple[int, int]:
    """The first digits of the processor's name, as ROCm has it, and the one before the last."""
    digits = _archs[-1].removeprefix("gfx")
    return int(digits[:-2]), int(digits[-2], 16)


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _replacements() -> list[tuple[Any, str, Any]]:
    """What else than functions of tensors asks for a GPU: where it is, its name, what stands there instead."""
    cuda, stream = torch.cuda, _Stream()
    generator = _Generator("cuda")
    implement, custom_op = torch.library.Library.impl, torch.library.custom_op
    default_device = torch.utils._device.DeviceContext.__torch_function__

    def implement_on_cpu(library: Any, name: Any, function: Any, dispatch_key: str = "", **kwargs: Any) -> Any:
        key = {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU"}.get(dispatch_key, dispatch_key)
        return implement(library, name, function, key, **kwargs)

    def custom_op_on_cpu(name: Any, function: Any = None, /, *, device_types: Any = None, **kwargs: Any) -> Any:
        if isinstance(device_types, str):
            device_types = _host(device_types)
        elif device_types is not None:
            device_types = sorted({_host(one) for one in device_types})
        return custom_op(name, function, device_types=device_types, **kwargs)

    def in_default_device(
        context: Any, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if _is_gpu(context.device):
            return function(*args, **(kwargs or {}))
        return default_device(context, function, types, args, kwargs)

    def manual_seed(seed: int) -> None:
        generator.manual_seed(seed)

    return [
        (torch.version, "hip", _HIP),
        (torch.version, "cuda", None),
        (torch, "Generator", _Generator),
        (torch, "autocast", _Autocast),
        (torch.amp, "autocast", _Autocast),
        (torch.library.Library, "impl", implement_on_cpu),
        (torch.library, "custom_op", custom_op_on_cpu),
        (torch.utils._device.DeviceContext, "__torch_function__", in_default_device),
        (cuda, "is_available", _always(True)),
        (cuda, "is_initialized", _always(True)),
        (cuda, "is_bf16_supported", _always(True)),
        (cuda, "init", _always(None)),
        (cuda, "_lazy_init", _always(None)),
        (cuda, "device_count", _always(1)),
        (cuda, "current_device", _always(0)),
        (cuda, "set_device", _always(None)),
        (cuda, "device", _Selected),
        (cuda, "device_of", _Selected),
        (cuda, "get_device_capability", _capability),
        (cuda, "get_device_name", lambda *_: _properties().name),
        (cuda, "get_device_properties", _properties),
        (cuda, "synchronize", _always(None)),
        (cuda, "empty_cache", _always(None)),
        (cuda, "mem_get_info", _always((_TOTAL_MEMORY, _TOTAL_MEMORY))),
        (cuda, "is_current_stream_capturing", _always(False)),
        (cuda, "Stream", _Stream),
        (cuda, "Event", _Event),
        (cuda, "stream", _Stream),
        (cuda, "current_stream", _always(stream)),
        (cuda, "default_stream", _always(stream)),
        (cuda, "manual_seed", manual_seed),
        (cuda, "manual_seed_all", manual_seed),
        (cuda, "initial_seed", generator.initial_seed),
        (cuda, "get_rng_state", lambda *_: generator.get_state()),
        (cuda, "set_rng_state", lambda state, *_: generator.set_state(state)),
        (cuda, "default_generators", (generator,)),
        (torch.accelerator, "is_available", _always(True)),
        (torch.accelerator, "device_count", _always(1)),
        (torch.accelerator, "current_accelerator", _always(torch.device("cuda"))),
        (torch.accelerator, "current_device_index", _always(0)),
        (torch.accelerator, "current_device_idx", _always(0)),
        (torch.accelerator, "set_device_index", _always(None)),
        (torch.accelerator, "current_stream", _always(stream)),
        (torch.accelerator, "synchronize", _always(None)),
        (torch.accelerator, "empty_cache", _always(None)),
    ]
