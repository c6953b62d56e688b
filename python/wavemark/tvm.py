"""TVM's software pipelines by Wavemark: a pass that takes the place of TVM's own, a planner and a checker.

    passes = [..., wavemark.tvm.InjectSoftwarePipeline(), ...]     # in a pipeline of one's own
    with wavemark.tvm.use():                                       # in the pipelines of TVM
        executable = tvm.compile(module, target="c")
    assert wavemark.tvm.check(module).ok                           # any module, pipelined by whomever
    planned = wavemark.tvm.plan(module)                            # loops with `num_stages` alone

Modules come and go as TVMScript. What is said of them is at lines of the file that they were written in, where TVM remembers
it (it parsed the function, and no pass has made the statement anew), else at lines of the script. What this needs of TVM's
internals is in this file (TVM 0.27).
"""

from __future__ import annotations

import contextlib
import json
import linecache
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import tvm
import tvm_ffi
from tvm import s_tir, tirx

from . import _wavemark
from ._report import Picture, Report

_log = logging.getLogger(__name__)

_ASKING = {"software_pipeline_stage", "software_pipeline_order", "num_stages"}
"""Annotations of loops that ask for a pipeline."""

_AROUND = (s_tir.SBlockRealize, s_tir.SBlock, tirx.SeqStmt)
"""What a pass makes around statements, and the first of them comes right behind."""

_REMARK = re.compile(r"\s*# wavemark (\d+)\b.*$")
"""The number of a statement, as TVM's printer puts it."""

_SCRIPT = "<script>"
"""What a printed module is called."""


def InjectSoftwarePipeline(*, target: str | None = None, tvm_compatible: bool = False) -> Any:
    """The pass that takes the place of `tvm.s_tir.transform.InjectSoftwarePipeline`.

    Loops with `num_stages` alone are planned first. Functions whose loops ask for nothing stay as they are. What was
    decided goes to the logger `wavemark.tvm` at level INFO; what cannot be pipelined is a `tvm.error.DiagnosticError` with its
    place. `target`, such as "gfx950", is a processor whose LDS must hold the buffers. With `tvm_compatible`, what TVM refuses is
    refused, although there is a right program.
    """

    if target is not None:
        _wavemark.limits(target)

    def transform(module: Any, _: Any) -> Any:
        try:
            changed, notes = _pipelined(module, target, tvm_compatible)
        except _wavemark.Error as error:
            raise tvm.error.DiagnosticError(str(error)) from None
        for note in notes:
            _log.info("%s", note)
        return changed

    return tvm.transform.module_pass(transform, opt_level=0, name="wavemark.InjectSoftwarePipeline")


@contextlib.contextmanager
def use(*, target: str | None = None, tvm_compatible: bool = False) -> Iterator[None]:
    """Within it, pipelines that take TVM's pass take ours: they ask `tvm.s_tir.transform` for it when they run."""
    before = s_tir.transform.InjectSoftwarePipeline
    s_tir.transform.InjectSoftwarePipeline = lambda: InjectSoftwarePipeline(target=target, tvm_compatible=tvm_compatible)
    try:
        yield
    finally:
        s_tir.transform.InjectSoftwarePipeline = before


def check(module: Any) -> Report:
    """Proves the waits of a module's pipelines, or says what is wrong with them.

    Loops that ask to be pipelined are pipelined first: what would run is checked.
    """
    return Report(_wavemark.check_tile(_printed(module, _functions(module))))


def pictures(module: Any) -> list[Picture]:
    """Time across, statements down: the first pipeline of each function. Loops that ask to be pipelined are pipelined first."""
    _, _, drawn = _wavemark.pipeline_tile(_printed(module, _functions(module)), draw=True)
    return [Picture(function, svg) for function, svg in drawn]


def plan(module: Any) -> Plan:
    """Plans the loops of a module that have `num_stages` alone."""
    functions = _functions(module)
    text, loops = _wavemark.plan_tile(_printed(module, functions))
    return Plan(_with_functions(module, functions, text), [PlannedLoop(**one) for one in json.loads(loops)])


@dataclass(frozen=True)
class PlannedLoop:
    """What was decided for one loop."""

    function: str
    """The function that it is in."""
    name: str
    """Its variable."""
    place: str | None
    """Where it is."""
    num_stages: int
    """What it asks for."""
    statements: list[str]
    """Its statements."""
    stages: list[int]
    """The stage of each."""
    order: list[int]
    """The position of each in an iteration of the pipeline."""
    async_stages: list[int]
    """The stages that are asynchronous."""
    versions: list[tuple[str, int]]
    """Buffers that are allocated in the loop, and how many versions each has."""
    lds_bytes_before: int | None
    """Bytes of LDS without a pipeline; `None` where they depend on shapes."""
    lds_bytes_after: int | None
    """Bytes of LDS with one."""
    remarks: list[str]
    """What could not overlap, and why."""
    summary: str = field(repr=False)
    """All of it in a line."""

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        return "\n".join([where + self.summary, *(f"{where}loop `{self.name}`: {remark}" for remark in self.remarks)])


@dataclass(frozen=True)
class Plan:
    """What was decided for the loops of a module; a notebook shows the picture of the first pipeline."""

    module: Any = field(repr=False)
    """The module with the annotations of a pipeline, which TVM's pass and ours read."""
    loops: list[PlannedLoop]
    """The loops that had `num_stages` alone."""

    @property
    def pictures(self) -> list[Picture]:
        """The pipelines that come of it."""
        return pictures(self.module)

    def _repr_svg_(self) -> str | None:
        return self.pictures[0].svg if self.loops else None

    def __str__(self) -> str:
        return "\n".join(map(str, self.loops)) or "no loop has `num_stages` alone"


class _Script(NamedTuple):
    """A module as text, and what is known of where it comes from."""

    name: str
    text: str
    files: list[tuple[str, str]]
    """Name and text of files."""
    origins: list[tuple[int, int, int, int]]
    """Of lines of the text: the number, the file, the first byte there and the one behind the last."""


def _pipelined(module: Any, target: str | None, tvm_compatible: bool) -> tuple[Any, list[str]]:
    """The module with its pipelines written out, and what was decided."""
    functions = {name: function for name, function in _functions(module).items() if _asks(function)}
    if not functions:
        return module, []
    script = _printed(module, functions)
    text, notes, _ = _wavemark.pipeline_tile(script, tvm_compatible=tvm_compatible, target=target)
    said = [message if place is None else f"{place}: {message}" for place, message in notes]
    return _with_functions(module, functions, text), said


def _functions(module: Any) -> dict[Any, Any]:
    """The functions of a module that may have pipelines: those of TVM's schedulable TIR."""
    return {
        name: function
        for name, function in module.functions.items()
        if isinstance(function, tirx.PrimFunc) and function.attrs.get("s_tir")
    }


def _asks(function: Any) -> bool:
    """A loop asks for a pipeline."""
    return any(isinstance(one, tirx.For) and not _ASKING.isdisjoint(one.annotations) for one in _statements(function))


def _statements(function: Any) -> list[Any]:
    """All statements, outer ones first."""
    found: list[Any] = []
    tvm_ffi.structural_walk(function.body, (tirx.Stmt, found.append), order="pre")
    return found


def _printed(module: Any, functions: dict[Any, Any]) -> _Script:
    """The functions as a module of their own. Attributes, such as targets, stay behind: `_with_functions` has them."""
    bare = {name: _without_attributes(function) for name, function in functions.items()}
    origin: list[tuple[Any, Any]] = []
    for function in bare.values():
        statements = _statements(function)
        spans = [one.span for one in statements]
        # A block that a pass has made is where its first statement is.
        for at in reversed(range(len(spans) - 1)):
            if spans[at] is None and isinstance(statements[at], _AROUND):
                spans[at] = spans[at + 1]
        origin += [(one, span) for one, span in zip(statements, spans) if span is not None]
    printed = tvm.IRModule(bare).script(obj_to_annotate={one: f"wavemark {at}" for at, (one, _) in enumerate(origin)})
    files, lines, origins = _Files(), [], []
    above = None
    for line in printed.splitlines():
        # What is annotated has the remark behind it, or, if it has a suite, above.
        remark = _REMARK.search(line)
        code = line if remark is None else line[: remark.start()]
        if remark is not None and not code:
            above = remark
            continue
        lines.append(code)
        known, above = above or remark, None
        place = None if known is None else files.place(origin[int(known[1])][1])
        if place is not None:
            origins.append((len(lines), *place))
    return _Script(_SCRIPT, "\n".join(lines) + "\n", files.files, origins)


class _Files:
    """The files that spans point into."""

    def __init__(self) -> None:
        self.files: list[tuple[str, str]] = []
        self._starts: dict[str, tuple[int, list[int]]] = {}

    def place(self, span: Any) -> tuple[int, int, int] | None:
        """The file of a span, its first byte there and the one behind its last on that line; `None` if it cannot be had."""
        name = span.source_name.name
        if name not in self._starts:
            lines = linecache.getlines(name)
            starts = [0]
            for line in lines:
                starts.append(starts[-1] + len(line.encode()))
            self._starts[name] = len(self.files), starts
            self.files.append((name, "".join(lines)))
        number, starts = self._starts[name]
        if not 0 < span.line < len(starts):
            return None
        start = min(starts[span.line - 1] + span.column - 1, starts[span.line])
        end = start + span.end_column - span.column if span.end_line == span.line else starts[span.line] - 1
        return number, start, max(start, end)


def _without_attributes(function: Any) -> Any:
    """The function with the attributes alone that say what it is."""
    for key in function.attrs.keys():
        if key not in ("s_tir", "global_symbol"):
            function = function.without_attr(key)
    return function


def _with_functions(module: Any, functions: dict[Any, Any], text: str) -> Any:
    """The module with the functions that `text` has in the place of `functions`."""
    read = tvm.script.from_source(text)
    changed = module.clone()
    for name, before in functions.items():
        function = read[name.name_hint]
        for key, value in before.attrs.items():
            function = function.with_attr(key, value)
        changed.update_func(name, function)
    return changed
