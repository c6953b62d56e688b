"""What kernels print and assert: calls of the host. `python -m unittest` with the package installed."""

import contextlib
import io
import unittest
from pathlib import Path

import wavemark

PRINT = (Path(__file__).parents[2] / "tests" / "run" / "kernels" / "printf.s").read_text()


def launch(fails):
    text = f"\t.set FAILS, {fails}\n" + PRINT
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        report = wavemark.loads(text, name="printf.s").kernel().launch(3, 64, [])
    return report, out.getvalue(), err.getvalue()


class Printing(unittest.TestCase):
    def test_printf(self):
        report, out, err = launch(0)
        self.assertEqual((report.errors, out, err), ([], "n=42\n" * 3, ""), report)
        self.assertEqual(report.printed, [(False, "n=42\n")] * 3)

    def test_an_assertion(self):
        report, out, err = launch(1)
        self.assertEqual(out, "")
        self.assertIn("n=42\n", err)
        (finding,) = report.findings
        self.assertEqual((finding.rule, finding.title), ("T1", "an assertion fails: n=42"))


if __name__ == "__main__":
    unittest.main()
