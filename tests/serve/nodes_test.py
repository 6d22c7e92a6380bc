"""Several nodes on one PostgreSQL: what one learns all serve, and nothing is asked of the database to decide."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import LOOP, ClusterCase, Node, count, place_of, places  # noqa: E402
from postgres import Postgres  # noqa: E402
from service import vectors  # noqa: E402


class Nodes(ClusterCase):
    def test_every_node_serves_what_one_learns(self):
        with Postgres.primary() as server:
            nodes = self.start(server, "abc")
            clients = self.run_clients(nodes)
            versions = lambda: {node.stats()["model"]["version"] for node in nodes}
            nodes[0].wait_for(lambda: min(versions()) > 2)
            self.end_clients(clients)
            learner = self.settle(nodes)
            nodes[0].wait_for(lambda: len(versions()) == 1)
            self.assertEqual(sum(node.stats()["node"]["learns"] for node in nodes), 1)
            learned = learner.stats()["learned"]
            for node in nodes:  # those that do not learn show the numbers of the one that does
                shown = node.wait_for(lambda: (s := node.stats()).get("learned") == learned and s)
                self.assertEqual((shown["learner"]["node"], shown["learner"]["lag_records"]), (learner.name, 0))
                self.assertEqual(shown["decisions"], learner.stats()["decisions"])
            print(dict(self.check(server, nodes, clients)), flush=True)
            replay = subprocess.run([os.environ["NEURALTS"], "serve", "--journal", server.address(), "--replay"], capture_output=True, text=True)
            self.assertIn("the replay is the same", replay.stdout + replay.stderr)
            # A change of one node reaches the others, and so does a model that a person brings back.
            other = next(node for node in nodes if node is not learner)
            self.assertEqual(other.ask("PUT", "/v1/loops/more", {"policy": "linear-ucb"})[0], 201)
            nodes[0].wait_for(lambda: all(node.ask("GET", "/v1/loops/more")[0] == 200 for node in nodes))
            self.assertEqual(other.ask("POST", "/v1/loops/default/rollback", {})[0], 200)
            newest = other.stats()["model"]["version"]
            nodes[0].wait_for(lambda: versions() == {newest})
            self.assertEqual(other.ask("DELETE", "/v1/loops/more")[0], 204)
            nodes[0].wait_for(lambda: all(node.ask("GET", "/v1/loops/more")[0] == 404 for node in nodes))

    def test_a_name_of_several_loops_is_not_lost(self):
        """Decided at one node in two loops, rewarded at the other without a word about the loop: the older event's."""
        with Postgres.primary() as server:
            a, b = self.start(server, "ab")
            a.ask("PUT", "/v1/loops/more", LOOP)
            a.wait_for(lambda: b.ask("GET", "/v1/loops/more")[0] == 200)
            for loop in ("more", "default"):
                self.assertEqual(a.ask("POST", f"/v1/loops/{loop}/rank", vectors([1, 0], [0, 1], event_id="twin"))[0], 200)
            self.assertEqual(a.ask("POST", "/v1/events/twin/reward", {"value": 1})[0], 409)
            self.assertEqual(b.ask("POST", "/v1/events/twin/reward", {"value": 1}), (200, {"accepted": True, "acknowledged": "durable"}))
            self.settle([a, b])
            a.wait_for(lambda: a.stats("more").get("learned") == 1)
            self.assertEqual(a.stats("default")["learned"], 0)

    def test_a_node_starts_and_decides_without_the_database(self):
        with Postgres.primary() as server:
            node, = self.start(server, "a")
            clients = self.run_clients([node], 1)
            node.wait_for(lambda: node.stats()["model"]["version"] > 1)
            self.end_clients(clients)
            self.settle([node])
            server.kill()
            node.kill()
            node.start()
            self.assertIsNone(node.stats()["node"]["backlog"])
            self.assertIn("neuralts_node_learns 0", node.ask("GET", "/metrics")[1].decode())
            version = node.ask("POST", "/v1/loops/default/rank", vectors([1, 0, 0], [1, 1, 1]))[1]["model"]
            self.assertGreater(version, 1)
            status, answer = node.ask("POST", "/v1/events/somebody-elses/reward", {"value": 1})
            self.assertEqual((status, answer), (200, {"accepted": True, "acknowledged": "durable"}))
            self.assertEqual(node.ask("PUT", "/v1/loops/new", {})[0], 503)
            server.start()
            node.wait_for(lambda: node.stats()["node"]["learns"] and node.stats()["node"]["backlog"] == 0)
            metrics = node.ask("GET", "/metrics")[1].decode()
            self.assertIn("neuralts_node_learns 1", metrics)
            self.assertIn("neuralts_spool_backlog_records 0", metrics)

    def decide(self, node, times):
        return [node.ask("POST", "/v1/loops/default/rank", vectors([1, 0], [0, 1]))[1]["event_id"] for _ in range(times)]

    def check_decided(self, server, nodes, events):
        self.settle(nodes)
        self.assertEqual(len({place_of(event) for event in events}), len(events), "two events have one id")
        self.assertEqual({place_of(event) for event in events}, set(places(server, "kind = 1")))

    def test_an_older_copy_of_a_folder_is_another_node(self):
        with Postgres.primary() as server:
            a, b = self.start(server, "ab")
            events = self.decide(a, 3)
            self.assertEqual(a.stop(), 0)
            shutil.copytree(a.folder + "/service", a.folder + "/copy")
            a.start()
            events += self.decide(a, 5)
            self.settle([a, b])
            a.kill()
            shutil.rmtree(a.folder + "/service")
            os.rename(a.folder + "/copy", a.folder + "/service")
            a.start()
            events += self.decide(a, 3)
            self.check_decided(server, [a, b], events)
            for event in events:
                self.assertEqual(a.ask("POST", f"/v1/events/{event}/reward", {"value": 1})[0], 200)
            self.settle([a, b])
            b.wait_for(lambda: self.learner([a, b]).stats()["learned"] == len(events))

    def test_two_nodes_on_copies_of_one_folder_lose_nothing(self):
        with Postgres.primary() as server:
            a, = self.start(server, "a")
            events = self.decide(a, 3)
            self.assertEqual(a.stop(), 0)
            folder = tempfile.mkdtemp(prefix="neuralts-copy-")
            self.addCleanup(shutil.rmtree, folder)
            shutil.copytree(a.folder + "/service", folder + "/service")
            a.start()
            b = Node("b", server.address(), folder=folder)
            self.addCleanup(b.__exit__)
            events += self.decide(a, 4)
            a.wait_for(lambda: a.stats()["node"]["backlog"] == 0)
            first = self.decide(b, 1)  # has the number and the place of one of a's: neither could know
            b.wait_for(lambda: any(line["event"] == "goes on under another number" for line in b.log()))
            events += self.decide(b, 7) + self.decide(a, 5)
            self.settle([a, b])
            self.assertEqual(len({place_of(event) for event in events}), len(events), "two events have one id")
            self.assertEqual(count(server, "records WHERE kind = 1"), len(events) + len(first))


if __name__ == "__main__":
    unittest.main()
