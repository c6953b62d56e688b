"""Where the memory of Python objects is, and what a launch sees of it."""

from __future__ import annotations

import ctypes
import functools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple


class Region(NamedTuple):
    """Host memory that somebody owns."""

    start: int
    """Its address."""
    size: int
    """Its bytes."""
    writable: bool
    """It may be written."""
    owner: object
    """What keeps it alive."""


class Pointer(NamedTuple):
    """A place in a region: what a kernel gets as the address of an array."""

    address: int
    region: Region


def pointer_of(value):
    """The memory of `value`, or None if it is no array.

    The region is all that the owner of the memory has, so that a kernel may leave a view as it may on a GPU.
    """
    return _way(type(value))(value)


@functools.cache
def _way(kind: type) -> Callable[[Any], Pointer | None]:
    """How the memory of values of a type is found: each launch asks for each of its arguments."""
    # A number of numpy has an address like an array.
    scalar = any(base.__module__ == "numpy" and base.__name__ == "generic" for base in kind.__mro__)
    if scalar or issubclass(kind, (int, float, ctypes._SimpleCData, ctypes.Structure)):
        return lambda _: None
    if hasattr(kind, "untyped_storage"):
        return _of_tensor
    if hasattr(kind, "__array_interface__"):
        return _of_array
    return _of_any


def _of_any(value):
    if hasattr(value, "untyped_storage"):
        return _of_tensor(value)
    if hasattr(value, "__array_interface__"):
        return _of_array(value)
    try:
        view = memoryview(value)
    except TypeError:
        return _of_dlpack(value)
    return _of_buffer(view)


def _of_tensor(tensor):
    if tensor.device.type != "cpu":
        raise TypeError(f"a tensor on {tensor.device} cannot be passed: only those on the CPU can")
    storage = tensor.untyped_storage()
    return Pointer(tensor.data_ptr(), Region(storage.data_ptr(), storage.nbytes(), True, tensor))


def _of_array(array):
    root = array
    while hasattr(base := getattr(root, "base", None), "__array_interface__"):
        root = base
    # It is made each time that it is asked for.
    whole = root.__array_interface__
    start, end = _bounds(whole)
    address, read_only = (whole if root is array else array.__array_interface__)["data"]
    return Pointer(address, Region(start, end - start, not read_only, array))


def _bounds(interface):
    """The first byte of an array and the one behind its last."""
    start = end = interface["data"][0]
    size = int(interface["typestr"][2:])
    shape, strides = interface["shape"], interface.get("strides")
    if 0 in shape:
        return start, start
    if strides is None:
        for extent in shape:
            size *= extent
        return start, start + size
    for extent, stride in zip(shape, strides):
        if stride < 0:
            start += (extent - 1) * stride
        else:
            end += (extent - 1) * stride
    return start, end + size


def _of_buffer(view):
    if not view.contiguous:
        raise TypeError("a buffer whose bytes are not one behind the other cannot be passed")
    if view.nbytes == 0:
        return Pointer(0, Region(0, 0, False, view))
    if view.readonly:
        # Its address cannot be had, but nobody may write there.
        copy = (ctypes.c_char * view.nbytes).from_buffer_copy(view.cast("B"))
        address = ctypes.addressof(copy)
        return Pointer(address, Region(address, view.nbytes, False, copy))
    array = (ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))
    address = ctypes.addressof(array)
    return Pointer(address, Region(address, view.nbytes, True, array))


def _of_dlpack(value):
    if not hasattr(value, "__dlpack__"):
        return None
    try:
        import numpy
    except ImportError:
        raise TypeError("an array that has only DLPack needs numpy") from None
    return _of_array(numpy.from_dlpack(value))


class Shared:
    """The memory of a launch's arguments on a device, from `with` to the end of its block.

    It is the owners' memory, not a copy. Regions that overlap are one allocation.
    """

    def __init__(self, device, pointers):
        self._device = device
        self._pointers = pointers
        self._areas = []

    def __enter__(self):
        found = [
            (region.start, region.start + region.size, at, name, region.writable)
            for at, (name, (_, region)) in enumerate(self._pointers)
            if region.size
        ]
        found.sort()
        areas = self._areas
        for start, end, at, name, writable in found:
            if areas and start < areas[-1].end:
                areas[-1].join(end, at, writable)
            else:
                areas.append(_Area(start, end, at, name, writable))
        # Where arguments are on the device does not depend on where they are on the host.
        areas.sort(key=_at)
        try:
            for area in areas:
                area.base = self._device._map(
                    f"argument `{area.name}`", area.start, area.end - area.start, area.writable
                )
        except BaseException:
            self._forget()
            raise
        return self

    def address(self, pointer):
        """The device address of what is at `pointer` on the host; 0 for no memory."""
        for area in self._areas:
            if area.start <= pointer.address < area.end:
                return area.base + pointer.address - area.start
        return 0

    def __exit__(self, kind, error, trace):
        self._forget()

    def _forget(self):
        # The last first: the device takes back what was mapped last.
        for area in reversed(self._areas):
            if area.base is not None:
                self._device._native.take_back(area.base)
        self._areas = []


class _Area:
    """Regions that overlap."""

    __slots__ = ("start", "end", "at", "name", "writable", "base")

    def __init__(self, start, end, at, name, writable):
        self.start, self.end, self.at, self.name, self.writable = start, end, at, name, writable
        self.base = None

    def join(self, end, at, writable):
        self.end = max(self.end, end)
        self.at = min(self.at, at)
        self.writable |= writable


_at = operator.attrgetter("at")
