"""Campaigns: kernels under many seeds, completion modes and schedules, and one report on all of it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _wavemark

_MODES = ("late", "early", "random")


class CampaignReport:
    """What a campaign came to; its text is what the command line prints."""

    def __init__(self, native: _wavemark.Campaign) -> None:
        self._text = native.text()
        self._status = native.exit_status
        self.data: dict[str, Any] = json.loads(native.json())
        """The report as the JSON of the command line has it."""

    @property
    def ok(self) -> bool:
        """Everything was run, and nothing is wrong."""
        return self._status == 0

    @property
    def runs(self) -> int:
        """Units that were run."""
        return int(self.data["runs"])

    @property
    def left(self) -> int:
        """Units that are left."""
        return int(self.data["left"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings of all kernels, each with the number of its runs and the command that shows it again."""
        return [
            {"input": kernel["input"], **finding} for kernel in self.data["kernels"] for finding in kernel["findings"]
        ]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<wavemark.CampaignReport: {self.runs} runs, {self.left} left, {len(self.findings)} findings>"


def campaign(
    *inputs: str | os.PathLike[str],
    seeds: int = 100,
    completions: str | Sequence[str] = "all",
    schedules: int = 1,
    jobs: int | None = None,
    ray: str | None = None,
    journal: str | os.PathLike[str] | None = None,
    check: str = "full",
    model: Sequence[str] = (),
    max_steps: int | None = None,
    timeout: float | None = 86400.0,
    progress: Callable[[int, int], object] | bool | None = None,
) -> CampaignReport:
    """Checks kernels under seeds 0 to `seeds`-1 in each mode of completion, and merges what is found.

    `inputs` are folders with launch files beside inputs, or with captured launches (`Kernel.launch(capture=...)`), and files.
    The runs are spread over `jobs` threads, as many as there are cores if nothing is said, or over the Ray cluster at the
    address `ray`, whose nodes see the same files (`pip install wavemark[ray]`). With a `journal`, a campaign
    that was interrupted goes on where it was. `progress` is called with how many units are done and how many there are;
    if it is left out, a terminal is told rate and time left. Ctrl-C ends the campaign with `KeyboardInterrupt`.
    """
    plan = {
        "items": [{"input": str(path), "launch": launch and str(launch)} for path, launch in _wavemark.expand(inputs)],
        "seeds": seeds,
        "completions": _MODES if completions == "all" else _listed(completions),
        "schedules": schedules,
        "check": check,
        "model": list(model),
        "max_steps": max_steps,
    }
    native = _wavemark.Campaign(json.dumps(plan), journal, timeout)
    told = _Progress(native, progress)
    try:
        if ray is not None:
            from .ray import records

            for line in records(ray, native, native.left()):
                if native.add(line):
                    told.step()
        else:
            # In a thread of its own, so that this one hears of Ctrl-C.
            with ThreadPoolExecutor(1) as thread:
                running = thread.submit(native.run_all, jobs or os.cpu_count() or 1, told.step)
                try:
                    running.result()
                except BaseException:
                    native.stop()
                    raise
    finally:
        told.end()
    return CampaignReport(native)


def _listed(names: str | Sequence[str]) -> list[str]:
    return names.split(",") if isinstance(names, str) else list(names)


class _Progress:
    """How far a campaign is: told to whoever wants to know, or on a terminal."""

    def __init__(self, native: _wavemark.Campaign, progress: Callable[[int, int], object] | bool | None) -> None:
        self._all = native.units
        self._done = self._before = self._all - len(native.left())
        self._tell = progress if callable(progress) else None
        self._line = progress is True or progress is None and sys.stderr.isatty()
        self._started = self._shown = time.monotonic()

    def step(self) -> None:
        """A unit is done."""
        self._done += 1
        if self._tell is not None:
            self._tell(self._done, self._all)
        now = time.monotonic()
        if self._line and now - self._shown >= 0.2:
            self._shown = now
            rate = (self._done - self._before) / (now - self._started)
            left = (self._all - self._done) / rate
            text = f"{self._done} of {self._all} runs, {rate:.1f}/s, {_time(left)} left"
            print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """No more will come."""
        if self._line and self._shown > self._started:
            print(f"\r{'':<60}\r", end="", file=sys.stderr, flush=True)


def _time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
