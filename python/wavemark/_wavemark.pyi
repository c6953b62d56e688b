"""The native half of the package: bytes, addresses, names."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Protocol

__version__: str

def set_max_memory(size: int) -> None:
    """Bytes that one request of an input may take."""

def limits(target: str) -> tuple[int, int, int]:
    """Bytes of LDS that a workgroup may have, work-items of a wave and of a workgroup, at most."""

def page(reports: Sequence[Report]) -> str:
    """Reports as one HTML page."""

def expand(inputs: Sequence[PathLike[str] | str]) -> list[tuple[Path, Path | None]]:
    """The kernels that paths name, with their launch files."""

def sarif(reports: Sequence[Report]) -> str:
    """The findings of reports as SARIF."""

class _Printed(Protocol):
    """A module as TVM prints it; the names say what `tvm.py` says of them."""

    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def files(self) -> list[tuple[str, str]]: ...
    @property
    def origins(self) -> list[tuple[int, int, int, int]]: ...

def pipeline_tile(
    script: _Printed, *, tvm_compatible: bool = False, target: str | None = None, draw: bool = False
) -> tuple[str, list[tuple[str | None, str]], list[tuple[str, str]]]:
    """The module with its pipelines written out, what was decided, and pictures with the names of their functions."""

def plan_tile(script: _Printed) -> tuple[str, str]:
    """The module with the annotations of pipelines, and what was decided, as JSON."""

def check_tile(script: _Printed) -> Report:
    """The checker's report on the waits of a module."""

class Error(Exception):
    """The input, the launch or the options cannot be used."""

class Unsupported(Error):
    """What is asked for is not modelled."""

class Device:
    """A device: memory and modules."""

    def __new__(cls) -> Device: ...
    def allocate(self, name: str, contents: bytes) -> int: ...
    def map(self, name: str, start: int, size: int, writable: bool) -> int: ...
    def read(self, address: int, size: int) -> bytes: ...
    def write(self, address: int, contents: bytes) -> None: ...
    def free(self, address: int) -> None: ...
    def take_back(self, address: int) -> None: ...
    def load(
        self,
        name: str,
        contents: bytes,
        lang: str | None = None,
        target: str | None = None,
    ) -> int: ...
    def unload(self, module: int) -> None: ...
    def kernels(self, module: int) -> list[str]: ...
    def parameters(self, module: int, kernel: str) -> list[tuple[str | None, int, str]] | None: ...
    def launch(
        self,
        module: int,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[tuple[str, int | None, bytes]],
        *,
        segment: bytes | None = None,
        cluster: Sequence[int] | None = None,
        dynamic_lds: int = 0,
        check: str = "full",
        completion: str = "late",
        seed: int = 0,
        threads: int | None = None,
        max_steps: int | None = None,
        timeout: float | None = None,
        model: Sequence[str] = ...,
        record: bool = False,
    ) -> Report: ...
    def capture(
        self,
        module: int,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[tuple[str, int | None, bytes]],
        *,
        segment: bytes | None = None,
        cluster: Sequence[int] | None = None,
        dynamic_lds: int = 0,
    ) -> bytes: ...

class Report:
    """What a launch came to."""

    @property
    def text(self) -> str: ...
    @property
    def exit_status(self) -> int: ...
    @property
    def kernel(self) -> str: ...
    @property
    def findings(self) -> int: ...
    @property
    def errors(self) -> int: ...
    @property
    def printed(self) -> list[tuple[bool, str]]: ...
    @property
    def unsupported(self) -> list[str]: ...
    @property
    def cost(self) -> tuple[int, float]: ...
    def json(self) -> str: ...
    def pictures(self) -> list[tuple[int | None, str]]: ...
    def trace(self) -> str | None: ...

class Campaign:
    """A campaign, and what of it has been run."""

    def __new__(cls, plan: str, journal: PathLike[str] | str | None = None, timeout: float | None = None) -> Campaign: ...
    @property
    def plan(self) -> str: ...
    @property
    def units(self) -> int: ...
    def left(self) -> list[int]: ...
    def add(self, line: str) -> bool: ...
    def run(self, number: int) -> str: ...
    def run_all(self, jobs: int, progress: Callable[[], object] | None) -> None: ...
    def stop(self) -> None: ...
    @property
    def stopped(self) -> bool: ...
    def text(self) -> str: ...
    def json(self) -> str: ...
    @property
    def exit_status(self) -> int: ...
