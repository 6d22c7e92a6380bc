"""Five lines to a decision and an update."""

import numpy as np

import neuralts

policy = neuralts.Policy("neural-ts", dim=20, seed=1)
contexts = np.random.default_rng(1).normal(size=(10, 20))  # ten arms, twenty numbers each
decision = policy.select(contexts)
policy.learn(contexts[decision.arm], 1.0)

print(f"arm {decision.arm}, played with probability {decision.probability:.3f}")
print("believed rewards:", decision.mean.round(3))
