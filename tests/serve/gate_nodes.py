"""usage: gate_nodes.py [SECONDS [RATE]]: 1, 2 and 4 nodes on one PostgreSQL, RATE decisions/s and a quarter of it rewards each.

Prints a line per number of nodes and kind of acknowledgement: what was acknowledged, lost and doubled, how far the shipper and the
learner were behind, latency, and the processor time of everything. Fails when an event was lost or doubled."""
import json
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from postgres import Postgres  # noqa: E402
from service import NEURALTS, Service  # noqa: E402

LOOP = {"policy": "linear-ts", "reward": {"window_seconds": 7200, "default": None}}


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(node, rate, seconds):
    words = [NEURALTS, "load", "--url", node.address, "--rate", str(rate), "--seconds", str(seconds), "--connections", "16", "--json"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def watch(nodes, worst, ended):
    while not ended.wait(0.5):
        for node in nodes:
            stats = node.stats()
            worst["backlog"] = max(worst["backlog"], stats["node"].get("backlog") or 0)
            if stats["node"]["learns"]:
                worst["lag"] = max(worst["lag"], stats["learner"]["lag_records"])


def measure(count, seconds, rate, flags):
    with Postgres.primary() as server:
        nodes = [Service("--journal", server.address(), "--node", f"n{i}", "--quiet", *flags) for i in range(count)]
        try:
            nodes[0].ask("PUT", "/v1/loops/default", LOOP)
            nodes[0].wait_for(lambda: all(n.ask("GET", "/v1/loops/default")[1]["configuration"]["policy"] == "linear-ts" for n in nodes))
            worst, ended = {"backlog": 0, "lag": 0}, threading.Event()
            watcher = threading.Thread(target=watch, args=(nodes, worst, ended))
            watcher.start()
            running = [load(node, rate, seconds) for node in nodes]
            reports = [json.loads(process.communicate()[0]) for process in running]
            end = time.monotonic()
            nodes[0].wait_for(lambda: settled(nodes), 120)
            drained = time.monotonic() - end
            ended.set()
            watcher.join()
            decisions, rewards = sum(r["decisions"] for r in reports), sum(r["rewards"] for r in reports)
            events, paid, last = [int(n) for n in server.sql(
                "SELECT (SELECT count(*) FROM neuralts.records WHERE kind = 1), (SELECT count(*) FROM neuralts.records WHERE kind = 2), "
                "(SELECT next - 1 FROM neuralts.head)").split("|")]
            doubled = int(server.sql("SELECT count(*) FROM (SELECT FROM neuralts.records WHERE writer <> 0 GROUP BY writer, origin "
                                     "HAVING count(*) > 1) AS twice"))
            database = sum(processor_seconds(pid) for pid in [server.process.pid, *server.children()])
            busy = sum(processor_seconds(node.process.pid) for node in nodes)
            row = {"nodes": count, "acknowledge": "shared" if flags else "local", "rate_each": rate, "seconds": seconds,
                   "decisions": decisions, "rewards": rewards, "errors": sum(r["errors"] for r in reports),
                   "lost": max(0, decisions - events) + max(0, rewards - paid), "doubled": doubled, "unacknowledged": events - decisions,
                   "backlog_max": worst["backlog"], "lag_max": worst["lag"], "drained_s": round(drained, 2),
                   "p50_ms": max(r["p50_ms"] for r in reports), "p99_ms": max(r["p99_ms"] for r in reports),
                   "node_us_per_call": round(1e6 * busy / max(1, decisions + rewards)), "database_us_per_record": round(1e6 * database / max(1, last)), "records": last}
            print(json.dumps(row), flush=True)
            return row["lost"] == 0 and row["doubled"] == 0
        finally:
            for node in nodes:
                node.stop()
                node.__exit__()


def settled(nodes):
    states = [node.stats() for node in nodes]
    return (not any(s["node"].get("backlog", 0) != 0 for s in states)
            and any(s["node"]["learns"] and s["learner"]["lag_records"] == 0 for s in states))


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    rate = float(sys.argv[2]) if len(sys.argv) > 2 else 500
    good = [measure(count, seconds, rate, flags) for flags in ((), ("--acknowledge", "shared")) for count in (1, 2, 4)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
