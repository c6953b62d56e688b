"""A pytest plugin: the Triton kernels of a suite run on Wavemark.

    pytest --wavemark --wavemark-arch gfx950,gfx1250 tests/

Each test runs once for each processor, each completion and each seed that is asked for. Where torch is installed, a device
`cuda` seems to be there (`wavemark.torch`); what a module decides when it is imported, it decides for the first processor. A
launch with errors fails its test with the report, unless the test is marked
`@pytest.mark.wavemark_findings("R1", ...)`, which then fails if these rules have found nothing. At the end there is a
summary of launches, findings and the kernels that took longest; what `--junitxml` writes has them as properties of each test.

`--wavemark-campaign FOLDER` keeps the launches of the tests there, each with the memory that it found, and when the tests are
over runs all of them as a campaign (`wavemark.campaign`): many seeds, all modes of completion, on all cores or on a Ray
cluster, resumed where an earlier session was interrupted. What it finds fails the session.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_SLOWEST = 5
"""Kernels that the summary names."""

_LONGEST = 150
"""Characters of a test's name in a file's."""

_JOURNAL = "campaign.jsonl"
"""What the runs of a campaign came to, beside its launches."""


@dataclass
class _Summary:
    """What has been launched and found."""

    launches: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    sarif: list[dict[str, Any]] = field(default_factory=list)
    captured: list[str] = field(default_factory=list)
    """Files of launches."""

    def as_json(self) -> str:
        """For another process."""
        return json.dumps([self.launches, self.seconds, self.findings, self.sarif, self.captured])

    def add_json(self, text: str) -> None:
        """Adds what another process has seen."""
        launches, seconds, findings, sarif, captured = json.loads(text)
        self.launches.update(launches)
        self.seconds.update(seconds)
        self.findings.update(findings)
        self.sarif += sarif
        self.captured += captured


_SUMMARY = pytest.StashKey[_Summary]()
_ENTERED = pytest.StashKey[ExitStack]()
_REPORTS = pytest.StashKey[list[Any]]()
_CAMPAIGN = pytest.StashKey[str]()


@dataclass(frozen=True)
class _Case:
    """How the launches of a test run."""

    arch: str
    completion: str
    seed: int


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("wavemark", "Triton kernels without a GPU")
    group.addoption("--wavemark", action="store_true", help="run Triton kernels on Wavemark")
    group.addoption(
        "--wavemark-arch",
        default=os.environ.get("WAVEMARK_ARCH", "gfx950"),
        metavar="LIST",
        help="processors, each test on each of them (default: $WAVEMARK_ARCH, or gfx950)",
    )
    group.addoption(
        "--wavemark-check", default="full", metavar="LIST", help="which checks, as `wavemark run --check`"
    )
    group.addoption(
        "--wavemark-completions",
        default="late",
        metavar="LIST",
        help="when asynchronous operations land, each test with each: late, early, random",
    )
    group.addoption(
        "--wavemark-seeds", default="0", metavar="LIST", help="seeds of scheduling and completion, each test with each"
    )
    group.addoption(
        "--wavemark-autotune",
        default="first",
        choices=["first", "cost"],
        help="the configuration that autotuners take: the first one that fits, or the one that executes least",
    )
    group.addoption(
        "--wavemark-threads", default=None, type=int, metavar="N", help="threads of the host that a launch may use"
    )
    group.addoption(
        "--wavemark-campaign",
        default=None,
        metavar="FOLDER",
        help="keep the launches of all tests in FOLDER, and run them under many seeds when the tests are over",
    )
    group.addoption("--wavemark-campaign-seeds", default=100, type=int, metavar="N", help="seeds of the campaign")
    group.addoption(
        "--wavemark-campaign-completions", default="all", metavar="all|LIST", help="completions of the campaign"
    )
    group.addoption(
        "--wavemark-campaign-schedules", default=1, type=int, metavar="N", help="schedules of each run of the campaign"
    )
    group.addoption("--wavemark-ray", default=None, metavar="ADDRESS", help="run the campaign on this Ray cluster")
    group.addoption("--wavemark-sarif", default=None, metavar="FILE", help="write all findings as SARIF")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """The device is there before any of the suite is imported."""
    options = early_config.known_args_namespace
    if not getattr(options, "wavemark", False):
        return
    entered = early_config.stash[_ENTERED] = ExitStack()
    try:
        from . import torch
    except ImportError:
        return
    try:
        entered.enter_context(torch.cuda_is_here(options.wavemark_arch.split(",")[0]))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    """The marker of tests whose kernels are wrong on purpose, and what is wrong with the options."""
    config.addinivalue_line("markers", "wavemark_findings(*rules): the launches of this test have such findings")
    config.stash[_SUMMARY] = _Summary()
    if not config.getoption("--wavemark"):
        return
    from . import _wavemark, triton

    try:
        cases = _cases(config)
        for arch in {case.arch for case in cases}:
            _wavemark.limits(arch)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    # What runs outside of tests, when modules are imported, runs on the first processor.
    triton.use(cases[0].arch)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The device goes."""
    entered = config.stash.get(_ENTERED, None)
    if entered is not None:
        entered.close()


def _cases(config: pytest.Config) -> list[_Case]:
    def all_of(option: str) -> list[str]:
        return [one.strip() for one in config.getoption(option).split(",") if one.strip()]

    completions = all_of("--wavemark-completions")
    for completion in completions:
        if completion not in ("late", "early", "random"):
            raise ValueError(f"--wavemark-completions: late, early or random, not {completion!r}")
    cases = [
        _Case(arch, completion, int(seed))
        for arch in all_of("--wavemark-arch")
        for completion in completions
        for seed in all_of("--wavemark-seeds")
    ]
    if not cases:
        raise ValueError("--wavemark-arch, --wavemark-completions and --wavemark-seeds name at least one each")
    return cases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each case."""
    if metafunc.config.getoption("--wavemark"):
        cases = _cases(metafunc.config)
        varied = [name for name in ("completion", "seed") if len({getattr(case, name) for case in cases}) > 1]
        ids = ["-".join([case.arch, *(str(getattr(case, name)) for name in varied)]) for case in cases]
        metafunc.parametrize("_wavemark", cases, indirect=True, ids=ids)


@pytest.fixture(autouse=True)
def _wavemark(request: pytest.FixtureRequest) -> Any:
    config = request.config
    if not config.getoption("--wavemark"):
        yield
        return
    from . import triton

    # Methods of `unittest.TestCase` cannot have parameters: they run in the first case.
    case = getattr(request, "param", None) or _cases(config)[0]
    reports: list[Any] = []
    request.node.stash[_REPORTS] = reports
    triton.use(
        case.arch,
        autotune=config.getoption("--wavemark-autotune"),
        on_report=reports.append,
        check=config.getoption("--wavemark-check"),
        completion=case.completion,
        seed=case.seed,
        threads=config.getoption("--wavemark-threads"),
        capture=_captures(request.node),
    )
    with ExitStack() as stack:
        if _ENTERED in config.stash:
            try:
                from . import torch

                stack.enter_context(torch.cuda_is_here(case.arch))
            except ImportError:
                pass
        yield
    _sum_up(request.node, case, reports)


def _captures(item: pytest.Item) -> Callable[[Any, Sequence[int]], Path | None] | None:
    """Where the launches of a test go, each kernel once with each grid; none of a test whose kernels are wrong on purpose."""
    folder = item.config.getoption("--wavemark-campaign")
    if folder is None or item.get_closest_marker("wavemark_findings") is not None:
        return None
    known: set[tuple[Any, ...]] = set()

    def path_of(kernel: Any, grid: Sequence[int]) -> Path | None:
        if (kernel, *grid) in known:
            return None
        known.add((kernel, *grid))
        name = re.sub(r"[^\w.-]+", "_", item.nodeid).strip("_")[-_LONGEST:]
        path = Path(folder, f"{name}-{len(known)}.launch")
        path.parent.mkdir(parents=True, exist_ok=True)
        item.config.stash[_SUMMARY].captured.append(str(path))
        return path

    return path_of


def _sum_up(item: pytest.Item, case: _Case, reports: list[Any]) -> None:
    summary, found = item.config.stash[_SUMMARY], Counter[str]()
    for report in reports:
        kernel = f"{report.kernel} on {case.arch}"
        summary.launches[kernel] += 1
        summary.seconds[kernel] += report._native.cost[1]
        if report._native.findings:
            found.update(f"{finding.severity} {finding.rule or finding.kind}" for finding in report.findings)
    summary.findings.update(found)
    item.user_properties.append(("wavemark_arch", case.arch))
    item.user_properties.append(("wavemark_launches", len(reports)))
    if found:
        item.user_properties.append(("wavemark_findings", ", ".join(sorted(found))))
    if item.config.getoption("--wavemark-sarif"):
        from . import _wavemark

        wrong = [report._native for report in reports if report._native.findings]
        if wrong:
            summary.sarif += json.loads(_wavemark.sarif(wrong))["runs"]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    """Findings that a test expects do not fail it; that there are none does."""
    marker = pyfuncitem.get_closest_marker("wavemark_findings")
    if marker is None or not pyfuncitem.config.getoption("--wavemark"):
        return (yield)
    from . import triton

    try:
        result = yield
    except triton.Findings:
        result = True
    reports = pyfuncitem.stash[_REPORTS]
    found = {finding.rule or finding.kind for report in reports for finding in report.errors}
    missing = set(marker.args) - found
    if missing:
        pytest.fail(f"no launch had findings of {', '.join(sorted(missing))}; found: {', '.join(sorted(found)) or 'none'}")
    unexpected = found - set(marker.args)
    if unexpected:
        pytest.fail(f"launches had unexpected findings of {', '.join(sorted(unexpected))}")
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells what it has seen; the SARIF is written where the summary is."""
    config = session.config
    if not config.getoption("--wavemark"):
        return
    summary = config.stash[_SUMMARY]
    if hasattr(config, "workeroutput"):
        config.workeroutput["wavemark"] = summary.as_json()
        return
    if summary.captured:
        _run_campaign(session, sorted(summary.captured))
    path = config.getoption("--wavemark-sarif")
    if path:
        from . import _wavemark

        whole = json.loads(_wavemark.sarif([]))
        whole["runs"] = summary.sarif or whole["runs"]
        Path(path).write_text(json.dumps(whole, indent=2) + "\n")


def _run_campaign(session: pytest.Session, captured: list[str]) -> None:
    """Runs the launches of this session; what was run in an earlier one is not run again."""
    from . import Error, campaign

    option = session.config.getoption
    try:
        report = campaign(
            *captured,
            seeds=option("--wavemark-campaign-seeds"),
            completions=option("--wavemark-campaign-completions"),
            schedules=option("--wavemark-campaign-schedules"),
            check=option("--wavemark-check"),
            ray=option("--wavemark-ray"),
            journal=Path(option("--wavemark-campaign"), _JOURNAL),
        )
    except (Error, ImportError, ConnectionError, ValueError) as error:
        session.config.stash[_CAMPAIGN] = f"the campaign was not run: {error}"
        session.exitstatus = pytest.ExitCode.USAGE_ERROR
        return
    session.config.stash[_CAMPAIGN] = str(report)
    if not report.ok and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """What a worker of pytest-xdist has seen."""
    told = getattr(node, "workeroutput", {}).get("wavemark")
    if told is not None:
        node.config.stash[_SUMMARY].add_json(told)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What has been launched and found."""
    summary = config.stash[_SUMMARY]
    if not summary.launches:
        return
    terminalreporter.section("wavemark")
    total = sum(summary.seconds.values())
    terminalreporter.line(f"{sum(summary.launches.values())} launches in {total:.2f} s")
    for rule, count in sorted(summary.findings.items()):
        terminalreporter.line(f"{rule}: {count} times")
    for kernel, took in summary.seconds.most_common(_SLOWEST):
        terminalreporter.line(f"{took:.3f} s in {summary.launches[kernel]} launches of {kernel}")
    if _CAMPAIGN in config.stash:
        terminalreporter.section("wavemark campaign")
        terminalreporter.line(config.stash[_CAMPAIGN].rstrip())
