"""Four lines to an experiment with a picture."""

import argparse

import neuralts

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=2000)
parser.add_argument("--seeds", type=int, default=4)
parser.add_argument("--out", default="regret.png")
arguments = parser.parse_args()

results = neuralts.run(["quadratic", "cosine"], ["neural-ts", "linear-ucb", "random"], seeds=arguments.seeds, rounds=arguments.rounds)
print(results.table())
results.plot().savefig(arguments.out)
