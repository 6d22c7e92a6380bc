"""One results folder, many processes: killed, doubled, spread over ranks. What is in it afterwards is always the same."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import skipping  # noqa: E402

PROGRAM = os.environ["NEURALTS"]
GRID = ["run", "--env", "quadratic,cosine", "--policy", "random,linear-ucb", "--set", "nu=1,0.1", "--delay", "0,10", "--seeds", "1..6",
        "--rounds", "1500", "--quiet"]


def timeless(folder):
    """The results, line by line, without the times."""
    lines = []
    for line in (pathlib.Path(folder) / "results.jsonl").read_text().splitlines():
        record = json.loads(line)
        del record["select_seconds"], record["learn_seconds"]
        lines.append(json.dumps(record, sort_keys=True))
    return lines


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="neuralts-"))
        start = time.monotonic()
        done = cls.run_to_end("undisturbed", "--jobs", "1")
        cls.seconds = time.monotonic() - start
        assert done.returncode == 0, done.stderr
        cls.expected = timeless(cls.place / "undisturbed")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    @classmethod
    def command(cls, folder, *more):
        return [PROGRAM, *GRID, "--out", str(cls.place / folder), *more]

    @classmethod
    def run_to_end(cls, folder, *more):
        return subprocess.run(cls.command(folder, *more), capture_output=True, text=True, timeout=300)

    def assert_same(self, folder):
        self.assertEqual(timeless(self.place / folder), self.expected)

    def test_two_jobs(self):
        self.assertEqual(self.run_to_end("jobs", "--jobs", "2").returncode, 0)
        self.assert_same("jobs")

    def test_killed_at_twenty_random_moments(self):
        moments = random.Random(7)
        for _ in range(20):
            process = subprocess.Popen(self.command("killed", "--jobs", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=moments.uniform(0.005, self.seconds / 4))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        self.assertEqual(self.run_to_end("killed").returncode, 0)
        self.assert_same("killed")

    def test_two_processes_on_one_folder(self):
        both = [subprocess.Popen(self.command("shared", "--jobs", "1"), stdout=subprocess.DEVNULL) for _ in range(2)]
        self.assertEqual([process.wait(timeout=300) for process in both], [0, 0])
        self.assert_same("shared")

    def test_tasks_without_a_leader(self):
        """As a Slurm array or a Kubernetes job starts them; whichever ends last finds everything there and writes the report."""
        commands = [self.command("tasks", "--jobs", "1", "--task", str(i), "--of", "3") for i in range(3)]
        self.assertEqual(subprocess.run(commands[2], stdout=subprocess.DEVNULL, timeout=300).returncode, 0)
        self.assertFalse((self.place / "tasks" / "report.html").exists())
        self.assertEqual(len(timeless(self.place / "tasks")), len(self.expected) // 3)
        others = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands[:2]]
        self.assertEqual([process.wait(timeout=300) for process in others], [0, 0])
        self.assert_same("tasks")
        self.assertTrue((self.place / "tasks" / "report.html").exists())

    def test_interrupted_by_ctrl_c_goes_on(self):
        process = subprocess.Popen(self.command("interrupted", "--jobs", "1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(self.seconds / 3)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
        if process.returncode != 0:  # it may have been done already
            self.assertEqual(process.returncode, 1)
            self.assertIn("goes on where it stopped", said)
        self.assertEqual(self.run_to_end("interrupted").returncode, 0)
        self.assert_same("interrupted")

    @unittest.skipUnless(os.environ.get("NEURALTS_MPIRUN"), "this build has no MPI")
    def test_three_ranks(self):
        mpirun = [os.environ["NEURALTS_MPIRUN"], "--oversubscribe", "--allow-run-as-root", "-n", "3"]
        done = subprocess.run(mpirun + self.command("ranks"), capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same("ranks")

    def test_a_failing_run_shows_in_the_exit_status(self):
        done = self.run_to_end("failing", "--env", "no/such/file.csv;quadratic")
        self.assertEqual(done.returncode, 1, done.stderr)
        records = [json.loads(line) for line in (self.place / "failing" / "results.jsonl").read_text().splitlines()]
        self.assertEqual({record["status"] for record in records if record["env"] == "quadratic"}, {"ok"})
        failed = [record for record in records if record["status"] == "failed"]
        self.assertTrue(failed)
        self.assertIn("no/such/file.csv", failed[0]["error"])


if __name__ == "__main__":
    skipping.main()
