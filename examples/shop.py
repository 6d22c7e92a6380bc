"""A shop that learns what to show to whom, from the objects it has: visitors, and items that come and go.

The world is generated (shop_world.py). A sale is known some hours later, and most visitors never answer at all.

Compared are neural-ts and linear-ts on the objects, neural-ts on hand-made vectors (one-hot, side by side, no products), and
chance. The figure is the expected sales per visit of what was shown.
"""

import argparse
import heapq

import numpy as np

import neuralts
from shop_world import BRANDS, CATEGORIES, COUNTRIES, DEVICES, Shop

class Objects:
    """A policy over the objects themselves, rewards by event id."""

    def __init__(self, name, seed):
        self.policy = neuralts.Policy(name, features="auto", seed=seed)

    def show(self, time, context, items):
        decision = self.policy.select(context, items, time=time)
        return decision.arm, decision.event_id

    def sold(self, event, time):
        self.policy.reward(event, 1.0, time=time)

    def clean_up(self, time):
        self.policy.expire(after="6h", default=0.0, now=time)


class HandMade:
    """neural-ts on one-hot vectors, context and item side by side, waiting for rewards by hand."""

    def __init__(self, seed):
        self.policy = neuralts.Policy("neural-ts", dim=COUNTRIES + DEVICES + 2 + CATEGORIES + BRANDS + 1, seed=seed)
        self.waiting = {}
        self.count = 0

    def show(self, time, context, items):
        rows = np.array([self.vector(context, item) for item in items])
        arm = self.policy.select(rows).arm
        self.count += 1
        self.waiting[self.count] = time, rows[arm]
        return arm, self.count

    def sold(self, event, time):
        if event in self.waiting:
            self.policy.learn(self.waiting.pop(event)[1], 1.0)

    def clean_up(self, time):
        due = [event for event, (decided, _) in self.waiting.items() if time - decided >= 6 * 3600]
        if due:
            self.policy.learn(np.array([self.waiting.pop(event)[1] for event in due]), np.zeros(len(due)))

    @staticmethod
    def vector(context, item):
        def one_hot(value, size):
            return np.eye(size)[int(value[1:])]

        return np.concatenate([
            one_hot(context["country"], COUNTRIES), one_hot(context["device"], DEVICES), [context["hour"] / 24, context.get("age", 0) / 80],
            one_hot(item["category"], CATEGORIES), one_hot(item["brand"], BRANDS), [item["price"] / 25],
        ])


class Chance:
    def __init__(self, seed):
        self.numbers = np.random.default_rng(seed)

    def show(self, time, context, items):
        return int(self.numbers.integers(len(items))), None

    def sold(self, event, time): ...

    def clean_up(self, time): ...


def run(learner, shop, rounds):
    """Expected sales per visit, per quarter of the rounds."""
    coming, earned = [], np.zeros(rounds)
    for t in range(rounds):
        time, context, items, chances = shop.visit(t)
        while coming and coming[0][0] <= time:
            learner.sold(heapq.heappop(coming)[1], time)
        if t % 20 == 0:
            learner.clean_up(time)
        arm, event = learner.show(time, context, items)
        earned[t] = chances[arm]
        if event is not None and shop.numbers.random() < chances[arm]:
            heapq.heappush(coming, (time + shop.numbers.exponential(1.0) * 3600, event))
    return [part.mean() for part in np.array_split(earned, 4)]


LEARNERS = {
    "neural-ts, objects": lambda seed: Objects("neural-ts", seed),
    "linear-ts, objects": lambda seed: Objects("linear-ts", seed),
    "neural-ts, one-hot": HandMade,
    "chance": Chance,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=4)
    arguments = parser.parse_args()
    print(f"{'':20} {'1st':>7} {'2nd':>7} {'3rd':>7} {'4th':>7} quarter   all")
    for name, make in LEARNERS.items():
        runs = np.array([run(make(seed), Shop(seed, arguments.rounds), arguments.rounds) for seed in range(1, arguments.seeds + 1)])
        spread = f" +- {runs.mean(axis=1).std(ddof=1) / np.sqrt(len(runs)):.3f}" if len(runs) > 1 else ""
        print(f"{name:20}", *(f"{value:7.3f}" for value in runs.mean(axis=0)), f"{'':7} {runs.mean():.3f}{spread}")


if __name__ == "__main__":
    main()
