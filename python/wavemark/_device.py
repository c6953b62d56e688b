"""Devices, modules, kernels, launches."""

import ctypes
import os
import struct

from . import _wavemark
from ._memory import Shared, pointer_of
from ._report import Report

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class Device:
    """A device: the memory and the variables of its modules stay as launches leave them."""

    def __init__(self):
        self._native = _wavemark.Device()

    def load(self, path, *, target=None, lang=None):
        """Loads a code object, an offload bundle or assembly from a file."""
        path = os.fspath(path)
        with open(path, "rb") as file:
            contents = file.read()
        return self._load(path, contents, path, target, lang)

    def loads(self, contents, *, name="<memory>", target=None, lang=None):
        """Loads assembly text (`str`), or the bytes of a code object or bundle."""
        if isinstance(contents, str):
            contents, lang = contents.encode(), lang or "asm"
        return self._load(name, bytes(contents), None, target, lang)

    def allocate(self, contents, *, name="memory"):
        """The address of new memory that holds `contents`: bytes, or so many zeros."""
        contents = bytes(contents)
        return self._native.allocate(name, contents)

    def read(self, address, size):
        """`size` bytes of memory."""
        return self._native.read(address, size)

    def write(self, address, contents):
        """Writes bytes into memory."""
        self._native.write(address, bytes(contents))

    def free(self, address):
        """Frees the memory that begins at an address."""
        self._native.free(address)

    def _load(self, name, contents, path, target, lang):
        return Module(self, self._native.load(name, contents, path, lang, target))


class Module:
    """A code object in a device."""

    def __init__(self, device, number):
        self._device = device
        self._number = number

    @property
    def kernels(self):
        """The names of its kernels."""
        return self._device._native.kernels(self._number)

    def kernel(self, name=None):
        """The kernel called `name`, or the only one."""
        names = self.kernels
        if name is None:
            if len(names) != 1:
                raise _wavemark.Error(f"the module has {len(names)} kernels, say which: {', '.join(names)}")
            name = names[0]
        return Kernel(self._device, self._number, name)


class Kernel:
    """A kernel of a module."""

    def __init__(self, device, module, name):
        self._device = device
        self._module = module
        self.name = name
        self._parameters = device._native.parameters(module, name)

    def __repr__(self):
        return f"<wavemark.Kernel {self.name}>"

    def launch(
        self,
        grid,
        block,
        arguments=(),
        *,
        cluster=None,
        dynamic_lds=0,
        check="full",
        completion="late",
        seed=0,
        threads=None,
        max_steps=None,
        timeout=300.0,
        model=(),
    ):
        """Runs the kernel to its end and gives the report.

        `grid` counts workgroups, `block` work-items, `cluster` workgroups: a number or up to three. `arguments` are arrays and
        numbers in the order of the kernel's parameters, or the bytes of the whole argument segment, in which
        addresses are those of `Device` memory. The rest is as on the command line.
        """
        native = self._device._native
        options = dict(
            cluster=None if cluster is None else _three(cluster, "cluster"),
            dynamic_lds=dynamic_lds,
            check=check,
            completion=completion,
            seed=seed,
            threads=threads,
            max_steps=max_steps,
            timeout=timeout,
            model=list(model),
        )
        shape = (_three(grid, "grid"), _three(block, "block"))
        if isinstance(arguments, (bytes, bytearray)):
            report = native.launch(self._module, self.name, *shape, [], segment=bytes(arguments), **options)
            return Report(report)
        arguments = list(arguments)
        if self._parameters is not None and len(arguments) != len(self._parameters):
            raise TypeError(f"{self.name} takes {len(self._parameters)} arguments, found {len(arguments)}")
        names = [self._name(index) for index in range(len(arguments))]
        pointers = [pointer_of(argument) for argument in arguments]
        with Shared(native, [one for one in zip(names, pointers) if one[1] is not None]) as shared:
            passed = []
            for index, (name, argument, pointer) in enumerate(zip(names, arguments, pointers)):
                if pointer is not None:
                    passed.append((name, shared.address(pointer), b""))
                else:
                    passed.append((name, None, self._value(index, name, argument)))
            report = native.launch(self._module, self.name, *shape, passed, **options)
            shared.copy_out()
        return Report(report)

    def _name(self, index):
        name = self._parameters[index][0] if self._parameters is not None else None
        return name or str(index)

    def _value(self, index, name, value):
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


def _integer(name, value, size):
    try:
        return value.to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise OverflowError(f"argument {name}: {value} does not fit into {size} bytes") from None


def _three(extent, what):
    """An extent in three dimensions."""
    extents = [extent] if isinstance(extent, int) else list(extent)
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"{what} has 1 to 3 dimensions, not {len(extents)}")
    return extents + [1] * (3 - len(extents))


def load(path, *, target=None, lang=None):
    """Loads a code object, an offload bundle or assembly from a file into a device of its own."""
    return Device().load(path, target=target, lang=lang)


def loads(contents, *, name="<memory>", target=None, lang=None):
    """The same from memory: assembly text, or the bytes of a code object or bundle."""
    return Device().loads(contents, name=name, target=target, lang=lang)
