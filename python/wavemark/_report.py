"""What a launch came to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _wavemark


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

    def __str__(self) -> str:
        return self._native.text

    def __repr__(self) -> str:
        return f"<wavemark.Report {self.data['kernel']}: {self.outcome}, {len(self.findings)} findings>"
