"""Several nodes on one PostgreSQL, clients that remember every acknowledgement, and what must hold at the end."""
import collections
import http.client
import json
import os
import random
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from postgres import programs  # noqa: E402
from service import Service, vectors  # noqa: E402

if not programs():
    print("skipped: PostgreSQL's server is not installed")
    sys.exit(77)

LOOP = {"policy": "linear-ts", "holdout": 0, "publish_seconds": 0.1, "checkpoint_seconds": 0.5,
        "reward": {"window_seconds": 7200, "default": None}}
PACE_S = float(os.environ.get("NEURALTS_PACE", "0.002"))  # a client's rest between two decisions
SETTLE_S = 600                                            # a busy machine needs its time
PATIENCE_S = 20                                           # for how long a client asks again what was not answered


class Node(Service):
    def __init__(self, name, address, *flags, **more):
        super().__init__("--journal", address, "--node", name, *flags, **more)
        self.name = name
        self.away = lambda: False  # whether the database is out of its reach


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


class Clients(threading.Thread):
    """Decide at one node, reward at another, ask again what was not answered, and remember every acknowledgement."""

    def __init__(self, nodes, seed):
        super().__init__(daemon=True)
        self.nodes, self.chance, self.seed = nodes, random.Random(seed), seed
        self.events, self.rewards, self.refused, self.alone, self.ended, self.failure = [], [], 0, 0, False, None

    def run(self):
        try:
            self.go_on()
        except Exception as failure:  # raised again by who waits for the end
            self.failure = failure

    def go_on(self):
        number, unpaid = 0, []
        while not self.ended:
            number += 1
            node = self.chance.choice(self.nodes)
            if answer := self.decide(node, f"c{self.seed}-{number}"):
                unpaid.append(answer["event_id"])
            if unpaid and self.chance.random() < 0.7:
                self.pay(unpaid.pop(self.chance.randrange(len(unpaid))))
            time.sleep(PACE_S)

    def decide(self, node, name):
        """Half of the events are called by a name of the client's own, and can be asked for again."""
        own = self.chance.random() < 0.5
        body = vectors(*[[1, self.chance.random(), k] for k in range(3)])
        if own:
            body["event_id"] = name
        away = node.away()
        answer = self.ask(node, "/v1/loops/default/rank", body, again=own)
        if answer:
            self.events.append(answer["event_id"])
            self.alone += away and node.away()
        return answer

    def pay(self, event):
        reward = {"value": self.chance.random(), "key": "k"}
        other = self.chance.choice(self.nodes)
        for _ in range(2 if self.chance.random() < 0.2 else 1):
            if self.ask(other, f"/v1/events/{event}/reward?loop=default", reward, again=True):
                self.rewards.append(event)

    def ask(self, node, path, body, again):
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                status, answer = node.ask("POST", path, body)
            except (OSError, http.client.HTTPException):
                status, answer = 0, None
            if status == 200:
                return answer
            self.refused += 1
            if status == 404 and "reward" in path and node.shared:  # the event's own node has not shipped it yet
                pass
            elif status not in (0, 429, 503):
                raise AssertionError(f"{path}: {status} {answer}")
            if not again or self.ended or time.monotonic() > end:
                return None
            time.sleep(0.05)


class ClusterCase(unittest.TestCase):
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
            if any(state["node"].get("backlog", 0) != 0 for state in states):
                return None
            for node, state in zip(nodes, states):
                if state["node"]["learns"] and state["learner"]["lag_records"] == 0:
                    return node
            return None
        return nodes[0].wait_for(lambda: done() and self.steady(nodes), SETTLE_S)

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
                                   refused=sum(client.refused for client in clients), decided_alone=sum(client.alone for client in clients))

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
        for client in clients:
            if client.failure:
                raise client.failure
