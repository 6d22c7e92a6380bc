"""What was acknowledged is there, whatever ends the process."""
import contextlib
import http.client
import json
import os
import random
import sqlite3
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import Service, ask, vectors  # noqa: E402


class Durability(unittest.TestCase):
    """Clients remember what was acknowledged; the service is killed; nothing of it may be missing."""

    def test_killed_and_stopped_it_loses_nothing(self):
        kills = int(os.environ.get("NEURALTS_KILLS", "8"))
        rng = random.Random(kills)
        acknowledged, rewarded, lock = {}, {}, threading.Lock()
        with Service("--threads", "1", "--quiet") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "linear-ts", "publish_seconds": 0.05, "checkpoint_seconds": 0.1, "reward": {"window_seconds": 3600}})
            running = threading.Event()
            ended = threading.Event()

            def client(number):
                local = random.Random(number)
                count = 0
                while not ended.is_set():
                    running.wait()
                    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
                    try:
                        while running.is_set() and not ended.is_set():
                            count += 1
                            name = f"c{number}-{count}"
                            status, d = ask(connection, "POST", "/v1/loops/default/rank", vectors([1, 0, 1], [0, 1, 1], event_id=name))
                            if status == 200:
                                acknowledged[name] = d["action"]
                                status, _ = ask(connection, "POST", f"/v1/events/{name}/reward", {"value": float(local.random() < 0.5)})
                                if status == 200:
                                    rewarded[name] = True
                    except (OSError, http.client.HTTPException):
                        pass
                    finally:
                        connection.close()
            threads = [threading.Thread(target=client, args=(i,), daemon=True) for i in range(4)]
            for thread in threads:
                thread.start()
            for k in range(kills):
                running.set()
                time.sleep(0.05 + rng.random() * 0.35)
                if k % 4 == 3:
                    self.assertEqual(service.stop(), 0)
                else:
                    service.kill()
                running.clear()
                service.start()
            ended.set()
            running.set()
            for thread in threads:
                thread.join(timeout=30)
            self.assertGreater(len(acknowledged), kills)
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
            for name, action in list(acknowledged.items()):
                status, again = ask(connection, "POST", "/v1/loops/default/rank", vectors([1, 0, 1], [0, 1, 1], event_id=name))
                self.assertEqual((status, again["action"]), (200, action), name)
            for name in list(rewarded):
                self.assertTrue(ask(connection, "POST", f"/v1/events/{name}/reward", {"value": 1})[1].get("duplicate"), name)
            connection.close()
            service.wait_for_counts(lambda stats: stats["rewards"] >= len(rewarded))
            print(f"{kills} ends, {len(acknowledged)} events and {len(rewarded)} rewards acknowledged, none lost", file=sys.stderr)

    def test_stopped_under_load_everything_accepted_is_answered(self):
        for _ in range(int(os.environ.get("NEURALTS_STOPS", "3"))):
            with Service("--quiet") as service:
                service.ask("PUT", "/v1/loops/default", {"policy": "linear-ts"})
                broken = []

                def client():
                    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
                    while True:
                        try:
                            connection.request("POST", "/v1/loops/default/rank", json.dumps(vectors([1, 0], [0, 1])), {"Content-Type": "application/json"})
                        except OSError:
                            return  # not accepted
                        try:
                            answer = connection.getresponse()
                            answer.read()
                            if answer.status not in (200, 503):
                                broken.append(answer.status)
                        except http.client.RemoteDisconnected:
                            return  # an idle connection was closed as the request set out
                        except (OSError, http.client.HTTPException) as error:
                            broken.append(repr(error))
                            return
                threads = [threading.Thread(target=client) for _ in range(8)]
                for thread in threads:
                    thread.start()
                time.sleep(0.3)
                start = time.monotonic()
                self.assertEqual(service.stop(), 0)
                self.assertLess(time.monotonic() - start, 30)
                for thread in threads:
                    thread.join()
                self.assertEqual([b for b in broken if "reset" not in str(b).lower()], [])

    def test_a_checkpoint_that_knows_more_than_the_journal_is_not_used(self):
        """An older copy of the journal beside a newer state: what comes now has sequences that the checkpoint has seen."""
        with Service("--threads", "1", "--quiet") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "linear-ts", "holdout": 0, "publish_seconds": 0, "checkpoint_seconds": 0.05})
            folder = os.path.join(service.folder, "service")

            def play(events):
                for _ in range(events):
                    answer = service.ask("POST", "/v1/loops/default/rank", vectors([1, 0], [0, 1]))[1]
                    service.ask("POST", f"/v1/events/{answer['event_id']}/reward", {"value": 1})

            def segments():
                return {name for name in os.listdir(folder) if name.startswith("segment")}
            play(5)
            self.assertEqual(service.stop(), 0)
            copied = {name: open(os.path.join(folder, name), "rb").read() for name in segments()}
            service.start()
            play(40)
            self.assertEqual(service.stop(), 0)
            for name in segments():
                os.remove(os.path.join(folder, name))
            for name, bytes_ in copied.items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(bytes_)
            service.start()
            play(10)
            service.wait_for_counts(lambda stats: stats["learned"] == 15)

    def test_what_follows_from_the_journal_may_be_damaged(self):
        """A checkpoint and a model that cannot be read: the service starts, says so, and learns them again."""
        with Service("--threads", "1") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "linear-ts", "holdout": 0, "publish_seconds": 0, "checkpoint_seconds": 0.05})
            for _ in range(20):
                answer = service.ask("POST", "/v1/loops/default/rank", vectors([1, 0], [0, 1]))[1]
                service.ask("POST", f"/v1/events/{answer['event_id']}/reward", {"value": 1})
            service.wait_for_counts(lambda stats: stats["learned"] == 20)
            self.assertEqual(service.stop(), 0)
            state = sqlite3.connect(os.path.join(service.folder, "service", "state.db"))
            self.assertGreater(state.execute("select count(*) from models").fetchone()[0], 0)
            state.execute("update checkpoints set bytes = substr(bytes, 1, length(bytes) - 40)")
            state.execute("update models set bytes = zeroblob(100)")
            state.commit()
            state.close()
            service.start()
            service.wait_for_counts(lambda stats: stats["learned"] == 20 and stats["model"]["version"] > 0)
            told = [entry["event"] for entry in service.log()]
            self.assertTrue(any(event.startswith("checkpoint not used: it cannot be read") for event in told), told)
            self.assertTrue(any(event.startswith("model not used") for event in told), told)

    def test_a_damaged_checkpoint_is_kept_where_the_journal_has_no_beginning(self):
        """What the dropped segments said is nowhere else: the service does not start over without being told to."""
        with Service("--threads", "1", "--quiet") as service:
            service.ask("PUT", "/v1/loops/default", {"policy": "linear-ts", "holdout": 0, "publish_seconds": 0, "checkpoint_seconds": 0.05})
            for _ in range(5):
                answer = service.ask("POST", "/v1/loops/default/rank", vectors([1, 0], [0, 1]))[1]
                service.ask("POST", f"/v1/events/{answer['event_id']}/reward", {"value": 1})
            self.assertEqual(service.stop(), 0)
            folder = os.path.join(service.folder, "service")

            def change(*commands):
                with contextlib.closing(sqlite3.connect(os.path.join(folder, "state.db"))) as state, state:
                    for command in commands:
                        state.execute(command)
            change("update segments set first = 3", "update checkpoints set bytes = substr(bytes, 1, length(bytes) - 40)")
            with self.assertRaises(RuntimeError) as refused:
                service.start()
            for word in ("checkpoint of loop default", "before record 3", "checkpoints"):
                self.assertIn(word, str(refused.exception))
            change("delete from checkpoints")
            service.start()
            self.assertEqual(service.stop(), 0)

    def test_what_is_damaged_is_named(self):
        with Service("--threads", "1", "--quiet") as service:
            self.assertEqual(service.stop(), 0)
            path = os.path.join(service.folder, "service", "state.db")
            state = sqlite3.connect(path)
            state.execute("update settings set value = cast(x'7bff' as text) where key like 'loop/%'")
            state.commit()
            state.close()
            with self.assertRaisesRegex(RuntimeError, "a loop's configuration is damaged.*restore the folder from a backup"):
                service.start()
            with open(path, "r+b") as file:
                file.write(b"not a database")
            with self.assertRaisesRegex(RuntimeError, "state.db.*restore the file from a backup"):
                service.start()


if __name__ == "__main__":
    unittest.main()
