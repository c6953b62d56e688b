"""What `torch.cuda`, `torch.accelerator` and `torch.version` say while a device seems to be there (`wavemark.torch`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from . import _wavemark
from ._device import COMPUTE_UNITS

HIP = "7.0.0"
"""What `torch.version.hip` says."""

_TOTAL_MEMORY = 64 << 30
"""The bytes of memory that the device says it has."""

archs: list[str] = []
"""The processors of the blocks that are entered; the last one is asked."""


def _is_gpu(device: Any) -> bool:
    return type(device) is int or str(device).split(":")[0] == "cuda"


class Generator(torch.Generator):
    """A generator; a GPU's is of Philox, whose state is a seed and an offset."""

    def __new__(cls, device: Any = "cpu") -> Generator:
        made = super().__new__(cls, device="cpu")
        made._gpu, made._offset = _is_gpu(device), 0
        return made

    @property
    def device(self) -> torch.device:
        """The device that it says it is of."""
        return torch.device("cuda", 0) if self._gpu else torch.device("cpu")

    def manual_seed(self, seed: int) -> Generator:
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
        words = torch.tensor([self.initial_seed(), self._offset], dtype=torch.uint64, device="cpu")
        return words.view(torch.uint8)

    def set_state(self, state: torch.Tensor) -> Generator:
        """Sets what `get_state` has given."""
        if not self._gpu:
            super().set_state(state)
            return self
        seed, offset = state.view(torch.uint64).tolist()
        self.manual_seed(seed)
        self._offset = offset
        return self

    def graphsafe_get_state(self) -> Generator:
        """Another generator in the same state."""
        return self.clone_state()

    def clone_state(self) -> Generator:
        """Another generator in the same state."""
        other = Generator("cuda" if self._gpu else "cpu")
        other.set_state(self.get_state())
        return other


class Stream:
    """A stream: what is launched has ended when the launch returns."""

    device = property(lambda self: torch.device("cuda", 0))
    device_type = 1
    cuda_stream = stream_id = device_index = priority = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return 0

    def synchronize(self) -> None:
        """Waits for what is launched, which has ended."""

    def wait_stream(self, other: Any) -> None:
        """Waits for another one, which has ended all."""

    def wait_event(self, event: Any) -> None:
        """Waits for an event, which has happened."""

    def record_event(self, event: Event | None = None) -> Event:
        """An event that has happened now."""
        event = event or Event()
        event.record()
        return event

    def query(self) -> bool:
        """Whether all has ended."""
        return True


class ExternalStream(Stream):
    """A stream that somebody else has made."""


class Event:
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

    def elapsed_time(self, later: Event) -> float:
        """Milliseconds from this one to a later one."""
        return (later._time - self._time) * 1e3


class Selected:
    """`torch.cuda.device(0)`."""

    def __init__(self, *_: Any) -> None:
        self.idx = 0

    def __enter__(self) -> Selected:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class SelectedOf(Selected):
    """`torch.cuda.device_of(x)`."""


class Autocast(torch.autocast):
    """Autocasting of the GPU's operations, which are the CPU's."""

    def __init__(self, device_type: str, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
        if _is_gpu(device_type):
            device_type, dtype = "cpu", dtype or torch.float16
        super().__init__(device_type, dtype, *args, **kwargs)


class CudaAutocast(Autocast):
    """`torch.cuda.amp.autocast`, whose device is said."""

    def __init__(
        self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool | None = None
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


def properties(*_: Any) -> SimpleNamespace:
    """`torch.cuda.get_device_properties`."""
    arch = archs[-1]
    lds, lanes, work_items = _wavemark.limits(arch)
    major, minor = capability()
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
        clock_rate=1_000_000,
        memory_clock_rate=1_000_000,
        memory_bus_width=4096,
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
        is_integrated=False,
        is_multi_gpu_board=False,
    )


def capability(*_: Any) -> tuple[int, int]:
    """The first digits of the processor's name, as ROCm has it, and the one before the last."""
    digits = archs[-1].removeprefix("gfx")
    return int(digits[:-2]), int(digits[-2], 16)


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def replacements() -> list[tuple[Any, str, Any]]:
    """Where something is, its name, what stands there instead."""
    cuda, accelerator, stream = torch.cuda, torch.accelerator, Stream()
    generator = Generator("cuda")
    autocast_enabled, autocast_dtype = torch.is_autocast_enabled, torch.get_autocast_dtype

    def seeding() -> Callable[[int], None]:
        def manual_seed(seed: int) -> None:
            generator.manual_seed(int(seed))
            torch.default_generator.manual_seed(int(seed))

        return manual_seed

    def is_autocast_enabled(device_type: str = "cuda") -> bool:
        return autocast_enabled("cpu" if _is_gpu(device_type) else device_type)

    def get_autocast_dtype(device_type: str) -> torch.dtype:
        return autocast_dtype("cpu" if _is_gpu(device_type) else device_type)

    # A function for each name: torch's compiler tells them apart by identity.
    return [
        (torch.version, "hip", HIP),
        (torch.version, "cuda", None),
        (torch, "Generator", Generator),
        (torch, "autocast", Autocast),
        (torch.amp, "autocast", Autocast),
        (torch.amp.autocast_mode, "autocast", Autocast),
        (cuda.amp, "autocast", CudaAutocast),
        (torch, "is_autocast_enabled", is_autocast_enabled),
        (torch, "get_autocast_dtype", get_autocast_dtype),
        (torch, "get_autocast_gpu_dtype", lambda: get_autocast_dtype("cuda")),
        (torch._C, "_cuda_getCurrentRawStream", _always(0)),
        (cuda, "is_available", _always(True)),
        (cuda, "is_initialized", _always(True)),
        (cuda, "is_bf16_supported", _always(True)),
        (cuda, "init", _always(None)),
        (cuda, "_lazy_init", _always(None)),
        (cuda, "device_count", _always(1)),
        (cuda, "current_device", _always(0)),
        (cuda, "set_device", _always(None)),
        (cuda, "device", Selected),
        (cuda, "device_of", SelectedOf),
        (cuda, "get_device_capability", capability),
        (cuda, "get_device_name", lambda *_: properties().name),
        (cuda, "get_device_properties", properties),
        (cuda, "get_arch_list", lambda: [archs[-1]]),
        (cuda, "synchronize", _always(None)),
        (cuda, "empty_cache", _always(None)),
        (cuda, "ipc_collect", _always(None)),
        (cuda, "mem_get_info", _always((_TOTAL_MEMORY, _TOTAL_MEMORY))),
        (cuda, "memory_allocated", _always(0)),
        (cuda, "max_memory_allocated", _always(0)),
        (cuda, "memory_reserved", _always(0)),
        (cuda, "max_memory_reserved", _always(0)),
        (cuda, "reset_peak_memory_stats", _always(None)),
        (cuda, "memory_stats", _always({})),
        (cuda, "is_current_stream_capturing", _always(False)),
        (cuda, "Stream", Stream),
        (cuda, "ExternalStream", ExternalStream),
        (cuda, "Event", Event),
        (cuda, "stream", lambda *_: Stream()),
        (cuda, "current_stream", _always(stream)),
        (cuda, "default_stream", _always(stream)),
        (cuda, "set_stream", _always(None)),
        (cuda, "manual_seed", seeding()),
        (cuda, "manual_seed_all", seeding()),
        (cuda, "initial_seed", generator.initial_seed),
        (cuda, "get_rng_state", lambda *_: generator.get_state()),
        (cuda, "get_rng_state_all", lambda: [generator.get_state()]),
        (cuda, "set_rng_state", lambda state, *_: generator.set_state(state)),
        (cuda, "set_rng_state_all", lambda states: generator.set_state(states[0])),
        (cuda, "default_generators", (generator,)),
        (accelerator, "is_available", _always(True)),
        (accelerator, "device_count", _always(1)),
        (accelerator, "current_accelerator", lambda *_, **__: torch.device("cuda")),
        (accelerator, "current_device_index", _always(0)),
        (accelerator, "current_device_idx", _always(0)),
        (accelerator, "set_device_index", _always(None)),
        (accelerator, "set_device_idx", _always(None)),
        (accelerator, "current_stream", _always(stream)),
        (accelerator, "set_stream", _always(None)),
        (accelerator, "synchronize", _always(None)),
        (accelerator, "empty_cache", _always(None)),
    ]
