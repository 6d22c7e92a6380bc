"""The service's calls, one by one: what is asked, what is answered, what is refused."""
import gzip
import http.client
import json
import os
import struct
import sys
import tempfile
import threading
import time
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hostile import Attack, Stalled  # noqa: E402
from service import Service, vectors  # noqa: E402

SHOP = {"context": {"country": "DE", "hour": 14},
        "actions": [{"id": "item7", "features": {"price": 3.5}}, {"id": "item9", "features": {"price": 8.0}}]}


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.limits = tempfile.NamedTemporaryFile("w", suffix=".toml")
        cls.limits.write("[limits]\nconnections_per_address = 2000\n")
        cls.limits.flush()
        cls.service = Service("--config", cls.limits.name)

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()

    def loop(self, name, **configuration):
        configuration.setdefault("policy", "linear-ts")
        status, made = self.service.ask("PUT", f"/v1/loops/{name}", configuration)
        self.assertIn(status, (200, 201), made)
        return name

    def header(self, method, path, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=20)
        try:
            connection.request(method, path)
            return connection.getresponse().getheader(name)
        finally:
            connection.close()

    def rank(self, loop, body, status=200):
        got, answer = self.service.ask("POST", f"/v1/loops/{loop}/rank", body)
        self.assertEqual(got, status, answer)
        return answer

    def reward(self, event, value, status=200, **more):
        got, answer = self.service.ask("POST", f"/v1/events/{event}/reward", {"value": value, **more})
        self.assertEqual(got, status, answer)
        return answer

    def test_bad_requests_name_their_field(self):
        loop = self.loop("bad")
        cases = [
            ("{", 400, None), ([], 422, None), ({}, 422, "actions"), ({"actions": []}, 422, "actions"),
            ({"actions": [{}]}, 422, "actions[0].id"), ({"actions": [{"id": ""}]}, 422, "actions[0].id"),
            ({"actions": [{"id": "a"}, {"id": "a"}]}, 422, "actions[1].id"), ({"actions": [{"id": "a\x01"}]}, 422, "actions[0].id"),
            ({"actions": [{"id": "a", "vector": [1, "x"]}]}, 422, "actions[0].vector[1]"),
            ('{"actions":[{"id":"a","vector":[1e300]}]}', 422, "actions[0].vector[0]"),
            ('{"actions":[{"id":"a","vector":[1.001e15]}]}', 422, "actions[0].vector[0]"), ('{"defer":true,"actions":[{"id":"a","vector":[-2e15]}]}', 422, "actions[0].vector[0]"),
            ({"actions": [{"id": "a", "features": {"id": 3, "p": 1}}]}, 422, "actions[0].features.id"),
            ('{"actions":[{"id":"a","features":{"n":12345678901234567890123}}]}', 400, None),
            ({"actions": [{"id": "a", "vector": [1]}, {"id": "b", "vector": [1, 2]}]}, 422, "actions[1].vector"),
            ({"actions": [{"id": "a", "vector": [1]}, {"id": "b"}]}, 422, "actions[1].vector"),
            ({"actions": [{"id": "a", "features": 3}]}, 422, "actions[0].features"),
            ('{"actions":[{"id":"a","features":{"x":1,"x":2}}]}', 422, "actions[0].features.x"),
            ('{"actions":[{"id":"a"}],"actions":[]}', 422, "actions"),
            ({"actions": [{"id": "a"}], "excluded": ["b"]}, 422, "excluded"), ({"actions": [{"id": "a"}], "excluded": ["a"]}, 422, "excluded"),
            ({"actions": [{"id": "a"}], "event_id": "x" * 300}, 422, "event_id"), ({"actions": [{"id": "a"}], "event_id": "0" * 26}, 422, "event_id"),
            ({"actions": [{"id": "a"}], "colour": 1}, 422, "colour"), ({"actions": [{"id": str(k)} for k in range(1001)]}, 422, "actions"),
        ]
        for body, status, field in cases:
            got, problem = self.service.ask("POST", f"/v1/loops/{loop}/rank", body)
            self.assertEqual(got, status, (body, problem))
            self.assertEqual(problem.get("field"), field, (body, problem))
            self.assertEqual(problem["status"], status)
        self.assertEqual(self.service.ask("POST", "/v1/loops/nobody/rank", SHOP)[0], 404)
        self.assertEqual(self.service.ask("POST", "/v1/loops/bad/rank", "x=1", headers={"Content-Type": "application/x-www-form-urlencoded"})[0], 415)
        packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        status, problem = self.service.ask("POST", f"/v1/loops/{loop}/rank", gzip.compress(json.dumps(SHOP).encode()), headers=packed)
        self.assertEqual((status, "not compressed" in problem["detail"]), (415, True), problem)
        octets = {"Content-Type": "Application/Octet-Stream"}
        self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/rank", struct.pack("<IIf", 1, 1, 2e15), headers=octets)[1]["field"], "vector")
        self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/rank?event_id=%FF", struct.pack("<IIf", 1, 1, 2), headers=octets)[1]["field"], "event_id")
        self.assertEqual(self.service.ask("DELETE", "/v1/loops/bad/rank")[0], 405)
        self.assertEqual(self.header("PATCH", f"/v1/loops/{loop}", "Allow"), "GET, PUT, DELETE")
        self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/rank", b"x" * (1 << 20) + b"xx")[0], 413)
        self.assertEqual(self.service.stats(loop)["decisions"], 0)

    def test_nesting_without_end_harms_nobody(self):
        """Copying what was read, or printing it, would take all of the stack."""
        for key in ("features", "params", "reward", "version", "colour"):
            deep = '{"%s":' % key + '[{"a":' * 100_000 + "1" + "}]" * 100_000 + "}"
            for method, path in (("PUT", "/v1/loops/deep"), ("POST", "/v1/loops/default/rollback"), ("POST", "/v1/loops/default/rank"),
                                 ("PUT", "/personalizer/v1.0/configurations/service"), ("POST", "/personalizer/v1.0/rank")):
                self.assertEqual(self.service.ask(method, path, deep)[0], 400, (method, path, key))
        self.assertEqual(self.service.ask("GET", "/healthz")[0], 200)

    def test_bad_changes_are_refused_by_field(self):
        loop = self.loop("settings")
        cases = [
            ("PUT", "", {"seed": 1.5}, "seed"), ("PUT", "", {"length": 2.5}, "length"), ("PUT", "", {"retention_days": 0.5}, "retention_days"),
            ("POST", "/rollback", {"resume": "yes"}, "resume"), ("POST", "/rollback", {"versoin": 1}, "versoin"), ("GET", "/model?version=one", None, "version"),
            ("PUT", "", b'{"seed": 1, "seed": 2}', "seed"), ("PUT", "", b'{"params": {"nu": 1, "nu": 2}}', "nu"),
            ("POST", "/rollback", b'{"version": 1, "version": 2}', "version"),
            ("POST", "/slots", {"actions": [{"id": "a"}, {"id": "b"}], "slots": [{"id": "top"}, {"id": "top"}]}, "slots[1].id"),
        ]
        for method, path, body, field in cases:
            status, problem = self.service.ask(method, f"/v1/loops/{loop}{path}", body)
            self.assertEqual((status, problem.get("field")), (422, field), (path, body, problem))
        self.assertIn("no model has been published", self.service.ask("GET", f"/v1/loops/{loop}/model")[1]["detail"])

    def test_what_a_model_cannot_read_is_named_by_its_part(self):
        number = {"kind": "number", "mean": 0, "deviation": 1}
        loop = self.loop("parts", features={"context": {"hour": number}, "action": {"price": number, "id": {"kind": "id", "hashed": 8}}}, publish_seconds=0)
        good = {"context": {"hour": 3}, "actions": [{"id": "a", "features": {"price": 1}}, {"id": "b", "features": {"price": 2}}]}
        self.reward(self.rank(loop, good)["event_id"], 1)
        self.service.wait_for(lambda: self.service.stats(loop)["model"]["version"] > 0 or self.reward(self.rank(loop, good)["event_id"], 1) is None)
        for part, body in (("context", {**good, "context": {"hour": "noon"}}), ("actions", {**good, "actions": [{"id": "a", "features": {"price": "cheap"}}]})):
            self.assertEqual(self.rank(loop, body, 422)["field"], part)

    def test_batches_binary_and_exclusion(self):
        loop = self.loop("forms")
        answers = self.rank(loop, [vectors([1, 0], [0, 1]), vectors([1, 0], [0, 1], excluded=["a0"])])
        self.assertEqual(len(answers), 2)
        self.assertEqual(answers[1]["action"], "a1")
        self.assertEqual({r["id"]: r["probability"] for r in answers[1]["ranking"]}["a0"], 0)
        body = struct.pack("<2I4f", 2, 2, 1, 0, 0, 1)
        status, one = self.service.ask("POST", f"/v1/loops/{loop}/rank", body, headers={"Content-Type": "application/octet-stream"})
        self.assertEqual(status, 200)
        self.assertIn(one["action"], ("0", "1"))
        bad = struct.pack("<2I4f", 2, 2, 1, float("nan"), 0, 1)
        self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/rank", bad, headers={"Content-Type": "application/octet-stream"})[0], 422)

    def test_an_event_asked_again_is_the_same_event(self):
        loop = self.loop("again")
        body = vectors([1, 0], [0, 1], event_id="order/17 ä")
        first = self.rank(loop, body)
        for _ in range(10):
            self.assertEqual(self.rank(loop, body), first)
        self.rank(loop, vectors([1, 0], event_id="order/17 ä"), status=409)
        self.assertTrue(self.reward("order%2F17%20%C3%A4", 1)["applied"])
        other = self.loop("again2")
        self.rank(other, body)
        self.assertEqual(self.service.ask("POST", "/v1/events/order%2F17%20%C3%A4/reward", {"value": 1})[0], 409)
        self.assertTrue(self.service.ask("POST", f"/v1/events/order%2F17%20%C3%A4/reward?loop={other}", {"value": 1})[1]["applied"])

    def test_rewards_duplicate_late_unknown_forged(self):
        duplicates = int(os.environ.get("NEURALTS_DUPLICATES", "1000"))
        loop = self.loop("rewards", reward={"window_seconds": 10 + duplicates / 200, "default": None, "aggregation": "sum"})
        event = self.rank(loop, vectors([1, 0], [0, 1]))["event_id"]
        answers = []

        def send():
            for _ in range(duplicates // 20):
                answers.append(self.reward(event, 1, key="purchase-1"))
        threads = [threading.Thread(target=send) for _ in range(20)]
        for thread in threads:
            thread.start()
        self.reward(event, 0.5, key="purchase-2")
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), duplicates // 20 * 20)
        self.assertEqual(sum("applied" in a for a in answers) + sum("late" in a for a in answers), 1)
        forged = event[:-1] + ("0" if event[-1] != "0" else "1")
        self.reward(forged, 1, status=404)
        self.reward("never-seen", 1, status=404)
        self.reward(event, float(1e7), status=422)
        short = self.loop("short", reward={"window_seconds": 0.2, "default": None})
        late = self.rank(short, vectors([1, 0], [0, 1]))["event_id"]
        time.sleep(0.3)
        self.assertTrue(self.reward(late, 1)["late"])
        self.service.wait_for(lambda: self.service.stats(short)["late"] == 1)
        stats = self.service.wait_for(lambda: (s := self.service.stats(loop))["rewards"] == 1 and s, 60 + duplicates / 100)
        self.assertEqual(stats["reward"]["value"], 1.5)

    def test_deferred_events_wait_for_their_activation(self):
        loop = self.loop("deferred", reward={"window_seconds": 6, "default": 0.25})
        events = [self.rank(loop, vectors([1, 0], [0, 1], defer=True))["event_id"] for _ in range(3)]
        self.reward(events[0], 1)                                    # never shown: not learned
        self.reward(events[1], 1)
        for event in events[1:]:                                     # shown; the last one without a reward
            self.assertTrue(self.service.ask("POST", f"/v1/events/{event}/activate")[1]["activated"])
        self.assertTrue(self.service.ask("POST", f"/v1/events/{events[1]}/activate")[1]["duplicate"])
        stats = self.service.wait_for(lambda: (s := self.service.stats(loop))["not_activated"] == 1 and s["defaults"] == 1 and s)
        self.assertEqual(stats["rewards"], 1)

    def test_slots(self):
        loop = self.loop("slots", reward={"window_seconds": 60, "default": None})
        body = {**vectors([1, 0], [0, 1], [1, 1]), "slots": [{"id": "top"}, {"id": "side", "excluded": ["a2"]}], "event_id": "page-1"}
        status, answer = self.service.ask("POST", f"/v1/loops/{loop}/slots", body)
        self.assertEqual(status, 200, answer)
        chosen = [slot["action"] for slot in answer["slots"]]
        self.assertEqual(len(set(chosen)), 2)
        self.assertNotEqual(chosen[1], "a2")
        self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/slots", body)[1]["slots"], answer["slots"])
        self.assertEqual(self.reward("page-1", 1, slot="side"), {"applied": True, "acknowledged": "durable"})
        self.assertEqual(self.reward("page-1", 1, slot="side"), {"duplicate": True, "acknowledged": "durable"})
        self.assertIn("nowhere", self.reward("page-1", 1, slot="nowhere", status=404)["detail"])
        for other in ({"slots": [{"id": "top"}]}, {"slots": [{"id": "top"}, {"id": "foot"}]}, {"actions": vectors([1, 0], [0, 1], [1, 1], [2, 2])["actions"]}):
            self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/slots", {**body, **other})[0], 409, other)
        self.assertEqual(self.rank(loop, {**vectors([1, 0], [0, 1], [1, 1]), "event_id": "page-1"}, 409)["field"], "event_id")
        self.service.wait_for(lambda: self.service.stats(loop)["rewards"] == 1)

    def test_a_slots_features_are_learned(self):
        """Only the slot says which of two actions pays. Who cannot see it earns 1/2: 45 of 60 would be a chance of 7e-5."""
        loop = self.loop("places", publish_seconds=0, holdout=0)

        def play(n):
            place = ("top", "side")[n % 2]
            body = {"actions": [{"id": "a"}, {"id": "b"}], "slots": [{"id": "s", "features": {"place": place}}]}
            status, answer = self.service.ask("POST", f"/v1/loops/{loop}/slots", body)
            self.assertEqual(status, 200, answer)
            value = int((answer["slots"][0]["action"] == "a") == (place == "top"))
            self.reward(answer["event_id"], value, slot="s")
            return value
        for n in range(300):
            play(n)
        self.service.wait_for(lambda: (s := self.service.stats(loop))["learner"]["lag_records"] == 0 and s["model"]["version"] > 1)
        time.sleep(0.1)
        self.assertGreater(sum(play(n) for n in range(60)), 45)

    def test_a_length_that_is_said_holds_from_the_first_event_on(self):
        loop = self.loop("long", length=3)
        self.assertEqual(self.rank(loop, vectors([1, 0], [0, 1]), 422)["field"], "actions[0].vector")
        self.assertEqual(self.rank(loop, SHOP, 422)["field"], "actions")
        self.rank(loop, vectors([1, 0, 0], [0, 1, 0]))

    def test_a_model_of_other_events_is_not_imported(self):
        octets = {"Content-Type": "application/octet-stream"}
        exported = {}
        for loop, body in ((self.loop("two", publish_seconds=0, holdout=0), vectors([1, 0], [0, 1])), (self.loop("three", publish_seconds=0, holdout=0), vectors([1, 0, 0], [0, 1, 0]))):
            def learned():
                self.reward(self.rank(loop, body)["event_id"], 1)
                return self.service.stats(loop)["model"]["version"] > 0
            self.service.wait_for(learned)
            exported[loop] = self.service.ask("GET", f"/v1/loops/{loop}/model", raw=True)[1]
        one, other = exported
        status, problem = self.service.ask("PUT", f"/v1/loops/{one}/model", exported[other], headers=octets)
        self.assertEqual((status, problem["field"]), (422, "body"))
        self.assertIn("vectors of 3 numbers", problem["detail"])
        self.assertFalse(self.service.ask("GET", f"/v1/loops/{one}")[1]["pinned"])
        for offset, wrong in ((17, b"\0"), (17, b"\2"), (18, struct.pack("<I", 7))):  # what it takes: the form, the length of a vector
            bytes_ = exported[one][:offset] + wrong + exported[one][offset + len(wrong):-4]
            status, problem = self.service.ask("PUT", f"/v1/loops/{one}/model", bytes_ + struct.pack("<I", zlib.crc32(bytes_)), headers=octets)
            self.assertEqual(status, 422, problem)
            self.assertNotIn("checksum", problem["detail"])
        self.rank(one, vectors([1, 0], [0, 1]))

    def test_what_is_held_stays_while_others_learn(self):
        """Before publishing was done in turn one hold in twenty-five was published over."""
        loop = self.loop("held", publish_seconds=0, holdout=0)
        done = threading.Event()

        def play():
            while not done.is_set():
                self.reward(self.rank(loop, vectors([1, 0], [0, 1]))["event_id"], 1)
        players = [threading.Thread(target=play) for _ in range(2)]
        for player in players:
            player.start()
        try:
            self.service.wait_for(lambda: self.service.stats(loop)["model"]["version"] > 2)
            for _ in range(60):
                status, held = self.service.ask("POST", f"/v1/loops/{loop}/rollback", {})
                self.assertEqual((status, held["pinned"]), (200, True), held)
                time.sleep(0.02)
                self.assertEqual(self.service.ask("GET", f"/v1/loops/{loop}")[1]["model"], held["model"])
                self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/rollback", {"resume": True})[0], 200)
                time.sleep(0.01)
        finally:
            done.set()
            for player in players:
                player.join()
        held = self.service.ask("POST", f"/v1/loops/{loop}/rollback", {})[1]
        self.service.ask("POST", f"/v1/loops/{loop}/rollback", {"resume": True})
        self.service.wait_for(lambda: self.service.stats(loop)["model"]["version"] > held["model"])  # though nothing was learned since

    def test_modes(self):
        loop = self.loop("modes", mode="apprentice")
        for _ in range(30):
            answer = self.rank(loop, vectors([1, 0], [0, 1], [1, 1], excluded=["a0"]))
            self.assertEqual((answer["action"], answer["probability"]), ("a1", 1))
            self.assertEqual([row["id"] for row in answer["ranking"]], ["a1", "a0", "a2"])
            self.reward(answer["event_id"], 1)
        stats = self.service.wait_for(lambda: (s := self.service.stats(loop))["rewards"] == 30 and s)
        self.assertEqual(stats["apprentice"]["decisions"], 30)
        self.assertGreater(stats["learned"], 20)
        logging = self.loop("logs", mode="logging")
        event = self.rank(logging, vectors([1, 0], [0, 1]))["event_id"]
        self.reward(event, 1)
        self.service.wait_for(lambda: self.service.stats(logging)["rewards"] == 1)
        self.assertEqual(self.service.stats(logging)["learned"], 0)

    def test_models_are_exported_imported_recalled(self):
        loop = self.loop("models", publish_seconds=0)

        def play_on():
            for _ in range(20):
                answer = self.rank(loop, vectors([1, 0], [0, 1]))
                self.reward(answer["event_id"], float(answer["action"] == "a1"))
            return self.service.stats(loop)["model"]["version"] >= 3
        self.service.wait_for(play_on)
        models = self.service.ask("GET", f"/v1/loops/{loop}/models")[1]["models"]
        self.assertLessEqual(len(models), 10)
        status, bytes_ = self.service.ask("GET", f"/v1/loops/{loop}/model?version={models[1]['version']}", raw=True)
        self.assertEqual(status, 200)
        status, back = self.service.ask("POST", f"/v1/loops/{loop}/rollback", {"version": models[1]["version"]})
        self.assertEqual((status, back["pinned"]), (200, True))
        recalled = back["model"]
        self.assertEqual(self.service.ask("GET", f"/v1/loops/{loop}/model", raw=True)[1], bytes_)
        for _ in range(10):
            answer = self.rank(loop, vectors([1, 0], [0, 1]))
            self.assertEqual(answer["model"], recalled)
            self.reward(answer["event_id"], 1)
        octets = {"Content-Type": "application/octet-stream"}
        self.assertEqual(self.service.ask("PUT", f"/v1/loops/{loop}/model", bytes_, headers=octets)[0], 200)
        broken = bytes_[:100] + bytes([bytes_[100] ^ 1]) + bytes_[101:]
        self.assertEqual(self.service.ask("PUT", f"/v1/loops/{loop}/model", broken, headers=octets)[0], 422)
        self.assertTrue(self.service.ask("GET", f"/v1/loops/{loop}")[1]["pinned"])
        self.assertFalse(self.service.ask("POST", f"/v1/loops/{loop}/rollback", {"resume": True})[1]["pinned"])
        self.assertEqual(self.service.ask("POST", f"/v1/loops/{loop}/rollback", {"version": 99999})[0], 404)

    def test_loops_come_change_and_go(self):
        loop = self.loop("goes", reward={"window_seconds": 60})
        status, shown = self.service.ask("GET", f"/v1/loops/{loop}")
        self.assertEqual(shown["configuration"]["reward"]["window_seconds"], 60)
        self.assertEqual(self.service.ask("PUT", f"/v1/loops/{loop}", {"policy": "linear-ucb"})[1]["revision"], 1)
        self.assertEqual(self.service.ask("PUT", f"/v1/loops/{loop}", {"exploration": 2})[1]["field"], "exploration")
        self.assertEqual(self.service.ask("PUT", "/v1/loops/%20", {})[0], 422)
        self.assertEqual(self.service.ask("DELETE", f"/v1/loops/{loop}")[0], 204)
        self.assertEqual(self.service.ask("GET", f"/v1/loops/{loop}")[0], 404)

    def test_personalizers_dialect(self):
        p = "/personalizer/v1.0"
        rank = {"contextFeatures": [{"timeOfDay": "morning"}], "actions": [{"id": "pasta", "features": [{"taste": "salty"}, {"kcal": 500}]},
                {"id": "salad", "features": [{"taste": "fresh"}]}], "excludedActions": ["pasta"], "eventId": "75269AD0-BFEE-4598-8196-C57383D38E10"}
        status, answer = self.service.ask("POST", p + "/rank", rank)
        self.assertEqual(status, 201)
        self.assertEqual(answer["rewardActionId"], "salad")
        self.assertEqual({r["id"]: r["probability"] for r in answer["ranking"]}["pasta"], 0)
        self.assertEqual(answer["eventId"], rank["eventId"])
        events = f"{p}/events/{answer['eventId']}"
        self.assertEqual(self.service.ask("POST", events + "/reward", {"value": 1})[0], 204)
        self.assertEqual(self.service.ask("POST", events + "/reward", {"value": 7})[0], 400)
        self.assertEqual(self.service.ask("POST", events + "/activate")[0], 204)
        status, problem = self.service.ask("POST", p + "/rank", {"actions": [{"id": str(k)} for k in range(51)]})
        self.assertEqual((status, problem["error"]["target"]), (400, "actions"))
        self.assertEqual(set(problem["error"]), {"code", "message", "target", "details", "innerError"})
        self.assertEqual(self.service.ask("POST", p + "/events/nobody/reward", {"value": 1})[0], 404)
        status, settings = self.service.ask("GET", p + "/configurations/service")
        self.assertEqual(settings["rewardWaitTime"], "PT10M")
        changed = {**settings, "rewardWaitTime": "PT1H30M", "defaultReward": -0.5, "rewardAggregation": "average", "learningMode": "Apprentice"}
        status, after = self.service.ask("PUT", p + "/configurations/service", changed)
        self.assertEqual((status, after["rewardWaitTime"], after["learningMode"]), (200, "PT1H30M", "Apprentice"))
        self.assertEqual(self.service.ask("PUT", p + "/configurations/service", {"rewardWaitTime": "PT1S"})[0], 400)
        self.service.ask("PUT", p + "/configurations/service", settings)
        slots = {"actions": rank["actions"], "slots": [{"id": "main", "baselineAction": "salad"}, {"id": "side", "baselineAction": "pasta", "excludedActions": []}]}
        status, answer = self.service.ask("POST", "/personalizer/multislot/rank", slots)
        self.assertEqual(status, 201, answer)
        self.assertEqual({s["rewardActionId"] for s in answer["slots"]}, {"pasta", "salad"})
        events = f"/personalizer/multislot/events/{answer['eventId']}"
        self.assertEqual(self.service.ask("POST", events + "/reward", {"reward": [{"slotId": "side", "value": 0.5}]})[0], 204)
        self.assertEqual(self.service.ask("POST", events + "/activate")[0], 204)

    def test_the_description_is_what_runs(self):
        document = self.service.ask("GET", "/openapi.json")[1]
        self.assertTrue(document["openapi"].startswith("3."))
        reward = document["components"]["schemas"]["Reward"]["properties"]["value"]
        event = self.rank(self.loop("worth"), SHOP)["event_id"]
        for value in (reward["maximum"] * 1.001, reward["minimum"] * 1.001):
            self.assertIn("use another unit", self.service.ask("POST", f"/v1/events/{event}/reward", {"value": value})[1]["detail"])
        self.reward(event, reward["maximum"])
        asked = {p["name"] for p in document["paths"]["/v1/loops/{loop}/evaluation"]["get"]["parameters"] if p["in"] == "query"}
        self.assertEqual(asked, {"policies", "estimators", "events"})
        self.loop("walk")
        seen = 0
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                target = path.replace("{loop}", "walk").replace("{event}", "nobody")
                for body in (None, "{", {"value": 1}):
                    if body is not None and method == "get":
                        continue
                    status, _ = self.service.ask(method.upper(), target, body)
                    self.assertIn(str(status), operation["responses"], (method, path, body))
                    seen += 1
                self.assertEqual(self.service.ask("PATCH", target)[0], 405, path)
                if path == "/v1/loops/{loop}" and method == "delete":
                    self.loop("walk")
        self.assertGreater(seen, 50)

    def test_malformed_requests_and_stalled_connections_harm_nobody(self):
        whole = ("POST /v1/loops/default/rank HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                 % (len(json.dumps(SHOP)), json.dumps(SHOP))).encode()
        stalled, attack = Stalled(self.service.port, 100), Attack(self.service.port, whole, 300)
        attack.thread.join()
        self.assertIsNone(attack.wrong)
        self.assertGreater(attack.answers.get("4xx", 0), 200)
        self.assertEqual(self.rank("default", SHOP)["acknowledged"], "durable")
        stalled.close()


if __name__ == "__main__":
    unittest.main()
