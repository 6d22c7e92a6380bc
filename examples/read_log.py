"""A log: written by a run, read back, and asked what another policy would have earned."""

import argparse

import numpy as np

import neuralts

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=2000)
parser.add_argument("--log", default="log.jsonl")
arguments = parser.parse_args()

world = neuralts.Environment("quadratic", dim=5, arms=3, noise=0.1)
neuralts.log_run(world, "random", arguments.log, rounds=arguments.rounds, seed=1)

log = neuralts.read_log(arguments.log)
print(f"{len(log)} rounds, {log.n_arms} arms; the first played arm {log.rounds[0].arm} and earned {log.rounds[0].reward:.2f}")

# Inverse propensity: what would always playing arm 0 have earned?
feedback = neuralts.bandit_feedback(log)
weights = (feedback["action"] == 0) / feedback["pscore"]
print(f"random earned {feedback['reward'].mean():.3f} a round, arm 0 alone would have earned {np.mean(weights * feedback['reward']):.3f}")

# Replay by rejection: the policy meets the log's rounds and sees the rewards of the arms it agrees on.
replayed = neuralts.run(f"log:{arguments.log}", "linear-ts", seeds=1)[0]
print(f"linear-ts earned {replayed.reward / replayed.rounds:.3f} a round over {replayed.rounds} rounds that counted")
