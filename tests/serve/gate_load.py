"""Load from outside, long: gate_load.py load SECONDS | overload SECONDS | open EVENTS. One JSON object per line."""
import http.client
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import NEURALTS, Service, ask  # noqa: E402


def memory_mib(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def cpu_seconds(process):
    """On a processor, by the scheduler's own clock, threads that have ended included: the process's CPU clock, as clock_getcpuclockid
    names it."""
    return time.clock_gettime((~process.pid << 3) | 2)


def going_first(process):
    """NEURALTS_REALTIME: on a machine that others keep busy, threads that are waited for go before them, the learner does not. Who works
    for shorter goes before who works for longer: among equals one would wait for the other's whole turn. The words that start a client
    alike."""
    if not os.environ.get("NEURALTS_REALTIME"):
        return []
    for task in os.listdir(f"/proc/{process.pid}/task"):
        with open(f"/proc/{process.pid}/task/{task}/comm") as name:
            rank = {"door": "1", "commit": "2"}.get(name.read().strip())
        if rank:
            subprocess.run(["chrt", "-f", "-p", rank, task], check=True)
    return ["chrt", "-f", "3"]


def stolen_ticks():
    """Of all processors: taken away by the host below this machine, and all there were."""
    with open("/proc/stat") as stat:
        ticks = [int(number) for number in stat.readline().split()[1:9]]
    return ticks[7], sum(ticks)


def load(process, address, rate, seconds, *flags):
    """The client's report, with the processor time that server and client took per call. NEURALTS_CLIENT: another program's client."""
    first = going_first(process)
    before, before_client, before_stolen = cpu_seconds(process), resource.getrusage(resource.RUSAGE_CHILDREN), stolen_ticks()
    done = subprocess.run([*first, os.environ.get("NEURALTS_CLIENT", NEURALTS), "load", "--url", address, "--rate", str(rate),
                           "--seconds", str(seconds), "--json", *flags], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    calls = max(1, report["decisions"] + report["rewards"])
    report["cpu_us_per_call"] = round(1e6 * (cpu_seconds(process) - before) / calls, 1)
    after_client = resource.getrusage(resource.RUSAGE_CHILDREN)
    client = sum(getattr(after_client, kind) - getattr(before_client, kind) for kind in ("ru_utime", "ru_stime"))
    report["client_cpu_us_per_call"] = round(1e6 * client / calls, 1)
    stolen, all_ticks = (after - before for after, before in zip(stolen_ticks(), before_stolen))
    report["stolen_share"] = round(stolen / max(1, all_ticks), 3)
    return report


def door_cpu_us(rate, seconds, *flags):
    """What a call costs that is read and answered and nothing else (door_alone.cpp); nothing where that program was not built."""
    program = os.environ.get("NEURALTS_DOOR", os.path.join(os.path.dirname(NEURALTS), "tests", "serve", "serve_door_alone"))
    if not os.path.exists(program):
        return None
    door = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        return load(door, door.stdout.readline().strip(), rate, seconds, *flags)["cpu_us_per_call"]
    finally:
        door.terminate()
        door.wait()


def make_loop(service, name, config):
    """NEURALTS_LOOP, or `config`. A loop that cannot be made ends the gate: everything after it would be about another one."""
    status, answer = service.ask("PUT", f"/v1/loops/{name}", json.loads(os.environ.get("NEURALTS_LOOP", config)))
    if status not in (200, 201):
        sys.exit(f"NEURALTS_LOOP: loop '{name}' was refused with {status}: {answer}")


class Memory:
    """Of a process while something goes on: at the beginning, every `pause` seconds, at the end."""

    def __init__(self, process, pause):
        self.process, self.seen, self.done = process, [round(memory_mib(process))], threading.Event()
        self.thread = threading.Thread(target=self._watch, args=(pause,))
        self.thread.start()

    def _watch(self, pause):
        while not self.done.wait(pause):
            self.seen.append(round(memory_mib(self.process)))

    def end(self):
        self.done.set()
        self.thread.join()
        return [*self.seen, round(memory_mib(self.process))]


def doors():
    """NEURALTS_THREADS event loops, or as many as the service takes by itself."""
    return ["--threads", os.environ["NEURALTS_THREADS"]] if "NEURALTS_THREADS" in os.environ else []


def gate_load(seconds):
    """NEURALTS_KIND: vectors or objects alone."""
    kinds = {"vectors": [], "objects": ["--objects"]}
    for kind in [kinds[os.environ["NEURALTS_KIND"]]] if "NEURALTS_KIND" in os.environ else kinds.values():
        with Service("--quiet", *doors()) as service:
            loop = "objects" if kind else "vectors"
            make_loop(service, loop, '{"policy":"neural-ts"}')
            rate = float(os.environ.get("NEURALTS_RATE", "20000"))
            load(service.process, service.address, 500, 2, "--loop", loop, *kind)
            door = door_cpu_us(rate, min(10, seconds), *kind)
            memory = Memory(service.process, max(1, seconds / 10))
            report = load(service.process, service.address, rate, seconds, "--loop", loop, "--by-second", *kind)
            report["rss_mib"] = memory.end()
            by_second = report.pop("p99_by_second_ms")
            report.update(median_second_p99_ms=round(statistics.median(by_second), 2), seconds_above_2_ms=sum(p99 > 2 for p99 in by_second))
            stats = service.stats(loop)
            if door:
                report.update(door_cpu_us_per_call=door, times_the_door=round(report["cpu_us_per_call"] / door, 2))
            report.update(kind=loop, lag=stats["learner"]["lag_records"], learned=stats["learned"], model=stats["model"]["version"])
            print(json.dumps(report), flush=True)


def gate_overload(seconds):
    """More connections than requests may wait: what is too much is refused, not queued."""
    connections = int(os.environ.get("NEURALTS_CONNECTIONS", "1000"))
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write(f"[limits]\nconnections_per_address = {connections + 8}\n")
        config.flush()
        overload(seconds, connections, config.name)


def overload(seconds, connections, config):
    with Service("--quiet", *doors(), "--config", config) as service:
        make_loop(service, "vectors", '{"policy":"linear-ts"}')
        objects = ["--objects"] if os.environ.get("NEURALTS_OBJECTS") else []
        flags = ("--loop", "vectors", "--connections", str(connections), *objects)
        target = (service.process, service.address)
        calm = load(*target, 1000, 3, *flags)
        full = load(*target, 100000, 5, "--loop", "vectors", "--connections", "64", *objects)
        limit = (full["decisions"] + full["rewards"]) / full["seconds"] / 1.25  # decisions/s, with a reward for every fourth
        report = load(*target, 3 * limit, seconds, *flags)
        time.sleep(1)
        after = load(*target, 1000, 3, *flags)
        print(json.dumps({"held": limit, "overload": report, "calm_p99_ms": calm["p99_ms"], "after_p99_ms": after["p99_ms"], "after_errors": after["errors"]}), flush=True)


def gate_open(events):
    """Rank in batches of 256 binary-small events and never reward them."""
    with Service("--quiet", "--threads", "1") as service:
        service.ask("PUT", "/v1/loops/open", {"policy": "linear-ts", "reward": {"window_seconds": 5e6}})
        batch = json.dumps([{"actions": [{"id": "a", "vector": [1, 0]}, {"id": "b", "vector": [0, 1]}]}] * 256)
        left = [events]
        lock = threading.Lock()

        def client():
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
            while True:
                with lock:
                    if left[0] <= 0:
                        return
                    left[0] -= 256
                ask(connection, "POST", "/v1/loops/open/rank", batch)
        threads = [threading.Thread(target=client) for _ in range(4)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(10)
            stats = service.stats("open")
            print(json.dumps({"decisions": stats["decisions"], "seconds": round(time.monotonic() - start), "rss_mib": round(memory_mib(service.process)), "lag": stats["learner"]["lag_records"]}), flush=True)
        service.wait_for(lambda: service.stats("open")["learner"]["lag_records"] == 0, 600)
        print(json.dumps({"decisions": service.stats("open")["decisions"], "rss_mib": round(memory_mib(service.process))}), flush=True)


if __name__ == "__main__":
    {"load": gate_load, "overload": gate_overload, "open": gate_open}[sys.argv[1]](int(sys.argv[2]))
