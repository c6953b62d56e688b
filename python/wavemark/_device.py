"""Devices, modules, kernels, launches."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from . import _wavemark
from ._memory import Shared, pointer_of
from ._report import Report

COMPUTE_UNITS = 4
"""What a device says of itself where kernels ask how many programs to start. Each launch runs whole, whatever it is."""

_THREADS = 1 if "PYTEST_XDIST_WORKER" in os.environ else os.cpu_count() or 1
"""Threads of a launch that is worth them, if nobody says; workers of pytest-xdist are as many as there are cores already."""

_WORTH_THREADS = 16
"""Workgroups of such a launch."""

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class Device:
    """A device: the memory and the variables of its modules stay as launches leave them."""

    def __init__(self) -> None:
        self._native = _wavemark.Device()
        self._gone: list[int] = []

    def load(
        self, path: str | os.PathLike[str], *, target: str | None = None, lang: str | None = None
    ) -> Module:
        """Loads a code object, an offload bundle or assembly from a file."""
        path = os.fspath(path)
        with open(path, "rb") as file:
            contents = file.read()
        return self._load(path, contents, target, lang)

    def loads(
        self,
        contents: str | bytes,
        *,
        name: str = "<memory>",
        target: str | None = None,
        lang: str | None = None,
    ) -> Module:
        """Loads assembly text (`str`), or the bytes of a code object or bundle."""
        if isinstance(contents, str):
            contents, lang = contents.encode(), lang or "asm"
        return self._load(name, bytes(contents), target, lang)

    def allocate(self, contents: bytes | int, *, name: str = "memory") -> int:
        """The address of new memory that holds `contents`: bytes, or so many zeros."""
        return self._native.allocate(name, bytes(contents))

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes of memory."""
        return self._native.read(address, size)

    def write(self, address: int, contents: bytes) -> None:
        """Writes bytes into memory."""
        self._native.write(address, bytes(contents))

    def free(self, address: int) -> None:
        """Frees the memory that begins at an address."""
        self._native.free(address)

    def _map(self, name: str, start: int, size: int, writable: bool) -> int:
        """The address of memory that is the host's."""
        self._free_gone()
        return self._native.map(name, start, size, writable)

    def _free_later(self, address: int) -> None:
        """Frees memory before anything is launched: whoever owned it may go in the middle of anything."""
        self._gone.append(address)

    def _free_gone(self) -> None:
        while self._gone:
            self._native.free(self._gone.pop())

    def _load(self, name: str, contents: bytes, target: str | None, lang: str | None) -> Module:
        return Module(self, self._native.load(name, contents, lang, target))


@functools.cache
def default_device() -> Device:
    """The device of those that name none."""
    return Device()


class Module:
    """A code object in a device."""

    def __init__(self, device: Device, number: int) -> None:
        self._device = device
        self._number = number

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels."""
        return self._device._native.kernels(self._number)

    def kernel(self, name: str | None = None) -> Kernel:
        """The kernel called `name`, or the only one."""
        names = self.kernels
        if name is None:
            if len(names) != 1:
                raise _wavemark.Error(f"the module has {len(names)} kernels, say which: {', '.join(names)}")
            name = names[0]
        return Kernel(self._device, self._number, name)

    def unload(self) -> None:
        """Frees its code and its variables."""
        self._device._native.unload(self._number)


class Kernel:
    """A kernel of a module."""

    def __init__(self, device: Device, module: int, name: str) -> None:
        self._device = device
        self._module = module
        self.name = name
        self._parameters = device._native.parameters(module, name)

    def __repr__(self) -> str:
        return f"<wavemark.Kernel {self.name}>"

    def launch(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Iterable[Any] | bytes = (),
        *,
        cluster: int | Sequence[int] | None = None,
        dynamic_lds: int = 0,
        check: str = "full",
        completion: str = "late",
        seed: int = 0,
        threads: int | None = None,
        max_steps: int | None = None,
        timeout: float | None = 300.0,
        model: Sequence[str] = (),
        record: bool = False,
        capture: str | os.PathLike[str] | None = None,
    ) -> Report:
        """Runs the kernel to its end and gives the report.

        `grid` counts workgroups, `block` work-items, `cluster` workgroups: a number or up to three. `arguments` are arrays and
        numbers in the order of the kernel's parameters, or the bytes of the whole argument segment, in which
        addresses are those of `Device` memory. `record` keeps what happens for pictures, page and trace of the report.
        `capture` names a file that the launch is written to before it runs, with the memory that it finds: an input
        of `wavemark run`, `wavemark check` and campaigns. The rest is as on the command line; without `threads`, a
        launch of many workgroups uses all cores.
        """
        options: dict[str, Any] = {
            "cluster": None if cluster is None else _three(cluster, "cluster"),
            "dynamic_lds": dynamic_lds,
            "check": check,
            "completion": completion,
            "seed": seed,
            "threads": threads,
            "max_steps": max_steps,
            "timeout": timeout,
            "model": list(model),
            "record": record,
            "capture": capture,
        }
        grid, block = _three(grid, "grid"), _three(block, "block")
        if isinstance(arguments, (bytes, bytearray)):
            return self._run(grid, block, [], segment=bytes(arguments), **options)
        arguments = list(arguments)
        if self._parameters is not None and len(arguments) != len(self._parameters):
            raise TypeError(f"{self.name} takes {len(self._parameters)} arguments, found {len(arguments)}")
        named = [(self._name(index), pointer_of(argument)) for index, argument in enumerate(arguments)]
        with Shared(self._device, [one for one in named if one[1] is not None]) as shared:
            passed = [
                (name, None, self._value(index, name, arguments[index]))
                if pointer is None
                else (name, shared.address(pointer), b"")
                for index, (name, pointer) in enumerate(named)
            ]
            return self._run(grid, block, passed, **options)

    def _run(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        passed: list[tuple[str, int | None, bytes]],
        *,
        capture: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Report:
        """Launches with addresses and bytes, and prints what the kernel prints."""
        self._device._free_gone()
        native, which = self._device._native, (self._module, self.name, grid, block, passed)
        if options.get("threads") is None and grid[0] * grid[1] * grid[2] >= _WORTH_THREADS:
            options["threads"] = _THREADS
        if capture is not None:
            extent = {name: options[name] for name in ("segment", "cluster", "dynamic_lds") if name in options}
            captured = native.capture(*which, **extent)
            with open(capture, "wb") as file:
                file.write(captured)
        report = Report(native.launch(*which, **options))
        for is_error, text in report.printed:
            print(text, end="", file=sys.stderr if is_error else sys.stdout, flush=True)
        return report

    def _name(self, index: int) -> str:
        name = self._parameters[index][0] if self._parameters is not None else None
        return name or str(index)

    def _value(self, index: int, name: str, value: Any) -> bytes:
        """The bytes of an argument that is no array."""
        if isinstance(value, (ctypes._SimpleCData, ctypes.Structure)):
            return bytes(value)
        if hasattr(value, "dtype") and hasattr(value, "tobytes"):
            return value.tobytes()
        if self._parameters is None:
            raise TypeError(
                f"argument {name}: the code object does not say what {self.name} takes; pass a number of ctypes or numpy"
            )
        size = self._parameters[index][1]
        if value is None:
            return bytes(size)
        if isinstance(value, int):
            return _integer(name, value, size)
        if isinstance(value, float):
            if size not in _FLOATS:
                raise TypeError(f"argument {name} has {size} bytes, which no float has")
            return struct.pack(_FLOATS[size], value)
        raise TypeError(f"argument {name}: {type(value).__name__} is neither an array nor a number")


def _integer(name: str, value: int, size: int) -> bytes:
    try:
        return value.to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise OverflowError(f"argument {name}: {value} does not fit into {size} bytes") from None


def _three(extent: int | Sequence[int], what: str) -> list[int]:
    """An extent in three dimensions."""
    extents = [extent] if isinstance(extent, int) else list(extent)
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"{what} has 1 to 3 dimensions, not {len(extents)}")
    return extents + [1] * (3 - len(extents))


def load(path: str | os.PathLike[str], *, target: str | None = None, lang: str | None = None) -> Module:
    """Loads a code object, an offload bundle or assembly from a file into a device of its own."""
    return Device().load(path, target=target, lang=lang)


def loads(
    contents: str | bytes, *, name: str = "<memory>", target: str | None = None, lang: str | None = None
) -> Module:
    """The same from memory: assembly text, or the bytes of a code object or bundle."""
    return Device().loads(contents, name=name, target=target, lang=lang)
