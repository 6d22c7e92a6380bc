"""Simulated users of a shop (examples/shop_world.py) against the running service with neural-ts: rewards late, doubled and lost, the
service killed ten times on the way.

At the end nothing acknowledged is missing, a replay of the journal learns the same bytes, and the shop sells more than uniform choice
and than the best constant order of its items, its interval clear of both. NEURALTS_SHOP=long: more visits (scripts/gate shop).
"""
import http.client
import math
import os
import random
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "examples")]
from service import NEURALTS, Service, ask  # noqa: E402

try:
    from shop_world import Shop
except ImportError:  # numpy is not there
    sys.exit(77)

LONG = os.environ.get("NEURALTS_SHOP") == "long"
VISITS, KILLS, CLIENTS = (12000 if LONG else 2400), 10, 4
# nu: these visits are few, so it explores less than the default. A parameter also shows that checkpoints resume with them.
LOOP = {"policy": "neural-ts", "params": {"nu": 0.3},
        "features": {"automatic": True, "action": {"id": "ignored"}}, "reward": {"window_seconds": 36000, "default": None},
        "publish_seconds": 0.05, "checkpoint_seconds": 0.5}
TOGETHER = 15  # visits of a client before it waits for what was learned: users come at the learner's pace, not as fast as they can


class Visits:
    """Handed out one after another; all of them are kept, with the chances of a sale."""

    def __init__(self):
        self.shop, self.lock, self.all = Shop(1, VISITS), threading.Lock(), []

    def next(self):
        with self.lock:
            if len(self.all) == VISITS:
                return None
            _, context, items, chances = self.shop.visit(len(self.all))
            body = {"event_id": f"visit-{len(self.all)}", "context": context,
                    "actions": [{"id": item["id"], "features": {k: v for k, v in item.items() if k != "id"}} for item in items]}
            self.all.append((body, list(chances)))
            return len(self.all) - 1

    def chance(self, n, item):
        body, chances = self.all[n]
        return chances[[action["id"] for action in body["actions"]].index(item)]

    def uniform(self, n):
        return sum(self.all[n][1]) / len(self.all[n][1])

    def constant_orders(self, since):
        """What the best constant order earns: always the offered item that is best over all visits."""
        seen = {}
        for body, chances in self.all:
            for action, chance in zip(body["actions"], chances):
                seen.setdefault(action["id"], []).append(chance)
        worth = {item: sum(values) / len(values) for item, values in seen.items()}
        return [self.chance(n, max((a["id"] for a in self.all[n][0]["actions"]), key=worth.get)) for n in range(since, VISITS)]


class Users:
    """Clients that come back until they are answered: what they were told is what they may count on."""

    def __init__(self, service):
        self.service, self.visits, self.pause = service, Visits(), threading.Lock()
        self.shown, self.rewarded = {}, {}

    def call(self, state, path, body):
        for _ in range(400):
            try:
                if state.get("connection") is None:
                    with self.pause:
                        state["connection"] = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=20)
                status, answer = ask(state["connection"], "POST", path, body)
                if status not in (429, 503):
                    return status, answer
            except (OSError, http.client.HTTPException):
                state["connection"] = None
            time.sleep(0.05)
        raise TimeoutError(path)

    def reward(self, state, n, value):
        status, answer = self.call(state, f"/v1/events/visit-{n}/reward", {"value": value, "key": "sale"})
        assert status == 200 and ("applied" in answer or "duplicate" in answer), answer
        self.rewarded[n] = value

    def caught_up(self):
        """What was told is learned. A service that was killed meanwhile is to be asked again."""
        try:
            return self.service.stats()["learner"]["lag_records"] == 0
        except (OSError, http.client.HTTPException):
            return False

    def visit(self, number):
        chance, state, late, done = random.Random(number), {}, [], 0
        while (n := self.visits.next()) is not None:
            status, answer = self.call(state, "/v1/loops/default/rank", self.visits.all[n][0])
            assert status == 200, answer
            self.shown[n] = answer["action"]
            if chance.random() < 0.9:  # a tenth of the rewards is lost
                late.append((done + int(chance.expovariate(0.1)), n, float(chance.random() < self.visits.chance(n, answer["action"]))))
            done += 1
            if done % TOGETHER == 0:
                self.service.wait_for(self.caught_up)
                time.sleep(2 * LOOP["publish_seconds"])
            for due in [reward for reward in late if reward[0] <= done]:
                late.remove(due)
                for _ in range(2 if chance.random() < 0.2 else 1):  # some come twice
                    self.reward(state, *due[1:])
        for due in late:
            self.reward(state, *due[1:])

    def run(self):
        threads = [threading.Thread(target=self.visit, args=(n,)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        kills = 0
        while any(thread.is_alive() for thread in threads):
            if kills < KILLS and len(self.shown) * (KILLS + 1) > VISITS * (kills + 1):
                with self.pause:
                    self.service.kill()
                    self.service.start()
                kills += 1
            time.sleep(0.02)
        return kills


class ShopTest(unittest.TestCase):
    def test_the_shop_sells_more_and_nothing_is_lost(self):
        with Service("--quiet", "--threads", "1") as service:
            self.assertEqual(service.ask("PUT", "/v1/loops/default", LOOP)[0], 200)
            users = Users(service)
            self.assertEqual(users.run(), KILLS)
            self.assertEqual(len(users.shown), VISITS)
            service.wait_for(lambda: service.stats()["learner"]["lag_records"] == 0, 400)
            self.nothing_is_missing(users)
            self.assertEqual(service.wait_for_counts(lambda stats: stats["rewards"] >= len(users.rewarded))["rewards"], len(users.rewarded))
            self.assertEqual(service.stop(), 0)
            replay = subprocess.run([NEURALTS, "serve", "--dir", os.path.join(service.folder, "service"), "--replay"],
                                    capture_output=True, text=True, timeout=500)
            self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)
            self.assertIn("the replay is the same", replay.stdout)
        self.sells_more(users, replay.stdout.strip())

    def nothing_is_missing(self, users):
        """Asked again, every decision is the one that was told, and every reward is there already."""
        state = {}
        for n, item in users.shown.items():
            self.assertEqual(users.call(state, "/v1/loops/default/rank", users.visits.all[n][0])[1]["action"], item, n)
        for n, value in users.rewarded.items():
            answer = users.call(state, f"/v1/events/visit-{n}/reward", {"value": value, "key": "sale"})[1]
            self.assertTrue(answer.get("duplicate"), (n, answer))

    def sells_more(self, users, replay):
        """The second half of the visits, by expected sales: the interval is that of the visits and the choices."""
        half = VISITS // 2
        sold = [users.visits.chance(n, users.shown[n]) for n in range(half, VISITS)]
        mean = sum(sold) / len(sold)
        width = 1.96 * math.sqrt(sum((x - mean) ** 2 for x in sold) / (len(sold) - 1) / len(sold))
        uniform = sum(users.visits.uniform(n) for n in range(half, VISITS)) / len(sold)
        constant = sum(users.visits.constant_orders(half)) / len(sold)
        print(f"{VISITS} visits, {len(users.rewarded)} rewards, {KILLS} kills: {mean:.3f} +- {width:.3f} sales a visit in the second half; "
              f"uniform {uniform:.3f}, best constant order {constant:.3f}; {replay}", file=sys.stderr)
        self.assertGreater(mean - width, uniform)
        self.assertGreater(mean - width, constant)


if __name__ == "__main__":
    unittest.main()
