"""A pytest plugin: the Triton kernels of a suite run on Wavemark.

    pytest --wavemark --wavemark-arch gfx950,gfx1250 tests/

Each test runs once for each processor. A launch with errors fails its test with the report, unless the test is marked
`@pytest.mark.wavemark_findings("R1", ...)`, which then fails if these rules have found nothing. At the end there is a
summary of launches, findings and the kernels that took longest.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

_summary: dict[str, Counter[str]] = {"launches": Counter(), "findings": Counter(), "seconds": Counter()}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("wavemark", "Triton kernels without a GPU")
    group.addoption("--wavemark", action="store_true", help="run Triton kernels on Wavemark")
    group.addoption("--wavemark-arch", default="gfx950", metavar="LIST", help="processors, each test on each of them")
    group.addoption("--wavemark-check", default="full", metavar="LIST", help="which checks, as `wavemark run --check`")
    group.addoption(
        "--wavemark-completion",
        default="late",
        choices=["late", "early", "random"],
        help="when asynchronous operations land",
    )
    group.addoption("--wavemark-seed", default=0, type=int, metavar="N", help="seed of random completion")


def pytest_configure(config: pytest.Config) -> None:
    """The marker of tests whose kernels are wrong on purpose."""
    config.addinivalue_line("markers", "wavemark_findings(*rules): the launches of this test have such findings")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each processor."""
    if metafunc.config.getoption("--wavemark"):
        archs = metafunc.config.getoption("--wavemark-arch").split(",")
        metafunc.parametrize("_wavemark", archs, indirect=True, ids=archs)


@pytest.fixture(autouse=True)
def _wavemark(request: pytest.FixtureRequest) -> Any:
    option = request.config.getoption
    if not option("--wavemark"):
        yield
        return
    from . import triton

    # Methods of `unittest.TestCase` cannot have parameters: they run on the first processor.
    arch = getattr(request, "param", option("--wavemark-arch").split(",")[0])
    triton.use(
        arch,
        check=option("--wavemark-check"),
        completion=option("--wavemark-completion"),
        seed=option("--wavemark-seed"),
    )
    yield
    for report in triton.reports():
        kernel = report.data["kernel"]
        _summary["launches"][f"{kernel} on {arch}"] += 1
        _summary["seconds"][f"{kernel} on {arch}"] += report.data["stats"]["seconds"]
        _summary["findings"].update(finding.rule or finding.kind for finding in report.findings)


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
    found = {finding.rule or finding.kind for report in triton.reports() for finding in report.errors}
    missing = set(marker.args) - found
    if missing:
        pytest.fail(f"no launch had findings of {', '.join(sorted(missing))}; found: {', '.join(sorted(found)) or 'none'}")
    unexpected = found - set(marker.args)
    if unexpected:
        pytest.fail(f"launches had unexpected findings of {', '.join(sorted(unexpected))}")
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What has been launched and found."""
    launches, findings, seconds = (_summary[key] for key in ("launches", "findings", "seconds"))
    if not launches:
        return
    terminalreporter.section("wavemark")
    terminalreporter.line(f"{sum(launches.values())} launches in {sum(seconds.values()):.2f} s")
    for rule, count in sorted(findings.items()):
        terminalreporter.line(f"{rule}: {count} findings")
    for kernel, took in seconds.most_common(3):
        terminalreporter.line(f"{took:.3f} s in {launches[kernel]} launches of {kernel}")
