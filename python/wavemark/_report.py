"""What a launch came to."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from typing import Any

from . import _wavemark

_HEIGHT = 640
"""Pixels of a page that is shown within another one."""


@dataclass(frozen=True)
class Finding:
    """A defect, once for each rule and pair of sites."""

    rule: str
    """The rule's id, such as `R4`."""
    title: str
    """The rule in a sentence."""
    severity: str
    """`error`, `warning` or `advice`."""
    kind: str
    """What sort of defect it is, such as `missing-wait`."""
    instances: int
    """How often it was seen."""
    hint: str | None
    """What would mend it."""
    sites: list[dict[str, Any]] = field(repr=False)
    """The instructions involved, as the JSON report has them."""


@dataclass(frozen=True)
class Picture:
    """A time line of a recorded launch; a notebook shows it."""

    title: str
    """What it is of."""
    svg: str = field(repr=False)
    """It as an SVG document."""

    def _repr_svg_(self) -> str:
        return self.svg


class Page:
    """Reports as a page of HTML that needs no other file and no network; a notebook shows it."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # A document of its own, whose style stays inside.
        inside = html.escape(self.html)
        return f'<iframe style="width:100%;height:{_HEIGHT}px;border:0" sandbox srcdoc="{inside}"></iframe>'


class Report:
    """What a launch came to; its text is what the command line prints."""

    def __init__(self, native: _wavemark.Report) -> None:
        self._native = native
        self._data: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The report as the JSON of the command line has it."""
        if self._data is None:
            self._data = json.loads(self._native.json())
        return self._data

    @property
    def outcome(self) -> str:
        """`clean`, `findings`, `nothing-to-check`, `not-checked`, `unsupported`."""
        return self.data["outcome"]

    @property
    def ok(self) -> bool:
        """Nothing is wrong, and everything asked for has been checked."""
        return self._native.exit_status == 0

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self._native.kernel

    @property
    def printed(self) -> list[tuple[bool, str]]:
        """What the kernel has printed, in order: whether on standard error, and the text."""
        return self._native.printed

    @property
    def findings(self) -> list[Finding]:
        """All findings, also advice."""
        return [
            Finding(
                rule=one["rule"],
                title=one["title"],
                severity=one["severity"],
                kind=one["class"],
                instances=one["instances"],
                hint=one.get("hint"),
                sites=one["sites"],
            )
            for one in self.data["findings"]
        ]

    @property
    def errors(self) -> list[Finding]:
        """The findings that are errors."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def pictures(self) -> list[Picture]:
        """Time lines of a launch with `record=True`: of its findings, or of its first waves if there are none."""
        findings = self.findings
        titles = ((svg, None if number is None else findings[number]) for number, svg in self._native.pictures())
        return [Picture("the first waves" if one is None else f"{one.rule}: {one.title}", svg) for svg, one in titles]

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace of a launch with `record=True`, which Perfetto opens."""
        trace = self._native.trace()
        if trace is None:
            raise ValueError("the launch was not recorded: launch with record=True")
        with open(path, "w", encoding="utf-8") as file:
            file.write(trace)

    def _repr_html_(self) -> str:
        return report(self)._repr_html_()

    def __str__(self) -> str:
        return self._native.text

    def __repr__(self) -> str:
        return f"<wavemark.Report {self.data['kernel']}: {self.outcome}, {len(self.findings)} findings>"


def report(*reports: Report, path: str | os.PathLike[str] | None = None) -> Page:
    """A page on launches: findings beside source and code, numbers, and pictures of those with `record=True`.

    It is written to `path`, if there is one.
    """
    page = Page(_wavemark.page([one._native for one in reports]))
    if path is not None:
        page.save(path)
    return page
