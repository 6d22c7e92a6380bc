"""The service from outside: first steps, the example for Node, the load tool. Environment: NEURALTS, the program."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import NEURALTS, Service, vectors  # noqa: E402

SHOP = {"context": {"country": "DE", "hour": 14},
        "actions": [{"id": "item7", "features": {"price": 3.5}}, {"id": "item9", "features": {"price": 8.0}}]}


class FirstSteps(unittest.TestCase):
    def test_start_rank_reward_look_stop(self):
        with Service() as service:
            status, decision = service.ask("POST", "/v1/loops/default/rank", SHOP)
            self.assertEqual(status, 200)
            self.assertIn(decision["action"], ("item7", "item9"))
            self.assertAlmostEqual(sum(row["probability"] for row in decision["ranking"]), 1, places=5)
            self.assertEqual(decision["acknowledged"], "durable")
            self.assertRegex(decision["event_id"], "^[0-9a-z]{26}$")
            reward = f"/v1/events/{decision['event_id']}/reward"
            self.assertTrue(service.ask("POST", reward, {"value": 1})[1]["applied"])
            self.assertTrue(service.ask("POST", reward, {"value": 1})[1]["duplicate"])
            named = {**SHOP, "event_id": "visit-1"}
            self.assertEqual(service.ask("POST", "/v1/loops/default/rank", named), service.ask("POST", "/v1/loops/default/rank", named))
            status, page = service.ask("GET", "/")
            self.assertEqual(status, 200)
            self.assertIn(b"neuralts", page)
            self.assertEqual(service.ask("GET", "/healthz")[0], 200)
            self.assertEqual(service.ask("GET", "/readyz")[0], 200)
            metrics = service.ask("GET", "/metrics")[1].decode()
            self.assertIn('neuralts_decisions_total{loop="default"} 2', metrics)
            self.assertIn('neuralts_rewards_total{loop="default",outcome="duplicate"} 1', metrics)
            self.assertEqual(service.stop(), 0)
            for line in service.log():
                self.assertTrue({"time", "level", "event"} <= set(line))
                self.assertNotIn("item7", json.dumps(line))

    def test_it_learns_what_is_good(self):
        with Service() as service:
            for i in range(200):
                status, d = service.ask("POST", "/v1/loops/default/rank", SHOP)
                self.assertEqual(status, 200)
                service.ask("POST", f"/v1/events/{d['event_id']}/reward", {"value": 1.0 if d["action"] == "item9" else 0.0})
            service.wait_for(lambda: (s := service.stats())["learned"] > 150 and s["model"]["position"] >= s["position"])
            last = service.ask("POST", "/v1/loops/default/rank", SHOP)[1]
            likely = {row["id"]: row["probability"] for row in last["ranking"]}
            self.assertGreater(likely["item9"], 0.9)
            self.assertGreaterEqual(likely["item7"], 0.0099)  # the floor: every log can be evaluated

    def test_one_service_per_folder(self):
        with Service() as service:
            second = subprocess.run([NEURALTS, "serve", "--dir", os.path.join(service.folder, "service"), "--listen", "127.0.0.1:0"],
                                    capture_output=True, text=True, timeout=30)
            self.assertEqual(second.returncode, 1)
            self.assertIn("another service runs in this folder", second.stderr)

    def test_configuration_files_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            def check(text):
                path = os.path.join(folder, "service.toml")
                pathlib.Path(path).write_text(text)
                return subprocess.run([NEURALTS, "serve", "--check", path], capture_output=True, text=True, timeout=30)
            good = check('listen = "127.0.0.1:0"\n[limits]\nactions = 20\n[loop]\npolicy = "linear-ts"\n[loop.reward]\nwindow_seconds = 60\n')
            self.assertEqual(good.returncode, 0, good.stderr)
            for text, word in (("lisen = 1\n", "listen"), ("[limits]\nactions = -1\n", "limits.actions"), ('[loop]\npolicy = "neural-tz"\n', "neural-ts"),
                               ('open = true\n[loop]\npolicy = "neural-tz"\n', "service.toml:2: loop.policy: "), ("[loop.reward]\nwindow_seconds = -1\n", "loop.reward.window_seconds: "),
                               ('listen = "0.0.0.0:80"\n', "--open"), ("a = [\n", ":1"), ('listen = "x"\n', "ADDRESS:PORT"),
                               ('listen = "127.0.0.1:99999"\n', "65535"), ('listen = "127.0.0.1:80x"\n', "ADDRESS:PORT"), ("threads = 1000000\n", "threads"),
                               ("[limits]\nactions = 0\n", "above 0"), ("[journal]\nsegment_hours = inf\n", "journal.segment_hours")):
                bad = check(text)
                self.assertNotEqual(bad.returncode, 0, text)
                self.assertIn(word, bad.stderr)


@unittest.skipUnless(shutil.which("node"), "node is not there")
class Node(unittest.TestCase):
    def test_the_example_runs(self):
        version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
        if int(re.match(r"v(\d+)", version).group(1)) < 18:
            self.skipTest("node " + version)
        example = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "node_client.mjs")
        with Service() as service:
            done = subprocess.run(["node", example, service.address], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("reward applied", done.stdout)


class LoadTool(unittest.TestCase):
    def test_it_reports_what_it_did(self):
        with Service("--quiet") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "linear-ts"})
            for kind in ([], ["--objects"]):
                loop = "vectors" if not kind else "objects"
                service.ask("PUT", f"/v1/loops/{loop}", {"policy": "linear-ts"})
                done = subprocess.run([NEURALTS, "load", "--url", service.address, "--loop", loop, "--rate", "200", "--seconds", "1", "--connections", "8", "--json", *kind],
                                      capture_output=True, text=True, timeout=60, check=True)
                report = json.loads(done.stdout)
                self.assertTrue({"decisions", "rewards", "errors", "rate", "p50_ms", "p99_ms", "p999_ms"} <= set(report))
                self.assertEqual(report["errors"], 0, report)
                self.assertEqual(report["decisions"] + report["rewards"], 250)


if __name__ == "__main__":
    unittest.main()
