"""The pytest plugin. Left out, and said so, where pytest, Triton or numpy is not installed."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np  # noqa: F401
    import pytest  # noqa: F401
    import triton  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest(f"{error}") from None

SUITE = '''
import numpy as np
import pytest
import triton
import triton.language as tl
from wavemark.triton import tensor

@triton.jit
def add(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)

def launch(size):
    x, out = np.arange(300, dtype=np.int32), np.zeros(300, dtype=np.int32)
    add[(2,)](tensor(x), tensor(out), size, BLOCK=256)
    assert (out == x + 1).all()

def test_right():
    launch(300)

def test_too_far():
    launch(400)

@pytest.mark.wavemark_findings("O1")
def test_too_far_on_purpose():
    launch(400)

@pytest.mark.wavemark_findings("R1")
def test_other_findings():
    launch(400)
'''

CAUGHT = '''
def test_caught():
    from wavemark.triton import Findings

    with pytest.raises(Findings):
        launch(400)
'''


class Plugin(unittest.TestCase):
    def test_a_suite(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_suite.py").write_text(SUITE)
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--wavemark"]
            run = subprocess.run(
                [*command, "--wavemark-arch", "gfx950,gfx1100", "-rA"], cwd=folder, capture_output=True, text=True
            )
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        for target in ("gfx950", "gfx1100"):
            for name, verdict in [
                ("test_right", "PASSED"),
                ("test_too_far", "FAILED"),
                ("test_too_far_on_purpose", "PASSED"),
                ("test_other_findings", "FAILED"),
            ]:
                self.assertIn(f"{verdict} test_suite.py::{name}[{target}]", run.stdout)
        self.assertIn("no launch had findings of R1", run.stdout)
        self.assertIn("8 launches in", run.stdout)
        self.assertRegex(run.stdout, "launches of add on gfx950")

    def test_cases_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_suite.py").write_text(SUITE)
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--wavemark", "-rA"]
            command += ["--wavemark-completions", "late,random", "--wavemark-seeds", "1,2", "-k", "right or purpose"]
            command += ["--wavemark-sarif", "found.sarif", "--junitxml", "tests.xml"]
            # What workers have seen is summed up where there are any.
            if importlib.util.find_spec("xdist") is not None:
                command += ["-n", "2"]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            sarif = json.loads(Path(folder, "found.sarif").read_text())
            junit = Path(folder, "tests.xml").read_text()
        for case in ("late-1", "late-2", "random-1", "random-2"):
            self.assertIn(f"test_right[gfx950-{case}]", run.stdout)
        self.assertIn("8 launches in", run.stdout)
        # The load and the store of four launches.
        self.assertIn("error O1: 8 times", run.stdout)
        rules = {result["ruleId"] for one in sarif["runs"] for result in one["results"]}
        self.assertEqual((sarif["version"], rules), ("2.1.0", {"O1"}))
        self.assertIn('<property name="wavemark_findings" value="error O1"', junit)

    def test_a_campaign(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_suite.py").write_text(SUITE)
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--wavemark", "-k", "right or purpose"]
            command += ["--wavemark-campaign", "kept", "--wavemark-campaign-seeds", "3"]
            if importlib.util.find_spec("xdist") is not None:
                command += ["-n", "2"]
            journals = []
            for _ in range(2):
                run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertIn("1 kernels, 9 runs", run.stdout)
                journals.append(Path(folder, "kept", "campaign.jsonl").read_text())
            # What the first session has run the second does not run again.
            self.assertEqual((len(journals[0].splitlines()), journals[0]), (9, journals[1]))
            # What a campaign finds fails a session whose tests pass.
            Path(folder, "test_suite.py").write_text(SUITE + CAUGHT)
            run = subprocess.run([*command, "-k", "caught"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            self.assertIn("1 passed", run.stdout)
            self.assertRegex(run.stdout, r"error\[O1\].*in 9 runs\)")

    def test_options_that_cannot_be(self):
        for option in (["--wavemark-arch", "gfx0"], ["--wavemark-completions", "soon"], ["--wavemark-seeds", "one"]):
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--wavemark", *option]
            run = subprocess.run(command, cwd=tempfile.gettempdir(), capture_output=True, text=True)
            self.assertEqual(run.returncode, 4, run.stdout + run.stderr)
            self.assertNotIn("Traceback", run.stderr)


if __name__ == "__main__":
    unittest.main()
