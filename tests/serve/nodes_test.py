"""Several nodes on one PostgreSQL: what was acknowledged is trained on, exactly once, whatever dies.

NEURALTS_MISFORTUNES=N: how many misfortunes of each kind; NEURALTS_CUTS=S,S,...: for how many seconds networks are cut. scripts/gate nodes
runs the long form."""
import collections
import json
import os
import random
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from postgres import Postgres, programs  # noqa: E402
from proxy import Proxy  # noqa: E402
from service import Service, vectors  # noqa: E402

if not programs():
    print("skipped: PostgreSQL's server is not installed")
    sys.exit(77)

MISFORTUNES = int(os.environ.get("NEURALTS_MISFORTUNES", "2"))
CUTS = [float(seconds) for seconds in os.environ.get("NEURALTS_CUTS", "1,2,3").split(",")]  # seconds that a network is away
LOOP = {"policy": "linear-ts", "holdout": 0, "publish_seconds": 0.1, "checkpoint_seconds": 0.5,
        "reward": {"window_seconds": 7200, "default": None}}


class Node(Service):
    def __init__(self, name, address, *flags, **more):
        super().__init__("--journal", address, "--node", name, *flags, **more)
        self.name = name


def place_of(event_id):
    """Writer and sequence of an id that a service made."""
    bits = 0
    for digit in event_id:
        bits = bits << 5 | "0123456789abcdefghjkmnpqrstvwxyz".index(digit)
    return bits >> 112, bits >> 64 & (1 << 48) - 1


def places(server, condition):
    rows = server.sql(f"SELECT CASE WHEN writer = 0 THEN '0 ' || sequence ELSE writer || ' ' || origin END FROM neuralts.records r WHERE {condition}")
    return collections.Counter(tuple(map(int, row.split())) for row in rows.splitlines())


def count(server, what):
    return int(server.sql(f"SELECT count(*) FROM neuralts.{what}"))


# Waits, for a few seconds at most, for a session that holds the journal's head: a node in the middle of handing on its records.
KILL_SHIPPER = """DO $$ DECLARE victim integer; BEGIN
  FOR i IN 1 .. 5000 LOOP
    SELECT pid INTO victim FROM pg_locks WHERE relation = 'neuralts.head'::regclass AND granted AND pid <> pg_backend_pid()
      AND mode IN ('RowShareLock', 'RowExclusiveLock') LIMIT 1;
    IF victim IS NOT NULL AND pg_terminate_backend(victim) THEN RAISE NOTICE 'caught'; RETURN; END IF;
    PERFORM pg_sleep(0.0005);
  END LOOP; END $$"""


class Clients(threading.Thread):
    """Decide at one node, reward at another, ask again what was not answered, and remember every acknowledgement."""

    def __init__(self, nodes, seed):
        super().__init__(daemon=True)
        self.nodes, self.chance, self.seed = nodes, random.Random(seed), seed
        self.events, self.rewards, self.refused, self.ended = [], [], 0, False

    def run(self):
        number, unpaid = 0, []
        while not self.ended:
            number += 1
            name = f"c{self.seed}-{number}"
            own = self.chance.random() < 0.5
            node = self.chance.choice(self.nodes)
            body = vectors(*[[1, self.chance.random(), k] for k in range(3)])
            if own:
                body["event_id"] = name
            answer = self.ask(node, "/v1/loops/default/rank", body, again=own)
            if answer:
                self.events.append(answer["event_id"])
                unpaid.append((answer["event_id"], node))
            if unpaid and self.chance.random() < 0.7:
                event, node = unpaid.pop(self.chance.randrange(len(unpaid)))
                other = self.chance.choice(self.nodes)
                reward = {"value": self.chance.random(), "key": "k"}
                for _ in range(2 if self.chance.random() < 0.2 else 1):
                    if self.ask(other, f"/v1/events/{event}/reward?loop=default", reward, again=True):
                        self.rewards.append(event)
            time.sleep(0.002)

    def ask(self, node, path, body, again):
        for _ in range(400):
            try:
                status, answer = node.ask("POST", path, body)
            except OSError:
                status, answer = 0, None
            if status == 200:
                return answer
            self.refused += 1
            if status == 404 and "reward" in path and node.shared:  # the event's own node has not shipped it yet
                pass
            elif status not in (0, 429, 503):
                raise AssertionError(f"{path}: {status} {answer}")
            if not again or self.ended:
                return None
            time.sleep(0.05)
        return None


class Nodes(unittest.TestCase):
    def start(self, server, names, flags=(), address=None):
        nodes = []
        for name in names:
            node = Node(name, address or server.address(), *flags)
            node.shared = "shared" in flags
            self.addCleanup(node.__exit__)
            nodes.append(node)
        nodes[0].ask("PUT", "/v1/loops/default", LOOP)
        for node in nodes:
            node.wait_for(lambda node=node: node.ask("GET", "/v1/loops/default")[1]["configuration"]["holdout"] == 0)
        return nodes

    def learner(self, nodes):
        for node in nodes:
            try:
                if node.stats()["node"]["learns"]:
                    return node
            except OSError:
                pass
        return None

    def settle(self, nodes):
        """Everything shipped and learned; the node that learns."""
        def done():
            states = [node.stats() for node in nodes]
            if any(state["node"].get("backlog", 0) for state in states):
                return None
            for node, state in zip(nodes, states):
                if state["node"]["learns"] and state["learner"]["lag_records"] == 0:
                    return node
            return None
        return nodes[0].wait_for(lambda: done() and self.steady(nodes), 120)

    def steady(self, nodes):
        """The one that learns, when its numbers have stopped to move."""
        before = self.learner(nodes)
        first = before and before.stats()
        time.sleep(1)
        after = self.learner(nodes)
        last = after and after.stats()
        same = before is after and first and all(first[key] == last[key] for key in ("position", "learned", "rewards"))
        return after if same else None

    def check(self, server, nodes, clients):
        """What was acknowledged is in the journal, once, and what is there was learned, once."""
        learner = self.settle(nodes)
        events = set().union(*[set(client.events) for client in clients])
        paid = set().union(*[set(client.rewards) for client in clients])
        named = {event for event in events if event.startswith("c")}
        there = {bytes.fromhex(line[2:]).decode() for line in server.sql("SELECT name FROM neuralts.names").splitlines()}
        self.assertEqual(named - there, set(), "acknowledged events are lost")
        made = {place_of(event) for event in events - named}
        self.assertEqual(made - set(places(server, "kind = 1")), set(), "acknowledged events are lost")
        paid_made = {place_of(event) for event in paid if not event.startswith("c")}
        found = set(places(server, "EXISTS (SELECT FROM neuralts.records p WHERE p.target = r.sequence AND p.kind = 2)"))
        self.assertEqual(paid_made - found, set(), "acknowledged rewards are lost")
        in_journal = count(server, "records WHERE kind = 1")
        self.assertGreaterEqual(in_journal, len(events))
        self.assertEqual(count(server, "waiting"), 0)
        rewards = count(server, "records WHERE kind = 2")
        self.assertGreaterEqual(rewards, len(paid))
        self.assertEqual(rewards, int(server.sql("SELECT count(DISTINCT target) FROM neuralts.records WHERE kind = 2")))
        paid_names = {bytes.fromhex(line[2:]).decode() for line in server.sql(
            "SELECT n.name FROM neuralts.names n JOIN neuralts.records r ON r.target = n.sequence AND r.kind = 2").splitlines()}
        self.assertEqual({event for event in paid if event.startswith("c")} - paid_names, set(), "acknowledged rewards are lost")
        stats = learner.stats()
        if stats["learned"] != rewards:
            print(json.dumps({key: stats[key] for key in ("learned", "rewards", "late", "surplus", "position", "node", "learner", "journal")}))
            print(*learner.log()[-12:], sep="\n")
        self.assertEqual(stats["learned"], rewards, "trained on is not what the journal holds")
        last = int(server.sql("SELECT next - 1 FROM neuralts.head"))
        self.assertEqual(count(server, "records"), last, "a gap")
        self.assertEqual(int(server.sql("SELECT count(*) FROM (SELECT writer, origin FROM neuralts.records WHERE writer <> 0 "
                                        "GROUP BY 1, 2 HAVING count(*) > 1) AS twice")), 0)
        return collections.Counter(events=in_journal, acknowledged=len(events), rewards=rewards, paid=len(paid),
                                   refused=sum(client.refused for client in clients))

    def run_clients(self, nodes, number=2):
        clients = [Clients(nodes, seed) for seed in range(number)]
        for client in clients:
            client.start()
        return clients

    def end_clients(self, clients):
        for client in clients:
            client.ended = True
        for client in clients:
            client.join()

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

    def misfortunes(self, flags=()):
        """Server, nodes, learners and sessions that ship killed, networks cut, again and again, while clients go on."""
        chance = random.Random(7)
        with Postgres.primary() as server:
            proxies = [Proxy(server.port) for _ in "abc"]
            for proxy in proxies:
                self.addCleanup(proxy.close)
            nodes = []
            for name, proxy in zip("abc", proxies):
                address = f"postgres://neuralts@127.0.0.1:{proxy.port}/postgres"
                nodes += self.start(server, name, flags, address)
            clients = self.run_clients(nodes)
            kinds = ["server", "node", "learner", "shipper", "cut"] * MISFORTUNES
            chance.shuffle(kinds)
            during = caught = 0
            for kind in kinds:
                time.sleep(0.3 + chance.random())
                if kind == "server":
                    server.kill()
                    before = sum(len(client.events) for client in clients)
                    time.sleep(0.5)
                    during += sum(len(client.events) for client in clients) - before
                    server.start()
                elif kind == "shipper":
                    caught += "caught" in server.sql(KILL_SHIPPER, notices=True)
                elif kind == "cut":
                    which = chance.sample(proxies, chance.choice([1, 2]))
                    for proxy in which:
                        proxy.cut()
                    time.sleep(chance.choice(CUTS))
                    for proxy in which:
                        proxy.mend()
                else:
                    node = self.learner(nodes) if kind == "learner" else None
                    node = node or chance.choice(nodes)
                    node.kill()
                    node.start()
            self.end_clients(clients)
            counts = self.check(server, nodes, clients)
            self.assertGreater(caught, 0, "no session was ended while it handed records on")
            print(dict(misfortunes=len(kinds), shippers_killed=caught, decided_while_away=during, **counts), flush=True)
            for node in nodes:
                self.assertEqual(node.stop(), 0)
            return server, during

    def test_whatever_dies_acknowledged_is_trained_once_with_spools(self):
        _, during = self.misfortunes()
        self.assertGreater(during, 0, "nobody decided while the database was away")

    def test_whatever_dies_acknowledged_is_trained_once_with_shared_commits(self):
        self.misfortunes(("--acknowledge", "shared"))

    def test_a_standby_takes_over(self):
        for flags in ((), ("--acknowledge", "shared")):
            with Postgres.primary() as primary, primary.standby() as standby:
                nodes = self.start(primary, "ab", flags, primary.address(standby.port))
                clients = self.run_clients(nodes)
                time.sleep(2)
                primary.kill()
                time.sleep(0.5)
                standby.promote()
                time.sleep(3)
                self.end_clients(clients)
                print(dict(self.check(standby, nodes, clients)), flush=True)
                for node in nodes:
                    self.assertEqual(node.stop(), 0)

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
            version = node.ask("POST", "/v1/loops/default/rank", vectors([1, 0, 0], [1, 1, 1]))[1]["model"]
            self.assertGreater(version, 1)
            status, answer = node.ask("POST", "/v1/events/somebody-elses/reward", {"value": 1})
            self.assertEqual((status, answer), (200, {"accepted": True, "acknowledged": "durable"}))
            self.assertEqual(node.ask("PUT", "/v1/loops/new", {})[0], 503)
            server.start()
            node.wait_for(lambda: node.stats()["node"]["learns"] and node.stats()["node"]["backlog"] == 0)


if __name__ == "__main__":
    unittest.main()
