"""Rewards that come late: choose now, learn whenever an answer arrives, in any order."""

import argparse
from collections import deque

import neuralts

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=1000)
parser.add_argument("--delay", type=int, default=50, help="rounds until a reward is known")
arguments = parser.parse_args()

world = neuralts.Environment("quadratic", dim=10, arms=4, noise=0.1)
policy = neuralts.Policy("neural-ts", dim=world.dim, seed=1)
waiting = deque()
regret = 0.0
for t, round in zip(range(arguments.rounds), world.start(seed=1)):
    decision = policy.select(round.contexts)  # marks the choice as played; its reward may take its time
    regret += round.expected.max() - round.expected[decision.arm]
    waiting.append((t + arguments.delay, round.contexts[decision.arm], round.reward(decision.arm)))
    while waiting and waiting[0][0] <= t:
        _, context, reward = waiting.popleft()
        policy.learn(context, reward)
print(f"by hand, each reward {arguments.delay} rounds late: regret {regret:.1f}")

# The lab does the same for a whole experiment: at once, and in batches.
results = neuralts.run(world, "neural-ts", seeds=2, rounds=arguments.rounds, delays=[0, arguments.delay])
print(results.table())
