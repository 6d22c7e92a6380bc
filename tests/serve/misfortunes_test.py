"""Whatever dies, what was acknowledged is trained on, exactly once: three nodes on one PostgreSQL, and a server whose standby takes over.

NEURALTS_MISFORTUNES=N: how many of each kind. NEURALTS_CUTS=A..B: networks are cut for A to B seconds, each length as likely as its double.
NEURALTS_KINDS=KIND,...: of server, node, learner, shipper and cut these alone. NEURALTS_PART=I/N: a share of them, from 0/N on.
NEURALTS_PACE=S: a client's rest. gate_misfortunes.py (scripts/gate nodes) is the long form."""
import os
import random
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import ClusterCase  # noqa: E402
from postgres import Postgres  # noqa: E402
from proxy import Proxy  # noqa: E402
from service import vectors  # noqa: E402

MISFORTUNES = int(os.environ.get("NEURALTS_MISFORTUNES", "2"))
CUTS = [float(seconds) for seconds in os.environ.get("NEURALTS_CUTS", "1..3").split("..")]
PART, PARTS = [int(number) for number in os.environ.get("NEURALTS_PART", "0/1").split("/")]
SHARE = len(range(PART, MISFORTUNES, PARTS))
KINDS = os.environ.get("NEURALTS_KINDS", "server,node,learner,shipper,cut").split(",")
NODES = "abc"
ENDING = threading.Event()  # SIGTERM: no further misfortune; what happened is checked and said
signal.signal(signal.SIGTERM, lambda *_: ENDING.set())

# Waits, for a second or two at most, for a session that holds the journal's head: a node in the middle of handing on its records, anywhere.
KILL_SHIPPER = """DO $$ DECLARE victim integer; BEGIN
  FOR i IN 1 .. 500 LOOP
    SELECT pid INTO victim FROM pg_locks WHERE relation = 'neuralts.head'::regclass AND granted AND pid <> pg_backend_pid()
      AND mode IN ('RowShareLock', 'RowExclusiveLock') LIMIT 1;
    IF victim IS NOT NULL AND pg_terminate_backend(victim) THEN RAISE NOTICE 'caught'; RETURN; END IF;
    PERFORM pg_sleep(0.002);
  END LOOP; END $$"""

# The same at a place of its own: whoever comes to write this table, in the transaction in which it holds the head.
TRAP_SHIPPER = """DO $$ DECLARE victim integer; BEGIN
  LOCK TABLE neuralts.{0} IN SHARE MODE;
  FOR i IN 1 .. 200 LOOP
    SELECT pid INTO victim FROM pg_locks WHERE relation = 'neuralts.{0}'::regclass AND NOT granted AND mode = 'RowExclusiveLock' LIMIT 1;
    IF victim IS NOT NULL AND pg_terminate_backend(victim) THEN RAISE NOTICE 'caught'; RETURN; END IF;
    PERFORM pg_sleep(0.01);
  END LOOP; END $$"""


def cut_lengths():
    """This part's share of the lengths: quantiles of the distribution, a long one and a short one in turn."""
    if "cut" not in KINDS:
        return []
    low, high = CUTS
    lengths = [low * (high / low) ** ((i + 0.5) / MISFORTUNES) for i in range(MISFORTUNES)][PART::PARTS]
    return [lengths.pop(-1 if turn % 2 == 0 else 0) for turn in range(len(lengths))]


class Cutter(threading.Thread):
    """Cuts one node's network again and again, with the next length that is left; a third of it is rest."""

    def __init__(self, proxy, lengths, lock, chance):
        super().__init__(daemon=True)
        self.proxy, self.lengths, self.lock, self.chance = proxy, lengths, lock, chance
        self.cuts = 0

    def run(self):
        while (length := self.take()) is not None:
            if ENDING.wait(1 + self.chance.random() + length / 3):
                return
            self.proxy.cut()
            self.cuts += not ENDING.wait(length)
            self.proxy.mend()

    def take(self):
        with self.lock:
            return self.lengths.pop(0) if self.lengths else None


class Killer:
    """Kills the server, nodes, the node that learns and sessions that ship, in any order, and brings back what it killed."""

    def __init__(self, case, server, nodes, chance):
        self.case, self.server, self.nodes, self.chance = case, server, nodes, chance
        self.reviving = {}
        self.decided = []  # events of nodes with spools, asked for while the server was dead
        self.done = {kind: 0 for kind in KINDS if kind != "cut"}

    def run(self, seconds):
        kinds = [kind for kind in self.done for _ in range(SHARE)]
        self.chance.shuffle(kinds)
        pause, tries = max(0.8, seconds / max(1, len(kinds))), 20 * len(kinds)
        while kinds and tries and not ENDING.wait(pause * (0.4 + 1.2 * self.chance.random())):
            tries -= 1
            kind = kinds.pop(0)
            if getattr(self, "kill_" + kind)():
                self.done[kind] += 1
            else:  # nobody learned or shipped just now
                kinds.insert(self.chance.randrange(len(kinds) + 1), kind)
        for thread in self.reviving.values():
            thread.join()

    def alive(self):
        return [node for node in self.nodes if node.name not in self.reviving or not self.reviving[node.name].is_alive()]

    def kill_server(self):
        self.server.kill()
        self.decide_alone()
        time.sleep(0.2 + 1.3 * self.chance.random())
        self.server.start()
        return True

    def decide_alone(self):
        for node in self.alive():
            if not node.shared:
                status, answer = node.ask("POST", "/v1/loops/default/rank", vectors([1, 0, 0], [1, 1, 1]))
                self.case.assertEqual(status, 200, answer)
                self.decided.append(answer["event_id"])

    def kill_shipper(self):
        """Before its records, after them (where the writer's mark is set), or anywhere, its commit included."""
        mark = "appenders" if self.nodes[0].shared else "writers"
        way = self.chance.choice([KILL_SHIPPER, TRAP_SHIPPER.format("records"), TRAP_SHIPPER.format(mark)])
        return "caught" in self.server.sql(way, notices=True)

    def kill_node(self):
        alive = self.alive()
        return bool(alive) and self.end(self.chance.choice(alive))

    def kill_learner(self):
        node = self.case.learner(self.alive())
        return bool(node) and self.end(node)

    def end(self, node):
        node.kill()
        self.reviving[node.name] = threading.Thread(target=self.revive, args=(node,), daemon=True)
        self.reviving[node.name].start()
        return True

    def revive(self, node):
        """As a supervisor does it: one that answers after the shared commit does not start while the database is away."""
        while True:
            try:
                return node.start()
            except RuntimeError:
                time.sleep(0.5)


class Misfortunes(ClusterCase):
    def misfortunes(self, flags=()):
        chance = random.Random(7 + PART)
        with Postgres.primary() as server:
            proxies = [Proxy(server.port) for _ in NODES]
            nodes = []
            for name, proxy in zip(NODES, proxies):
                self.addCleanup(proxy.close)
                nodes += self.start(server, name, flags, f"postgres://neuralts@127.0.0.1:{proxy.port}/postgres")
                nodes[-1].away = lambda proxy=proxy: not proxy.connected or server.process is None
            clients = self.run_clients(nodes, 3)
            lengths, lock = cut_lengths(), threading.Lock()
            expected_s = sum(lengths) * 4 / 3 / len(NODES)
            cutters = [Cutter(proxy, lengths, lock, random.Random(PART * 100 + i)) for i, proxy in enumerate(proxies)]
            for cutter in cutters:
                cutter.start()
            killer = Killer(self, server, nodes, chance)
            killer.run(expected_s)
            for cutter in cutters:
                cutter.join()
            self.end_clients(clients)
            clients[0].events += killer.decided
            clients[0].alone += len(killer.decided)
            counts = self.kept_when_it_fails(server, nodes, clients)
            done = {**killer.done, "cut": sum(cutter.cuts for cutter in cutters)}
            print(dict(**done, **counts), flush=True)
            self.assertEqual(done, {kind: SHARE if kind in KINDS else 0 for kind in done})
            for node in nodes:
                self.assertEqual(node.stop(), 0)
            return counts

    def kept_when_it_fails(self, server, nodes, clients):
        """check(), and the folders of everybody stay when something is wrong."""
        try:
            return self.check(server, nodes, clients)
        except Exception:
            server.keep = True
            for node in nodes:
                node.keep = True
            print("kept:", server.folder, *[node.folder for node in nodes], flush=True)
            raise

    def test_with_spools(self):
        counts = self.misfortunes()
        if "server" in KINDS:
            self.assertGreater(counts["decided_alone"], 0, "nobody decided while the database was away")

    def test_with_shared_commits(self):
        self.misfortunes(("--acknowledge", "shared"))

    def standbys(self, flags=()):
        """The primary is killed and its standby promoted; then the dead one follows the other, and so on."""
        chance = random.Random(PART)
        with Postgres.primary() as one, one.standby() as other:
            nodes = self.start(one, "ab", flags, one.address(other.port))
            for node in nodes:
                node.away = lambda: leader.process is None
            leader, standby = one, other
            clients = self.run_clients(nodes, 3)
            promoted = 0
            while promoted < SHARE and not ENDING.wait(0.5 + chance.random()):
                leader.kill()
                time.sleep(0.5 * chance.random())
                leader, standby = standby, leader
                leader.promote()
                promoted += 1
                if promoted < SHARE:
                    standby.follow(leader)
            time.sleep(1)
            self.end_clients(clients)
            counts = self.kept_when_it_fails(leader, nodes, clients)
            print(dict(promoted=promoted, **counts), flush=True)
            self.assertEqual(promoted, SHARE)
            for node in nodes:
                self.assertEqual(node.stop(), 0)

    def test_standbys_with_spools(self):
        self.standbys()

    def test_standbys_with_shared_commits(self):
        self.standbys(("--acknowledge", "shared"))


if __name__ == "__main__":
    unittest.main()
