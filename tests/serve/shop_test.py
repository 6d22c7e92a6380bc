"""Simulated users of a shop against the running service: rewards late, doubled and lost, the service killed on the way.

At the end nothing acknowledged is missing, a replay of the journal learns the same, and the shop earns more than uniform choice
and than the best constant item, its interval clear of both. NEURALTS_SHOP=long: more users and ten kills (scripts/gate shop).
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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import NEURALTS, Service, ask  # noqa: E402

COUNTRIES, DEVICES, ITEMS = ("DE", "FR", "US", "JP"), ("phone", "desktop"), tuple(f"item{k}" for k in range(6))


def worth(country, device, item):
    """How likely the user buys: each country has an item of its own, phones like cheap things."""
    k = ITEMS.index(item)
    return 0.10 + 0.55 * (k == COUNTRIES.index(country)) + 0.15 * (device == "phone" and k >= 4)


class Shop(unittest.TestCase):
    def test_the_shop_earns_more_and_nothing_is_lost(self):
        long = os.environ.get("NEURALTS_SHOP") == "long"
        events, kills, clients = (12000, 10, 4) if long else (1600, 3, 4)
        acknowledged, rewarded, earned = {}, {}, []
        lock, killed, pause = threading.Lock(), [0], threading.Lock()
        with Service("--quiet", "--threads", "1") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "neural-ts" if long else "linear-ts", "reward": {"window_seconds": 3600},
                                                       "publish_seconds": 0.2, "checkpoint_seconds": 0.5})

            def call(state, path, body):
                for attempt in range(200):
                    try:
                        if state.get("connection") is None:
                            with pause:
                                state["connection"] = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
                        status, answer = ask(state["connection"], "POST", path, body)
                        if status not in (429, 503):
                            return status, answer
                    except (OSError, http.client.HTTPException):
                        state["connection"] = None
                    time.sleep(0.05)
                raise TimeoutError(path)

            def client(number):
                rng, state, waiting = random.Random(number), {}, []
                for i in range(events // clients):
                    country, device = rng.choice(COUNTRIES), rng.choice(DEVICES)
                    name = f"user{number}-{i}"
                    body = {"event_id": name, "context": {"country": country, "device": device, "hour": rng.randrange(24)},
                            "actions": [{"id": item, "features": {"price": 3.0 + ITEMS.index(item)}} for item in ITEMS]}
                    status, d = call(state, "/v1/loops/default/rank", body)
                    assert status == 200, d
                    acknowledged[name] = d["action"]
                    chance = worth(country, device, d["action"])
                    with lock:
                        earned.append((i * clients, chance))
                    if rng.random() < 0.9:  # a tenth of the rewards is lost
                        waiting.append((i + int(rng.expovariate(1 / 10)), name, float(rng.random() < chance)))
                    for due in [w for w in waiting if w[0] <= i]:
                        waiting.remove(due)
                        for _ in range(2 if rng.random() < 0.2 else 1):  # some twice
                            if call(state, f"/v1/events/{due[1]}/reward", {"value": due[2], "key": "purchase"})[0] == 200:
                                rewarded[due[1]] = due[2]
            threads = [threading.Thread(target=client, args=(n,)) for n in range(clients)]
            for thread in threads:
                thread.start()
            while killed[0] < kills and any(thread.is_alive() for thread in threads):
                if len(acknowledged) * (kills + 1) > events * (killed[0] + 1):
                    with pause:
                        service.kill()
                        service.start()
                    killed[0] += 1
                time.sleep(0.02)
            for thread in threads:
                thread.join()
            self.assertEqual(killed[0], kills)
            self.assertEqual(len(acknowledged), events // clients * clients)
            service.wait_for(lambda: service.stats()["learner"]["lag_records"] == 0, 300)
            for name in random.Random(1).sample(sorted(rewarded), 100):
                self.assertTrue(call({}, f"/v1/events/{name}/reward", {"value": 1, "key": "purchase"})[1].get("duplicate"), name)
            self.assertEqual(service.stop(), 0)
            replay = subprocess.run([NEURALTS, "serve", "--dir", os.path.join(service.folder, "service"), "--replay"], capture_output=True, text=True, timeout=300)
            self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)
            self.assertIn("the replay is the same", replay.stdout)

        # The second half of the users; expected rewards, so the interval is that of the choices alone.
        second = [chance for at, chance in earned if at >= events / 2]
        mean = sum(second) / len(second)
        half = 1.96 * math.sqrt(sum((x - mean) ** 2 for x in second) / (len(second) - 1) / len(second))
        everywhere = [(c, d) for c in COUNTRIES for d in DEVICES]
        value = {item: sum(worth(c, d, item) for c, d in everywhere) / len(everywhere) for item in ITEMS}
        uniform, best = sum(value.values()) / len(value), max(value.values())
        print(f"{len(acknowledged)} events, {len(rewarded)} rewards, {kills} kills: {mean:.3f} +- {half:.3f} an event; uniform {uniform:.3f}, "
              f"best constant item {best:.3f}; {replay.stdout.strip()}", file=sys.stderr)
        self.assertGreater(mean - half, uniform)
        self.assertGreater(mean - half, best)


if __name__ == "__main__":
    unittest.main()
