"""What a decision costs from Python, over what it costs in C++: K = 10 arms, d = 20 numbers. Also: how selecting scales with threads.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_overhead.py
"""

import argparse
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import neuralts

WORLD = "quadratic:dim=20,arms=10"


def cpp_microseconds(policy, rounds, repeats):
    """select() as the engine's own loop times it; the best of several runs."""
    results = neuralts.run(WORLD, policy, seeds=repeats, rounds=rounds, jobs=1, progress=False)
    return min(run.select_seconds / run.rounds for run in results) * 1e6


def python_microseconds(policy, rounds, repeats):
    """The same rounds through Policy.select, learning between them, the best of several runs."""
    return min(_python_run(policy, rounds, seed) for seed in range(1, repeats + 1)) * 1e6


def _python_run(name, rounds, seed):
    env = neuralts.Environment(WORLD)
    policy = neuralts.Policy(name, dim=env.dim, seed=seed)
    spent = 0
    for round in itertools.islice(env.start(seed), rounds):
        contexts, clock = round.contexts, time.perf_counter_ns
        before = clock()
        decision = policy.select(contexts)
        spent += clock() - before
        policy.learn(contexts[decision.arm], round.reward(decision.arm))
    return spent / rounds / 1e9


def decisions_per_second(policy, contexts, threads, count):
    def serve(seed):
        selector = policy.selector(seed)
        for _ in range(count):
            selector.select(contexts)

    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(serve, range(threads)))
    return threads * count / (time.perf_counter() - start)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=2000)
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--count", type=int, default=300, help="decisions per thread")
arguments = parser.parse_args()

print(f"{'policy':12} {'C++ us':>8} {'Python us':>10} {'over us':>8}")
for name in ("random", "linear-ucb"):
    cpp = cpp_microseconds(name, arguments.rounds, arguments.repeats)
    python = python_microseconds(name, arguments.rounds, arguments.repeats)
    print(f"{name:12} {cpp:8.2f} {python:10.2f} {python - cpp:8.2f}")

policy = neuralts.Policy("linear-ucb", dim=100)
contexts = np.random.default_rng(1).normal(size=(200, 100))
print(f"\n{os.cpu_count()} cores; linear-ucb, 200 arms, 100 numbers each: decisions per second")
for threads in (1, 2, 4, 8):
    print(f"{threads} threads {decisions_per_second(policy, contexts, threads, arguments.count):10.0f}")
