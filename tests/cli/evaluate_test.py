"""neuralts evaluate and neuralts tune: the fields promised, words where an answer should not be believed, errors with the line."""
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["NEURALTS"]
VW = os.environ.get("NEURALTS_VW", "")
FIELDS = {"policy", "estimator", "value", "low", "high", "interval", "confidence", "n", "ess", "max_weight", "mean_weight", "unsupported"}


def call(*arguments, program=PROGRAM):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


class Log(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "log.jsonl"
        done = call("run", "--env", "quadratic:arms=3,dim=4", "--policy", "random", "--rounds", 600, "--seed", 2, "--log", cls.path, "--quiet")
        assert done.returncode == 0, done.stderr
        cls.lines = cls.path.read_text().splitlines()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def rows(self, *arguments):
        done = call("evaluate", self.path, *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def changed(self, number, change):
        """The log with one line (from 1) changed."""
        lines = list(self.lines)
        lines[number - 1] = change(lines[number - 1])
        path = pathlib.Path(self.folder.name) / "changed.jsonl"
        path.write_text("\n".join(lines) + "\n")
        return path


class Evaluate(Log):
    def test_json_has_the_fields_once_per_policy_and_estimator(self):
        rows, _ = self.rows("--policy", "uniform,constant:1", "--estimator", "ips,dr", "--confidence", 0.9)
        self.assertEqual([(row["policy"], row["estimator"]) for row in rows],
                         [("uniform", "ips"), ("uniform", "dr"), ("constant:1", "ips"), ("constant:1", "dr")])
        for row in rows:
            self.assertEqual(set(row), FIELDS)
            self.assertLessEqual(row["low"], row["value"])
            self.assertGreaterEqual(row["high"], row["value"])
            self.assertEqual((row["n"], row["confidence"], row["unsupported"]), (600, 0.9, 0))
        self.assertAlmostEqual(rows[0]["mean_weight"], 1)
        self.assertEqual(rows[0]["ess"], 600)

    def test_the_value_is_the_formula(self):
        events = [json.loads(line) for line in self.lines[1:]]
        weights = [(event["arm"] == 1) / event["probabilities"][1] for event in events]
        weighed = sum(w * event["reward"] for w, event in zip(weights, events))
        rows, _ = self.rows("--policy", "constant:1", "--estimator", "ips,snips")
        self.assertAlmostEqual(rows[0]["value"], weighed / len(events), delta=1e-12)
        self.assertAlmostEqual(rows[1]["value"], weighed / sum(weights), delta=1e-12)
        self.assertAlmostEqual(rows[0]["ess"], sum(weights) ** 2 / sum(w * w for w in weights), delta=1e-9)

    def test_a_policy_that_learns_beats_uniform(self):
        rows, _ = self.rows("--policy", "uniform,linear-ts", "--estimator", "snips", "--interval", "betting")
        self.assertEqual(rows[0]["interval"], "betting")
        self.assertGreater(rows[1]["value"], rows[0]["value"])

    def test_out_writes_the_page(self):
        out = pathlib.Path(self.folder.name) / "report"
        done = call("evaluate", self.path, "--policy", "uniform,linear-ts", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (out / "evaluation.html").read_text()
        for words in ("Value of each policy", "Value over time", "Weights of linear-ts", "logged probabilities right", "<svg "):
            self.assertIn(words, page)
        self.assertNotIn("http://", page.replace("http://www.w3.org/2000/svg", ""))
        everything = json.loads((out / "evaluation.json").read_text())
        self.assertEqual(everything["events"], 600)
        self.assertEqual(len((out / "estimates.csv").read_text().splitlines()), 1 + 4)

    def test_folders_and_several_logs_are_read_as_one(self):
        rows, _ = self.rows("--estimator", "ips")
        folder = pathlib.Path(self.folder.name) / "many"
        folder.mkdir(exist_ok=True)
        (folder / "a.jsonl").write_text("\n".join(self.lines[:301]) + "\n")
        (folder / "b.jsonl").write_text("\n".join(self.lines[:1] + self.lines[301:]) + "\n")
        done = call("evaluate", folder, "--estimator", "ips", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), rows[0])

    def test_wrong_records_are_named_with_their_line_or_counted(self):
        def with_probabilities(values):
            return lambda line: re.sub(r'"probabilities":\[[^]]*\]', '"probabilities":' + values, line)

        cases = [(with_probabilities("[0.5,0.3,0.1]"), "sum to 0.9"), (with_probabilities("[-0.5,1,0.5]"), "-0.5"),
                 (with_probabilities("[0.5,0.5]"), "2 probabilities"), (lambda line: re.sub(r',"probabilities":\[[^]]*\]', "", line), "probabilities"),
                 (lambda line: line[:40] + "\x01", "line 7")]
        for change, words in cases:
            path = self.changed(7, change)
            done = call("evaluate", path, "--estimator", "ips")
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("line 7", done.stderr)
            self.assertIn(words, done.stderr)
            skipped = call("evaluate", path, "--estimator", "ips", "--json", "--skip-bad")
            self.assertEqual(skipped.returncode, 0, skipped.stderr)
            self.assertEqual(json.loads(skipped.stdout)["n"], 599)
            self.assertIn("1 records were left out", skipped.stderr)

    def test_rewards_of_no_decision_are_an_error_or_a_count(self):
        path = self.changed(3, lambda line: line + '\n{"reward_of":"nobody","reward":1}')
        done = call("evaluate", path, "--estimator", "ips", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("changed.jsonl, line 4: its reward belongs to no decision", done.stderr)
        skipped = call("evaluate", path, "--estimator", "ips", "--json", "--skip-bad")
        self.assertEqual(json.loads(skipped.stdout)["n"], 600)
        self.assertIn("1 rewards belong to no decision", skipped.stderr)

    def test_an_id_given_twice_is_an_error_with_its_line_or_a_count(self):
        lines = list(self.lines)
        for number in (5, 9):
            lines[number - 1] = '{"event":"twice",' + re.sub(r'"event":"[^"]*",', "", lines[number - 1])[1:]
        path = pathlib.Path(self.folder.name) / "twice.jsonl"
        path.write_text("\n".join(lines) + "\n")
        done = call("evaluate", path, "--estimator", "ips")
        self.assertEqual(done.returncode, 1)
        self.assertIn("twice.jsonl, line 9: the id 'twice' was given before", done.stderr)
        skipped = call("evaluate", path, "--estimator", "ips", "--json", "--skip-bad")
        self.assertEqual(json.loads(skipped.stdout)["n"], 599)

    def test_a_reward_may_stand_in_a_later_log_than_its_decision(self):
        folder = pathlib.Path(self.folder.name)
        reward = json.loads(self.lines[4])["reward"]
        late = re.sub(r',"reward":[^,}]*', "", re.sub(r'"event":"[^"]*",', "", self.lines[4]))
        (folder / "early.jsonl").write_text("\n".join(self.lines[:4] + ['{"event":"late",' + late[1:]] + self.lines[5:]) + "\n")
        (folder / "later.jsonl").write_text(self.lines[0] + f'\n{{"reward_of":"late","reward":{reward}}}\n')
        rows, _ = self.rows("--estimator", "ips")
        done = call("evaluate", folder / "early.jsonl", folder / "later.jsonl", "--estimator", "ips", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), rows[0])

    def test_a_text_where_a_number_was_is_named_with_its_line_or_left_out(self):
        def line(number):
            age = '"forty"' if number == 280 else number % 50
            return f'{{"event":"e{number}","context":{{"age":{age}}},"features":[{{"id":"a"}},{{"id":"b"}}],"arm":0,"probabilities":[0.5,0.5],"reward":1}}'

        path = pathlib.Path(self.folder.name) / "objects.jsonl"
        path.write_text("\n".join(line(number) for number in range(300)) + "\n")
        done = call("evaluate", path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "objects.jsonl, line 281: .*'age'.*'forty'")
        skipped = call("evaluate", path, "--skip-bad", "--json")
        self.assertEqual(skipped.returncode, 0, skipped.stderr)
        self.assertEqual(json.loads(skipped.stdout.splitlines()[0])["n"], 299)
        self.assertIn("1 events were left out: their features", skipped.stderr)

    def test_wrong_probabilities_are_noticed(self):
        lines = self.lines[:1] + [re.sub(r'"probabilities":\[[^]]*\]', '"probabilities":[0.1,0.1,0.8]', line) for line in self.lines[1:]]
        path = pathlib.Path(self.folder.name) / "lying.jsonl"
        path.write_text("\n".join(lines) + "\n")
        done = call("evaluate", path, "--estimator", "ips")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the logged probabilities are not those", done.stdout)
        self.assertIn("not played as often", done.stdout)

    def test_refusals_name_what_is_wrong(self):
        for arguments, words in [(["--estimator", "snip"], "did you mean 'snips'?"), (["--policy", "linear-tz"], "linear-ts"),
                                 (["--since", "yesterday"], "is not a time"), (["--rewards", "1,0"], "is not a range"),
                                 (["--confidence", "95"], "between 0 and 1"), (["--policy", ","], "--policy: no policy is named"),
                                 (["--loop", "shop"], "--loop: 'shop' is a loop of a service, and no LOG"), (["--folds", "1"], "at least 2"),
                                 (["--estimator", ","], "none is named"), (["--interval", "bet"], "betting")]:
            done = call("evaluate", self.path, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
        self.assertEqual(call("evaluate", "no/such/log.jsonl").returncode, 1)


    def test_a_terminal_sees_how_far_it_is(self):
        for command in (["evaluate"], ["tune", "--policy", "linear-ts", "--set", "nu=1"]):
            for quiet in (False, True):
                ours, theirs = pty.openpty()
                done = subprocess.run([PROGRAM, *command, self.path, *["--quiet"] * quiet], stdout=subprocess.DEVNULL, stderr=theirs, timeout=300)
                os.close(theirs)
                self.assertEqual(done.returncode, 0)
                with open(ours, "rb", buffering=0) as terminal:
                    try:
                        seen = terminal.read(100000) or b""
                    except OSError:  # nothing was written
                        seen = b""
                self.assertEqual(b"\r\x1b[Klearning the features: 1" in seen, not quiet, seen)

    def test_a_folder_that_cannot_be_written_is_refused_before_the_log_is_read(self):
        folder = pathlib.Path(self.folder.name) / "taken"
        folder.write_text("a file")
        for out in (folder, folder / "deeper"):
            done = call("evaluate", "no/such/log.jsonl", "--out", out)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{out}: cannot make the folder", done.stderr)
        folder.unlink()
        (folder / "evaluation.html").mkdir(parents=True)
        self.assertIn("evaluation.html", call("evaluate", "no/such/log.jsonl", "--out", folder).stderr)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["evaluation.html"])


    def test_times_may_have_a_zone(self):
        path = pathlib.Path(self.folder.name) / "times.jsonl"
        path.write_text("\n".join(re.sub(r'^\{', f'{{"time":{1e9 + i},', line) for i, line in enumerate(self.lines[1:])) + "\n")
        for since in (1e9 + 100, "2001-09-09T01:48:20Z", "2001-09-09T03:48:20+02:00", "2001-09-09T01:48:20.0"):
            done = call("evaluate", path, "--since", since, "--estimator", "ips", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["n"], 500, since)


class Vw(Log):
    """The same log as dsjson: the real reader's own estimate of the uniform policy is ours."""

    def dsjson(self):
        path = pathlib.Path(self.folder.name) / "log.dsjson"
        with path.open("w") as out:
            for number, line in enumerate(self.lines[1:]):
                event = json.loads(line)
                arm, arms = event["arm"], range(len(event["contexts"]))
                order = [arm] + [other for other in arms if other != arm]
                out.write(json.dumps({
                    "_label_cost": -event["reward"], "_label_probability": event["probabilities"][arm], "_label_Action": arm + 1,
                    "_labelIndex": arm, "Timestamp": "2026-01-01T00:00:00Z", "Version": "1", "EventId": f"e{number}",
                    "a": [action + 1 for action in order],
                    "c": {"_multi": [{"x": {f"f{i}": v for i, v in enumerate(row)}} for row in event["contexts"]]},
                    "p": [event["probabilities"][action] for action in order]}) + "\n")
        return path

    def test_dsjson_gives_the_values_of_our_own_log(self):
        done = call("evaluate", self.dsjson(), "--policy", "uniform,constant:1,logged", "--estimator", "ips,snips", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        theirs = [json.loads(line) for line in done.stdout.splitlines()]
        ours, _ = self.rows("--policy", "uniform,constant:1,logged", "--estimator", "ips,snips")
        for a, b in zip(theirs, ours):
            self.assertAlmostEqual(a["value"], b["value"], delta=1e-9)

    def test_explore_eval_agrees_on_uniform(self):
        if not VW:
            self.skipTest("NEURALTS_VW does not name a vw")
        done = call("--dsjson", "-d", self.dsjson(), "--explore_eval", "--cb_explore_adf", "--epsilon", 1, program=VW)
        self.assertEqual(done.returncode, 0, done.stderr)
        loss = float(re.search(r"average loss = (\S+)", done.stdout + done.stderr)[1])
        rows, _ = self.rows("--policy", "uniform", "--estimator", "ips")
        self.assertAlmostEqual(-loss, rows[0]["value"], delta=1e-4)  # its losses are floats


class Tune(Log):
    def test_every_setting_has_a_lead_and_one_is_best(self):
        done = call("tune", self.path, "--policy", "linear-ts", "--set", "nu=0.01,0.1", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([row["policy"] for row in rows], ["linear-ts", "linear-ts:nu=0.01", "linear-ts:nu=0.1"])
        self.assertEqual([row["current"] for row in rows], [True, False, False])
        self.assertEqual(sum(row["best"] for row in rows), 1)
        for row in rows[1:]:
            self.assertLessEqual(row["lead_low"], row["lead"])
            self.assertAlmostEqual(row["lead"], row["value"] - rows[0]["value"], delta=1e-9)
        twice = call("tune", self.path, "--policy", "linear-ts", "--set", "nu=0.01,0.1,0.10", "--set", "nu=0.01,0.1", "--json")
        again = [json.loads(line) for line in twice.stdout.splitlines()]
        self.assertEqual([(row["lead_low"], row["lead_high"]) for row in again], [(row["lead_low"], row["lead_high"]) for row in rows])
        table = call("tune", self.path, "--policy", "linear-ts", "--set", "nu=0.01,0.1")
        self.assertRegex(table.stdout, "best")


if __name__ == "__main__":
    unittest.main()
