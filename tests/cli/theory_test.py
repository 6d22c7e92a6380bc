"""neuralts theory, its two checks, and its part of the report."""
import json
import os
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["NEURALTS"]
REQUIRED = {"effective_dimension", "lambda_0", "log_det", "B", "nu", "eta", "J", "bound"}
WORLD = "cosine:dim=3,arms=2,noise=0.1"


def call(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


def read(*arguments):
    done = call(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def data_of(page):
    with open(page, encoding="utf-8") as file:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S).group(1))


class Numbers(unittest.TestCase):
    def test_json_holds_what_the_theorem_is_made_of(self):
        numbers = read("theory", "--env", WORLD, "--rounds", "20", "--depth", "3", "--lambda", "0.5", "--delta", "0.05", "--noise", "0.2")
        self.assertLessEqual(REQUIRED, numbers.keys())
        self.assertEqual((numbers["rounds"], numbers["arms"], numbers["depth"], numbers["lambda"]), (20, 2, 3, 0.5))
        self.assertEqual(len(numbers["spectrum"]), 40)
        self.assertEqual(numbers["curve"]["rounds"][-1], 20)
        self.assertAlmostEqual(numbers["curve"]["effective_dimension"][-1], numbers["effective_dimension"])

    def test_table_says_that_the_width_is_not_needed(self):
        done = call("theory", "--env", WORLD, "--rounds", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("effective dimension", "lambda_0", "10^", "practice does not need it"):
            self.assertIn(word, done.stdout)

    def test_bad_settings_give_status_2(self):
        for flags in (["--delta", "2"], ["--depth", "1"], ["--noise", "-1"], ["--lambda", "0"]):
            done = call("theory", "--env", WORLD, "--rounds", "5", *flags)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")


class Checks(unittest.TestCase):
    def test_gap_falls_with_the_width_and_is_plotted(self):
        with tempfile.TemporaryDirectory() as folder:
            plot = os.path.join(folder, "gap.html")
            found = read("theory", "gap", "--env", WORLD, "--units", "32,512", "--contexts", "10", "--plot", plot)
            first, last = found["gaps"]
            self.assertLess(last["published"]["value"], first["published"]["value"])
            chart, = data_of(plot)["charts"]
            self.assertEqual((chart["kind"], chart["log_x"], chart["log_y"]), ("lines", True, True))
            self.assertEqual([line["x"] for line in chart["lines"]], [[32, 512]] * 3)
            self.assertAlmostEqual(chart["lines"][0]["y"][1], last["published"]["value"], places=4)
            done = call("theory", "gap", "--env", WORLD, "--plot", os.path.join(folder, "gap.svg"))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("name it .html", done.stderr)

    def test_one_width_has_no_slope(self):
        flags = ["theory", "gap", "--env", WORLD, "--units", "32", "--contexts", "5", "--repeats", "1"]
        found = read(*flags)
        self.assertEqual(found["slope"], {"published": None, "paper": None})
        self.assertIsNone(found["gaps"][0]["paper"]["error"], "one repeat has no standard error")
        slope, = (line.split() for line in call(*flags).stdout.splitlines() if "slope" in line)
        self.assertEqual(slope, ["slope", "-", "-"])
        done = call("theory", "gap", "--env", WORLD, "--units", "32,32")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("twice", done.stderr)

    def test_events_are_counted_against_the_lemmas(self):
        found = read("theory", "events", "--env", WORLD, "--rounds", "20", "--runs", "2")
        self.assertEqual(found["rounds"], 40)
        self.assertGreaterEqual(found["unsaturated"], found["unsaturated_bound"])
        self.assertLess(found["regret"], found["bound"])

    def test_events_of_the_network_itself(self):
        found = read("theory", "events", "--policy", "neural-ts", "--preset", "theorem", "--set", "units=16", "--env", WORLD, "--rounds", "8", "--runs", "1")
        self.assertEqual(found["rounds"], 8)


class Report(unittest.TestCase):
    def test_the_report_has_a_part_on_theory(self):
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, "results")
            done = call("run", "--env", WORLD, "--policy", "random", "--rounds", "40", "--seeds", "1..2", "--out", results)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = call("report", results)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(results, "report.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertIn('<h2 id="theory">', page)
            charts = [chart for chart in data_of(os.path.join(results, "report.html"))["charts"] if chart.get("section") == "theory"]
            self.assertEqual([chart["title"].split(": ")[1] for chart in charts],
                             ["spectrum of the tangent kernel", "effective dimension", "bound and measured regret"])
            self.assertEqual([line["name"] for line in charts[2]["lines"]], ["bound, constants 1", "sqrt(round)", "random"])
            with open(os.path.join(results, "report.md"), encoding="utf-8") as file:
                self.assertNotIn("<svg", file.read())
            self.assertTrue(os.path.exists(os.path.join(results, "theory.csv")))


if __name__ == "__main__":
    unittest.main()
