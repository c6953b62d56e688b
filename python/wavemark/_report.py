"""What a launch came to."""

import json
from dataclasses import dataclass, field


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
    sites: list = field(repr=False)
    """The instructions involved, as the JSON report has them."""


class Report:
    """What a launch came to; its text is what the command line prints."""

    def __init__(self, native):
        self._native = native
        self._data = None

    @property
    def data(self):
        """The report as the JSON of the command line has it."""
        if self._data is None:
            self._data = json.loads(self._native.json())
        return self._data

    @property
    def outcome(self):
        """`clean`, `findings`, `nothing-to-check`, `not-checked`, `unsupported`."""
        return self.data["outcome"]

    @property
    def ok(self):
        """Nothing is wrong, and everything asked for has been checked."""
        return self._native.exit_status == 0

    @property
    def findings(self):
        """All findings, also advice."""
        known = ("rule", "title", "severity", "class", "instances", "hint")
        return [
            Finding(*(one.get(key) for key in known), sites=one.get("sites", []))
            for one in self.data["findings"]
        ]

    @property
    def errors(self):
        """The findings that are errors."""
        return [finding for finding in self.findings if finding.severity == "error"]

    def __str__(self):
        return self._native.text

    def __repr__(self):
        return f"<wavemark.Report {self.data['kernel']}: {self.outcome}, {len(self.findings)} findings>"
