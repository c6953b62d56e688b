"""Campaigns on a Ray cluster (`pip install wavemark[ray]`).

Ray spreads the units, and runs those again whose worker or node it has lost; the ledger of the campaign takes each unit once,
whatever comes twice. Nodes have this package, and see the inputs at the same paths. A unit whose files are others there is
refused, as its record says which files it is of.

The command line asks `python -m wavemark.ray ADDRESS`: a plan and the numbers of units come in on standard input, a line
each, records go out on standard output.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from typing import Any

from . import _wavemark

_SECONDS = 0.5
"""What a task should take: long enough for Ray, short enough that little is redone."""

_RETRIES = 8
"""How often a task may lose its worker. One that always does is no accident."""

_campaigns: dict[str, _wavemark.Campaign] = {}
"""The campaign that this worker runs, by its plan."""


def _run(plan: str, folder: str, numbers: list[int]) -> tuple[float, list[str]]:
    """Runs units in a worker; how long it took, and the records."""
    import time

    os.chdir(folder)
    if plan not in _campaigns:
        _campaigns.clear()
        _campaigns[plan] = _wavemark.Campaign(plan)
    started = time.monotonic()
    records = [_campaigns[plan].run(number) for number in numbers]
    return time.monotonic() - started, records


def records(address: str, campaign: _wavemark.Campaign, numbers: list[int]) -> Iterator[str]:
    """The records of the units of these numbers, as they come; fewer where the campaign is stopped."""
    try:
        import ray
    except ImportError as error:
        raise ImportError(f"{error}: pip install wavemark[ray]") from None

    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield from _records(ray, campaign, numbers)
    finally:
        ray.shutdown()


def _records(ray: Any, campaign: _wavemark.Campaign, numbers: list[int]) -> Iterator[str]:
    run = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run)
    plan, folder, left = ray.put(campaign.plan), os.getcwd(), numbers[::-1]
    size = 1
    running: list[Any] = []
    while left or running:
        # Twice as many as run at once, so that no worker waits for this process.
        while left and len(running) < 2 * max(1, int(ray.cluster_resources().get("CPU", 1))):
            part = [left.pop() for _ in range(min(size, len(left)))]
            running.append(run.remote(plan, folder, part))
        done, running = ray.wait(running, timeout=_SECONDS)
        if campaign.stopped:
            return
        for task in done:
            seconds, lines = ray.get(task)
            size = max(1, min(4 * len(lines), int(len(lines) * _SECONDS / max(seconds, 1e-6))))
            yield from lines


def _answer(address: str) -> None:
    """What the command line asks for."""
    # What Ray or a library prints is no record.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    campaign = _wavemark.Campaign(sys.stdin.readline())
    numbers = json.loads(sys.stdin.readline())
    for line in records(address, campaign, numbers):
        out.write(line + "\n")
        out.flush()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m wavemark.ray ADDRESS, as the command line does")
    # As a module, which workers import; not as the program, which would be sent to them.
    from wavemark import ray as module

    try:
        module._answer(sys.argv[1])
    except Exception as error:
        sys.exit(f"error: {error}")
