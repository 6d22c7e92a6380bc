"""A world of one's own: a generator of rounds, run like any other."""

import argparse

import numpy as np

import neuralts


def shop(seed):
    """Three offers; a visitor buys the one whose price suits the purse, more or less."""
    numbers = np.random.default_rng(seed)
    while True:
        purse = numbers.uniform()
        offers = np.array([[purse, price, purse * price, 1.0] for price in (0.2, 0.5, 0.8)])
        chance = np.exp(-8 * (offers[:, 0] - offers[:, 1]) ** 2)
        bought = (numbers.random(3) < chance).astype(float)
        yield offers, bought, chance


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=1000)
arguments = parser.parse_args()

world = neuralts.Environment(shop, dim=4, max_arms=3, rounds=arguments.rounds, name="shop")
results = neuralts.run(world, ["neural-ts", "linear-ts", "random"], seeds=2)
print(results.table())

# The same by hand, one round at a time: what an application does.
policy = neuralts.Policy("linear-ts", dim=world.dim, seed=1)
sold = 0.0
for _, round in zip(range(arguments.rounds), world.start(seed=1)):
    decision = policy.select(round.contexts)
    reward = round.reward(decision.arm)
    policy.learn(round.contexts[decision.arm], reward)
    sold += reward
print(f"sold {sold:.0f} of {arguments.rounds}")
