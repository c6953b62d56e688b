"""Campaigns: of folders and of captured launches, interrupted ones, and on a Ray cluster that loses a node.

The cluster is a real Ray with two nodes on this machine. Its test is left out, and said so, where Ray is not installed.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import wavemark

EXAMPLES = Path(__file__).parents[2] / "examples"


class OfExamples(unittest.TestCase):
    """A right kernel and a racy one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for example, name in [("pipelined_copy", "right"), ("pipelined_copy_too_weak", "racy")]:
            shutil.copytree(EXAMPLES / example, self.folder / "kernels" / name)
        self.kernels, self.journal = self.folder / "kernels", self.folder / "campaign.jsonl"

    def campaign(self, seeds=4, **options):
        return wavemark.campaign(self.kernels, seeds=seeds, completions="late,random", progress=False, **options)


class Campaigns(OfExamples):
    def test_what_is_found(self):
        told = []
        report = wavemark.campaign(self.kernels, seeds=3, progress=lambda done, of: told.append((done, of)))
        self.assertEqual((report.ok, report.runs, report.left), (False, 18, 0))
        self.assertEqual(told, [(done, 18) for done in range(1, 19)])
        self.assertEqual({(finding["rule"], finding["severity"]) for finding in report.findings}, {("R4", "error")})
        self.assertTrue(all("racy" in finding["input"] for finding in report.findings))
        self.assertIn("--seed", report.findings[0]["replay"])
        self.assertIn("2 kernels, 18 runs", str(report))
        right = wavemark.campaign(self.kernels / "right", seeds=2, progress=False)
        self.assertTrue(right.ok, right)

    def test_one_that_was_interrupted_goes_on(self):
        def stop_at(done, of):
            if done == 5:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            wavemark.campaign(
                self.kernels, seeds=4, completions="late,random", journal=self.journal, jobs=1, progress=stop_at
            )
        self.assertEqual(len(self.journal.read_text().splitlines()), 5)
        told = []
        report = wavemark.campaign(
            self.kernels,
            seeds=4,
            completions="late,random",
            journal=self.journal,
            progress=lambda done, of: told.append(done),
        )
        self.assertEqual(told, list(range(6, 17)))
        self.assertEqual(report.data, self.campaign().data)
        self.assertEqual(len(self.journal.read_text().splitlines()), 16)

        # A kernel that has changed since is another one.
        kernel = self.kernels / "right" / "kernel.s"
        kernel.write_text(kernel.read_text() + "\n; changed\n")
        self.assertEqual(self.campaign(journal=self.journal).runs, 16)
        self.assertEqual(len(self.journal.read_text().splitlines()), 24)

    def test_what_cannot_be(self):
        with self.assertRaisesRegex(wavemark.Error, "completion"):
            wavemark.campaign(self.kernels, completions="soon")
        with self.assertRaisesRegex(wavemark.Error, "check"):
            wavemark.campaign(self.kernels, check="soon")
        with self.assertRaisesRegex(wavemark.Error, "kernel.s:1: this is no record of a campaign"):
            wavemark.campaign(self.kernels, journal=self.kernels / "right" / "kernel.s")
        with self.assertRaises(ValueError):
            wavemark.campaign(self.kernels, timeout=-1.0)
        late = wavemark.campaign(self.kernels, seeds=1000, timeout=0.2, progress=False)
        self.assertFalse(late.ok)
        self.assertGreater(late.left, 0)

    def test_captured_launches(self):
        for name, rules in [("right", set()), ("racy", {"R4"})]:
            device = wavemark.Device()
            module = device.load(self.kernels / name / "kernel.s")
            source = b"".join(number.to_bytes(4, "little") for number in range(4 * 8 * 64 * 4))
            arguments = [device.allocate(source, name="src"), device.allocate(len(source), name="dst")]
            path = self.folder / f"{name}.launch"
            report = module.kernel().launch(4, 64, arguments, capture=path)
            captured = wavemark.campaign(path, seeds=2, schedules=2, progress=False)
            self.assertEqual((captured.runs, captured.left), (6, 0))
            found = {finding["rule"] for finding in captured.findings}
            self.assertEqual((found, {finding.rule for finding in report.errors}), (rules, rules))
            # The device that it was captured on has no part in it.
            self.assertEqual(device.read(arguments[0], len(source)), source)
        # In a folder they are found.
        self.assertEqual(wavemark.campaign(self.folder, seeds=1, completions="late", progress=False).runs, 4)
        torn = self.folder / "torn.launch"
        torn.write_bytes(path.read_bytes()[:5000])
        report = wavemark.campaign(torn, seeds=1, completions="late", progress=False)
        self.assertIn("this captured launch is broken", str(report))


try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError as error:
    ray, why = None, str(error)
else:
    why = ""


@unittest.skipIf(ray is None, f"the cluster is left out: {why}")
class OnACluster(OfExamples):
    def test_a_node_that_is_lost(self):
        local = self.campaign(seeds=150)
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.addCleanup(cluster.shutdown)
        node = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        killed = []

        def kill_in_the_middle(done, of):
            if done >= of // 4 and not killed:
                killed.append(done)
                cluster.remove_node(node, allow_graceful=False)

        report = wavemark.campaign(
            self.kernels,
            seeds=150,
            completions="late,random",
            ray=cluster.address,
            journal=self.journal,
            progress=kill_in_the_middle,
        )
        self.assertTrue(killed)
        self.assertEqual((report.runs, report.left), (600, 0))
        self.assertEqual(report.data, local.data)
        records = [json.loads(line) for line in self.journal.read_text().splitlines()]
        units = {(record["input"], record["completion"], record["seed"]) for record in records}
        self.assertEqual((len(records), len(units)), (600, 600))

        # As the command line asks for it.
        plan = {"items": [{"input": str(self.kernels / "right" / "kernel.s"), "launch": None}], "seeds": 9}
        plan |= {"completions": ["late"], "schedules": 1, "check": "full", "model": [], "max_steps": None}
        asked = f"{json.dumps(plan)}\n[3, 5]\n"
        command = [sys.executable, "-m", "wavemark.ray", cluster.address]
        answer = subprocess.run(command, input=asked, capture_output=True, text=True)
        seeds = {json.loads(line)["seed"] for line in answer.stdout.splitlines()}
        self.assertEqual((answer.returncode, seeds), (0, {3, 5}), answer.stderr)


if __name__ == "__main__":
    unittest.main()
