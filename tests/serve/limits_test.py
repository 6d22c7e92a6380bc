"""At its limits: more than it can take, and events whose rewards never come."""
import http.client
import json
import os
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import Service, ask, vectors  # noqa: E402


def memory_mib(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


class Limits(unittest.TestCase):
    def test_overload_is_answered_and_passes(self):
        """Room for 8 records and 64 clients at once: who is refused is told when to come again, who is answered is in the journal."""
        config = tempfile.NamedTemporaryFile("w", suffix=".toml")
        config.write("[limits]\npending = 8\n")
        config.flush()
        body = json.dumps([vectors([1, 0], [0, 1])] * 4)
        answered, refused, lock = [], [], threading.Lock()
        with Service("--config", config.name, "--quiet", "--threads", "1") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "random"})

            def client():
                connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
                for _ in range(30):
                    connection.request("POST", "/v1/loops/default/rank", body, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    content = json.loads(answer.read())
                    with lock:
                        if answer.status == 200:
                            answered.extend(event["event_id"] for event in content)
                        else:
                            refused.append((answer.status, answer.getheader("Retry-After")))
                connection.close()
            threads = [threading.Thread(target=client) for _ in range(64)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertGreater(len(answered), 0)
            self.assertGreater(len(refused), 0, "64 clients found room for 8")
            self.assertEqual(set(refused), {(429, "1")})
            self.assertEqual(len(set(answered)), len(answered))
            self.assertEqual(service.ask("POST", "/v1/loops/default/rank", body)[0], 200, "it goes on")
            self.reward_from_many_sides(service, answered)

    def reward_from_many_sides(self, service, events):
        """Four callers, a connection for every reward: connections begin and end while others' rewards are being stored."""
        left, applied, lock = list(events), [], threading.Lock()

        def caller():
            while True:
                with lock:
                    if not left:
                        return
                    event = left.pop()
                answer = service.ask("POST", f"/v1/events/{event}/reward", {"value": 1})[1]
                with lock:
                    applied.append(answer)
        callers = [threading.Thread(target=caller) for _ in range(4)]
        for thread in callers:
            thread.start()
        for thread in callers:
            thread.join()
        self.assertIsNone(service.process.poll(), "the service is alive")
        self.assertEqual(applied, [{"applied": True, "acknowledged": "durable"}] * len(events))

    def test_open_events_cost_next_to_nothing(self):
        """10 million in 512 MiB are 53 bytes each; here 60,000 may take 16 MiB, 280 bytes each, noise included."""
        with Service("--quiet", "--threads", "1") as service:
            service.ask("PUT", "/v1/loops/open", {"policy": "linear-ts", "reward": {"window_seconds": 5e6}})
            batch = json.dumps([vectors([1, 0], [0, 1])] * 256)
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)

            def decide(events, all_events):
                for _ in range(events // 256):
                    self.assertEqual(ask(connection, "POST", "/v1/loops/open/rank", batch)[0], 200)
                service.wait_for(lambda: service.stats("open")["decisions"] == all_events)
            decide(20480, 20480)
            before = memory_mib(service.process)
            decide(61440, 81920)
            connection.close()
            self.assertLess(memory_mib(service.process) - before, 16)


if __name__ == "__main__":
    unittest.main()
