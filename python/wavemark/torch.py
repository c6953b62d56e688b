"""`device="cuda"` without one: torch code that asks for a GPU gets tensors on the CPU, which launches read and write.

    with wavemark.torch.cuda_is_here("gfx950"):
        x = torch.randn(1000, device="cuda")
        add[(4,)](x, x.cuda(), torch.empty_like(x), 1000, BLOCK=256)

A tensor that would be on the GPU says so (`x.is_cuda`, `x.device`), moving one there or back copies it as it does with a
GPU, and `x.data_ptr()` is an address of the device, with which a kernel finds it even where the address is stored in
another tensor. `torch.cuda` answers as it would on ROCm with one device. What torch itself computes, the CPU computes, and
`torch.compile` leaves functions as they are.

Where a tensor is, its storage says: those that are on the host are marked, when they are made. Not promised: graphs,
memory statistics, several devices, extension libraries with GPU kernels of their own; and what was imported by name
(`from torch import empty`) before the block is entered is not seen inside of other torch functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from types import GetSetDescriptorType
from typing import Any
from unittest import mock

import torch
import torch.utils._device
from torch.overrides import TorchFunctionMode

from . import _cuda, _wavemark
from ._device import default_device
from ._library import Operators


@contextmanager
def cuda_is_here(arch: str) -> Iterator[None]:
    """Until the end of the block a device of `arch` seems to be there, with number 0."""
    _wavemark.limits(arch)
    _cuda.archs.append(arch)
    try:
        with ExitStack() as stack:
            if len(_cuda.archs) == 1:
                for place, name, replacement in _replacements():
                    # Where this torch has no such name, nobody can ask for it.
                    if hasattr(place, name):
                        stack.enter_context(mock.patch.object(place, name, replacement))
                stack.enter_context(_mode)
            yield
    finally:
        _cuda.archs.pop()


def is_here() -> bool:
    """Whether a block of `cuda_is_here` is entered."""
    return bool(_cuda.archs)


def address_of(tensor: torch.Tensor) -> int:
    """The device's address of a tensor that is on the GPU; 0 for one without elements.

    From the first question on its storage is in the memory of the device, until it is gone.
    """
    with _unseen():
        storage, offset = tensor.untyped_storage(), tensor.storage_offset() * tensor.element_size()
    start, size = storage.data_ptr(), storage.nbytes()
    if size == 0:
        return 0
    mapped: _Mapping | None = storage.__dict__.get(_MAPPED)
    if mapped is None or (mapped.start, mapped.size) != (start, size):
        mapped = storage.__dict__[_MAPPED] = _Mapping(start, size)
    return mapped.base + offset


class _Mapping:
    """A storage in the memory of the device, as long as the storage keeps this."""

    def __init__(self, start: int, size: int) -> None:
        self.start, self.size = start, size
        self._device = default_device()
        self.base = self._device._map("a tensor", start, size, True)

    def __del__(self) -> None:
        self._device._free_later(self.base)


_ON_HOST = "_wavemark_on_host"
"""The attribute of storages that would not be on the GPU. One that torch makes out of our sight is on the GPU."""

_PINNED = "_wavemark_pinned"
"""The attribute of storages on the host that the device may access."""

_MAPPED = "_wavemark_mapping"
"""The attribute of storages that the device knows."""

_Base = torch._C.TensorBase
_TO, _DATA_PTR = _Base.to, _Base.data_ptr
_unseen = torch._C.DisableTorchFunction


def on_host(tensor: torch.Tensor) -> bool:
    """Whether a tensor would be on the CPU if there were a GPU."""
    with _unseen():
        try:
            return _ON_HOST in tensor.untyped_storage().__dict__
        except (NotImplementedError, RuntimeError):
            # Sparse ones and the like have no storage; they are where everything is.
            return False


def is_accessible(tensor: torch.Tensor) -> bool:
    """Whether a kernel may access a tensor: it is on the GPU, or in pinned memory."""
    return not on_host(tensor) or _is_pinned(tensor)


def _is_pinned(tensor: torch.Tensor, *_: Any, **__: Any) -> bool:
    with _unseen():
        return on_host(tensor) and _PINNED in tensor.untyped_storage().__dict__


def _pinned(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    if _is_pinned(tensor):
        return tensor
    with _unseen():
        copy = tensor.clone()
    return _mark(copy, _PINNED)


def _mark(value: Any, *also: str) -> Any:
    """Puts the tensors of a result on the host."""
    for tensor in _tensors((value,)):
        with _unseen():
            try:
                tensor.untyped_storage().__dict__.update(dict.fromkeys((_ON_HOST, *also), True))
            except (NotImplementedError, RuntimeError):
                pass
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
        isinstance(value, str) and value.split(":")[0] in ("cuda", "cpu", "meta")
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
        elif isinstance(value, dict):
            yield from _tensors(value.values())


class _OnTheCpu(TorchFunctionMode):
    """Sends what asks for the GPU to the CPU, and marks what is made on the host."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if function in _NO_MATTER:
            return function(*args, **kwargs)
        answer = _ANSWERS.get(function)
        if answer is not None:
            return answer(*args, **kwargs)
        device = kwargs.get("device")
        if device is None:
            device = next((arg for arg in args if _names_device(arg)), None)
        elif _is_gpu(device):
            kwargs["device"] = "cpu"
        pinned = (_PINNED,) if kwargs.pop("pin_memory", False) else ()
        given = list(_tensors((args, kwargs)))
        result = function(*(_host(arg) for arg in args), **kwargs)
        if device is not None:
            host = not _is_gpu(device)
        elif given:
            host = all(map(on_host, given))
        else:
            host = not _is_gpu(torch.get_default_device())
        # What works in place stays where it is.
        if host and not any(result is tensor for tensor in given):
            _mark(result, *pinned)
        return result


_mode = _OnTheCpu()


def seen(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that torch calls back: what it asks for is seen, although torch does not look while it is at work."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with _mode if is_here() and not torch._C._is_torch_function_mode_enabled() else nullcontext():
            return function(*args, **kwargs)

    return wrapper


# Attributes of tensors. They are replaced in the class, so that they are right in all threads and inside of torch.


def _device_of(tensor: torch.Tensor) -> torch.device:
    with _unseen():
        actual = _Base.device.__get__(tensor)
    return torch._C.device("cuda", 0) if actual.type == "cpu" and not on_host(tensor) else actual


def _to(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """`x.to(...)`: a copy if it changes places."""
    named = kwargs.get("device", args[0] if args else None)
    if isinstance(named, torch.Tensor) or "other" in kwargs:
        other = kwargs.pop("other", named)
        device = _device_of(other)
        args = (device, other.dtype, *args[1:]) if args else (device, other.dtype)
    elif _names_device(named) or type(named) is int:
        device = torch.device("cuda", named) if type(named) is int else torch.device(named)
    else:
        device = _device_of(tensor)
    if device.type not in ("cpu", "cuda") or _device_of(tensor).type not in ("cpu", "cuda"):
        return _mark_unless_gpu(_TO(tensor, *(_host(arg) for arg in args), **_on_cpu(kwargs)), device)
    if args and (_names_device(args[0]) or type(args[0]) is int):
        args = ("cpu", *args[1:])
    with _unseen():
        result = _TO(tensor, *args, **_on_cpu(kwargs))
        if result.data_ptr() == tensor.data_ptr() and _is_gpu(device) == on_host(tensor):
            result = result.clone()
    return _mark_unless_gpu(result, device)


def _on_cpu(kwargs: dict[str, Any]) -> dict[str, Any]:
    device = kwargs.get("device")
    return {**kwargs, "device": "cpu"} if device is not None and _is_gpu(device) else kwargs


def _mark_unless_gpu(result: torch.Tensor, device: torch.device) -> torch.Tensor:
    return result if _is_gpu(device) else _mark(result)


def _move_to_gpu(tensor: torch.Tensor, device: Any = None, *_: Any, **__: Any) -> torch.Tensor:
    return _to(tensor, "cuda")


def _move_to_host(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return _to(tensor, "cpu")


def _data_ptr(tensor: torch.Tensor) -> int:
    with _unseen():
        if _Base.device.__get__(tensor).type != "cpu" or not is_accessible(tensor):
            return _DATA_PTR(tensor)
        return address_of(tensor)


_ATTRIBUTES: dict[str, Any] = {
    "device": property(_device_of),
    "is_cuda": property(lambda tensor: _device_of(tensor).type == "cuda"),
    "is_cpu": property(lambda tensor: _device_of(tensor).type == "cpu"),
    "get_device": lambda tensor: 0 if _device_of(tensor).type == "cuda" else -1,
    "to": _to,
    "cuda": _move_to_gpu,
    "cpu": _move_to_host,
    "data_ptr": _data_ptr,
    "pin_memory": _pinned,
    "is_pinned": _is_pinned,
    "record_stream": lambda *_: None,
}


def _make_device(*args: Any, **kwargs: Any) -> torch.device:
    """`torch.device(...)`: a number is a GPU's."""
    if len(args) == 1 and type(args[0]) is int and not kwargs:
        return torch.device("cuda", args[0])
    return torch.device(*args, **kwargs)


def _parse_to(*args: Any, **kwargs: Any) -> Any:
    """What `Module.to` asks; the tensors' own `to` comes after it."""
    args = tuple(torch.device("cuda", arg) if type(arg) is int else arg for arg in args)
    return torch._C._nn._parse_to(*args, **kwargs)


_ANSWERS: dict[Any, Callable[..., Any]] = {
    torch.device: _make_device,
    torch._C._nn._parse_to: _parse_to,
}
"""What is no function of tensors."""

_NO_MATTER = frozenset(
    getattr(attribute, "__get__") if isinstance(attribute, GetSetDescriptorType) else attribute
    for attribute in (
        getattr(_Base, name)
        for name in "untyped_storage dtype shape layout requires_grad grad_fn ndim nbytes itemsize names stride size "
        "numel element_size storage_offset dim is_contiguous is_floating_point is_complex item tolist".split()
        if hasattr(_Base, name)
    )
)
"""What is the same wherever a tensor is."""


def _factory(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes tensors on a device, also where the mode does not see it: inside of torch's own functions."""

    @functools.wraps(make)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not torch._C._is_torch_function_mode_enabled():
            kwargs = _on_cpu(kwargs)
        return make(*args, **kwargs)

    return wrapper


def _made_on_host(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that torch does not show to modes, and that makes tensors of the host's memory."""

    @functools.wraps(make)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return _mark(make(*args, **kwargs))

    return wrapper


def _load(load: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.load`: to the GPU is a copy of what is on the host."""

    @functools.wraps(load)
    def wrapper(file: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        to_gpu = _is_gpu(map_location) and map_location is not None
        loaded = load(file, "cpu", *args, **kwargs) if to_gpu else load(file, map_location, *args, **kwargs)
        return loaded if to_gpu else _mark(loaded)

    return wrapper


def _compile(model: Any = None, **_: Any) -> Any:
    """`torch.compile`: what is not compiled computes the same."""
    return (lambda one: one) if model is None else model


def _replacements() -> list[tuple[Any, str, Any]]:
    """What else than functions of tensors asks for a GPU: where it is, its name, what stands there instead."""
    operators = Operators(on_host, seen)
    factories = torch.utils._device._device_constructors()
    return [
        *_cuda.replacements(),
        *((torch.Tensor, name, attribute) for name, attribute in _ATTRIBUTES.items()),
        *((torch, name, _factory(made)) for name, made in vars(torch).items() if _is_in(made, factories)),
        (torch, "from_numpy", _made_on_host(torch.from_numpy)),
        (torch, "frombuffer", _made_on_host(torch.frombuffer)),
        (torch, "from_dlpack", _made_on_host(torch.from_dlpack)),
        (torch, "load", _load(torch.load)),
        (torch, "compile", _compile),
        (torch.library.Library, "impl", operators.impl),
        (torch.autograd, "_engine_run_backward", seen(torch.autograd._engine_run_backward)),
        (torch.autograd.graph, "_engine_run_backward", seen(torch.autograd.graph._engine_run_backward)),
    ]


def _is_in(value: Any, functions: set[Any]) -> bool:
    return callable(value) and getattr(value, "__hash__", None) is not None and value in functions
