"""What other policies would have earned: asked of the running service, and of its folder, as vectors and as objects."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import NEURALTS, Service  # noqa: E402

EVENTS = 240


def offer(kind, n):
    """Two actions; which of them pays depends on the context alone."""
    good = n % 2
    if kind == "vectors":
        return {"actions": [{"id": a, "vector": [float(k == good), 1.0]} for k, a in enumerate("ab")]}, good
    return {"context": {"side": "left" if good == 0 else "right"}, "actions": [{"id": a} for a in "ab"]}, good


class Evaluation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = Service("--quiet", "--threads", "1")
        cls.earned = {kind: cls.play(kind) for kind in ("vectors", "objects")}

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()

    @classmethod
    def play(cls, kind):
        """Every fourth event gets no reward: its default of 0 comes with the end of its window, which is far away."""
        cls.service.ask("PUT", f"/v1/loops/{kind}", {"policy": "random", "reward": {"window_seconds": 3600}, "publish_seconds": 0, "holdout": 0})
        rewards = []
        for n in range(EVENTS):
            body, good = offer(kind, n)
            _, answer = cls.service.ask("POST", f"/v1/loops/{kind}/rank", body)
            if n % 4 == 3:
                continue
            rewards.append(float("ab".index(answer["action"]) == good))
            cls.service.ask("POST", f"/v1/events/{answer['event_id']}/reward", {"value": rewards[-1]})
        cls.service.wait_for(lambda: cls.service.stats(kind)["learner"]["lag_records"] == 0 and cls.service.stats(kind)["model"]["version"] > 0)
        return sum(rewards) / len(rewards)

    def asked(self, kind, query=""):
        status, found = self.service.ask("GET", f"/v1/loops/{kind}/evaluation?policies=logged,uniform,linear-ts{query}")
        self.assertEqual(status, 200, found)
        return found

    def check(self, kind, values, events):
        """What was logged earned its mean. 180 rewards of 0 or 1: uniform earns 1/2 but for 4 standard deviations, 4 * 0.5 / sqrt(180) = 0.15;
        who learns a rule without noise earns more than 0.7 from the beginning on, 0.2 above uniform."""
        self.assertAlmostEqual(values["logged"]["value"], self.earned[kind], 9)
        self.assertLess(abs(values["uniform"]["value"] - 0.5), 0.15)
        self.assertGreater(values["linear-ts"]["value"], 0.7)
        for value in values.values():
            self.assertLessEqual(value["low"], value["value"])
            self.assertGreaterEqual(value["high"], value["value"])
            self.assertEqual(value["n"], events)

    def test_the_service_tells_it_of_its_own_log(self):
        for kind in self.earned:
            found = self.asked(kind)
            self.assertEqual(found["events"], EVENTS * 3 // 4)
            self.check(kind, {p["policy"]: p["estimates"][0] for p in found["policies"]}, EVENTS * 3 // 4)
            self.assertEqual(self.asked(kind, "&events=50")["events"], 50)

    def test_bad_questions_name_their_field(self):
        for query, status in (("policies=nobody", 422), ("events=1", 422), ("policies=file:/etc/passwd", 422), ("estimators=none", 422),
                              ("policies=" + ",".join(["random"] * 17), 422), ("estimators=" + ",".join(["snips"] * 17), 422)):
            self.assertEqual(self.service.ask("GET", f"/v1/loops/vectors/evaluation?{query}")[0], status, query)
        self.service.ask("PUT", "/v1/loops/empty", {"policy": "random"})
        self.assertEqual(self.service.ask("GET", "/v1/loops/empty/evaluation")[0], 409)

    def evaluate(self, *flags, status=0):
        folder = os.path.join(self.service.folder, "service")
        done = subprocess.run([NEURALTS, "evaluate", folder, "--json", "--estimator", "snips", *flags], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def test_the_folder_is_a_log_while_the_service_runs(self):
        for kind in self.earned:
            lines, _ = self.evaluate("--loop", kind, "--policy", "logged,uniform,linear-ts")
            self.check(kind, {line["policy"]: line for line in lines}, EVENTS * 3 // 4)
        self.assertIn("--loop", self.evaluate(status=2)[1])
        self.assertIn("nowhere", self.evaluate("--loop", "nowhere", status=1)[1])

    def test_what_was_not_eligible_was_not_on_offer(self):
        """Chance alone decides, so that uniform earns what was earned, were an excluded action no action of the event."""
        for loop, path, extra in (("excluding", "rank", {"excluded": ["b"]}), ("slots", "slots", {"slots": [{"id": "first"}, {"id": "second"}]})):
            self.service.ask("PUT", f"/v1/loops/{loop}", {"policy": "random", "reward": {"window_seconds": 3600}, "publish_seconds": 0, "holdout": 0})
            rewards = []
            for n in range(60):
                vectors = {a: [float(k == n % 3), 1.0] for k, a in enumerate("abc")}
                body = {"actions": [{"id": a, "vector": v} for a, v in vectors.items()], **extra}
                _, answer = self.service.ask("POST", f"/v1/loops/{loop}/{path}", body)
                for decided in answer.get("slots", [answer]):
                    rewards.append(vectors[decided["action"]][0] + 0.1 * (decided["action"] == "c"))
                    slot = {"slot": decided["id"]} if "slots" in answer else {}
                    status, told = self.service.ask("POST", f"/v1/events/{answer['event_id']}/reward", {"value": rewards[-1], **slot})
                    self.assertLess(status, 300, told)
            self.service.wait_for(lambda: self.service.stats(loop)["learner"]["lag_records"] == 0)
            lines, _ = self.evaluate("--loop", loop, "--policy", "uniform")
            self.assertEqual((lines[0]["n"], lines[0]["unsupported"]), (len(rewards), 0))
            self.assertAlmostEqual(lines[0]["value"], sum(rewards) / len(rewards), 6)

    def test_tuning_reads_the_folder(self):
        done = subprocess.run([NEURALTS, "tune", os.path.join(self.service.folder, "service"), "--loop", "vectors", "--policy", "linear-ts",
                               "--set", "nu=0.1", "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
