#!/usr/bin/python3
"""Worlds nobody chose anything on: what arms pay follows steps, rings, trees, sines, users, purchases, fraud, with and without noise.

    bench/odd_worlds.py --neuralts build/release/neuralts          about twenty minutes on two cores
    bench/odd_worlds.py --neuralts build/release/neuralts --only xor,tree --files 1

Every world is a few files of contexts and each arm's reward, made from a seed, which the policies meet in shuffled order. Printed is how far the
default lies behind each rival, in percent of what the best of all saves of random's regret (rewards are noisy, and nobody has no regret), the worst
first."""
import argparse
import csv
import pathlib
import statistics
import sys
import tempfile

import numpy as np

from regrets import add_program, check_program, mean_and_error, regrets

OURS = "neural-ts"
WORLDS = {}


def world(make):
    """Registers a function of a generator: contexts and rewards, a row per round."""
    WORLDS[make.__name__] = make
    return make


def one_pays(right, arms):
    return np.eye(arms)[right]


def wrong_labels(g, right, arms, share):
    return np.where(g.random(len(right)) < share, g.integers(0, arms, len(right)), right)


def gaussian(g, rounds, columns):
    return g.normal(size=(rounds, columns))


def noisy(g, rewards, deviation):
    return rewards + deviation * g.normal(size=rewards.shape)


def clicks(g, score):
    return 1.0 * (g.random(score.shape) < 1 / (1 + np.exp(-score)))


def around(g, centre, centres, columns, spread):
    """Contexts a deviation around one of some centres that are `spread` deviations around the middle."""
    return spread * g.normal(size=(centres, columns))[centre] + gaussian(g, len(centre), columns)


def a_cluster_each(g, rounds, classes, columns, spread):
    right = g.integers(0, classes, rounds)
    return around(g, right, classes, columns, spread), one_pays(right, classes)


def waves(g, columns, deviation):
    x = g.uniform(-1, 1, size=(3000, columns))
    return x, noisy(g, np.sin(x @ (2.5 * g.normal(size=(columns, 4))) + g.normal(size=4)), deviation)


def signs(x):
    return (x[:, 0] * x[:, 1] > 0).astype(int)


@world
def xor(g):
    """The product of two columns' signs."""
    x = gaussian(g, 3000, 5)
    return x, one_pays(signs(x), 2)


@world
def xor_noisy(g):
    """The same, a label in three wrong."""
    x = gaussian(g, 3000, 5)
    right = signs(x)
    return x, one_pays(np.where(g.random(len(x)) < 0.35, 1 - right, right), 2)


@world
def steps(g):
    """An arm pays beyond a threshold of its column."""
    x = gaussian(g, 3000, 6)
    return x, noisy(g, 1.0 * (x[:, :5] > 0.5 * g.normal(size=5)), 0.3)


@world
def sparse(g):
    """Three of fifty columns matter to an arm."""
    x, weights = gaussian(g, 3000, 50), np.zeros((50, 5))
    for arm in range(5):
        weights[g.choice(50, 3, replace=False), arm] = g.normal(size=3)
    return x, noisy(g, x @ weights, 0.5)


@world
def collinear(g):
    """Columns that nearly tell each other, a hundred to one; the smallest directions pay as well."""
    z, turn = gaussian(g, 3000, 10), np.linalg.qr(g.normal(size=(10, 10)))[0]
    return z * np.logspace(0, -2, 10) @ turn, noisy(g, z @ g.normal(size=(10, 5)) / 3, 0.3)


@world
def skewed(g):
    """Columns whose logarithms count."""
    z = gaussian(g, 3000, 8)
    return np.exp(1.5 * z), noisy(g, z @ g.normal(size=(8, 4)) / 2, 0.3)


@world
def purchases(g):
    """Mostly nothing, now and then a lognormal amount."""
    x = gaussian(g, 3000, 8)
    bought = g.random((3000, 5)) < 1 / (1 + np.exp(3 - x @ g.normal(size=(8, 5)) / 1.5))
    return x, bought * np.exp(1 + 1.2 * g.normal(size=(3000, 5)))


@world
def rings(g):
    """The distance from the middle."""
    x = gaussian(g, 3000, 4)
    return x, one_pays(np.digitize((x**2).sum(1), [2.2, 4.5]), 3)


@world
def sines(g):
    """A sine of a line of each arm."""
    return waves(g, 5, 0.2)


@world
def sines_noisy(g):
    """The same of three columns, four fifths of the variance noise."""
    return waves(g, 3, 1.5)


@world
def squares_noisy(g):
    """The square of a line of each arm, a twentieth of the variance."""
    x = gaussian(g, 3000, 8)
    return x, noisy(g, 0.4 * ((x @ g.normal(size=(8, 4)) / 8**0.5) ** 2 - 1), 1.5)


@world
def lines_noisy(g):
    """Lines, nine tenths of the variance noise."""
    x = gaussian(g, 3000, 6)
    return x, noisy(g, x @ (0.12 * g.normal(size=(6, 5))), 1)


@world
def tree(g):
    """Four questions lead to a class; a label in ten wrong."""
    def split(x, depth):
        if depth == 0:
            return np.full(len(x), g.integers(4))
        column = g.integers(x.shape[1])
        threshold = np.median(x[:, column]) + 0.3 * g.normal()
        low, high = split(x, depth - 1), split(x, depth - 1)
        return np.where(x[:, column] > threshold, high, low)

    x = gaussian(g, 3000, 8)
    return x, one_pays(wrong_labels(g, split(x, 4), 4, 0.1), 4)


@world
def fifty(g):
    """Fifty classes, a cluster each."""
    return a_cluster_each(g, 5000, 50, 10, 2)


@world
def indifferent(g):
    """Ten arms that no context moves, under noise."""
    return gaussian(g, 3000, 5), noisy(g, np.tile(0.3 * g.normal(size=10), (3000, 1)), 1)


@world
def usual(g):
    """One class of five nearly always."""
    x = gaussian(g, 3000, 10)
    score = x @ g.normal(size=(10, 5))
    score[:, 0] += 6
    return x, one_pays(score.argmax(1), 5)


@world
def counts(g):
    """Poisson, its logarithm a line."""
    x = gaussian(g, 3000, 6)
    return x, 1.0 * g.poisson(np.exp(0.4 * x @ g.normal(size=(6, 4))))


@world
def fraud(g):
    """The best arm loses twenty times as much in one context of ten."""
    x, direction = gaussian(g, 3000, 6), g.normal(size=6)
    bad = x @ direction / np.linalg.norm(direction) > 1.3
    return x, noisy(g, np.stack([np.where(bad, -20, 1), np.full(3000, 0.5), np.full(3000, 0.3)], 1), 0.2)


@world
def few(g):
    """Two hundred rounds."""
    return a_cluster_each(g, 200, 4, 10, 1.2)


@world
def prototypes(g):
    """Two clusters of each class, a label in three wrong."""
    cluster = g.integers(0, 8, 3000)
    return around(g, cluster, 8, 6, 2), one_pays(wrong_labels(g, cluster % 4, 4, 0.3), 4)


@world
def users(g):
    """Sixty users as 0/1 columns, each with a taste."""
    user = g.integers(0, 60, 3000)
    return np.eye(60)[user], 1.0 * (g.random((3000, 5)) < g.random((60, 5))[user])


@world
def shares(g):
    """Columns that sum to 1."""
    x = np.exp(gaussian(g, 3000, 12))
    x /= x.sum(1, keepdims=True)
    return x, noisy(g, 8 * x @ g.normal(size=(12, 6)), 0.3)


@world
def kinks(g):
    """A small network of rectifiers."""
    x = gaussian(g, 3000, 6)
    return x, noisy(g, np.maximum(x @ g.normal(size=(6, 6)), 0) @ g.normal(size=(6, 4)) / 2, 0.3)


@world
def idle_columns(g):
    """Lines, constant differences, and columns that never vary."""
    x = gaussian(g, 3000, 8)
    return np.c_[x, np.full(3000, 5), np.zeros(3000)], noisy(g, x @ g.normal(size=(8, 3)) / 3 + [0, 1, 2], 0.1)


@world
def in_common(g):
    """What all arms pay alike is ten times what they differ by."""
    x = gaussian(g, 3000, 8)
    return x, noisy(g, 3 * x @ g.normal(size=(8, 1)) + 0.3 * x @ g.normal(size=(8, 4)), 0.3)


@world
def noise_by_context(g):
    """Lines, and a column that tells how noisy they are."""
    x = gaussian(g, 3000, 8)
    return x, noisy(g, x @ g.normal(size=(8, 4)) / 3, 0.5 * np.exp(x[:, :1]))


@world
def unknown(g):
    """Lines; a number in ten is not known, and -999 says so."""
    x = gaussian(g, 3000, 6)
    known = g.random(x.shape) > 0.1
    return np.where(known, x, -999), noisy(g, (x * known) @ g.normal(size=(6, 4)) / 2, 0.5)


@world
def hours(g):
    """Clicks by the hour, workdays and weekends apart."""
    hour, day = g.integers(0, 24, 3000), g.integers(0, 7, 3000)
    by_hour = 0.4 * g.normal(size=(2, 24, 5)).cumsum(1)
    score = (by_hour - by_hour.mean(1, keepdims=True))[(day > 4).astype(int), hour]
    return np.c_[hour, day, g.normal(size=3000)], clicks(g, score - 1.5)


@world
def people(g):
    """Clicks by age, income, visits, days since the last one (999: never), device and country, as numbers."""
    age, income, visits = g.integers(18, 80, 3000), np.exp(10 + g.normal(size=3000)), g.geometric(0.3, 3000)
    never, device, country = g.random(3000) < 0.3, g.integers(0, 3, 3000), np.minimum(g.geometric(0.25, 3000), 15) - 1
    days = np.where(never, 999, g.integers(0, 60, 3000))
    score = (g.normal(size=(4, 4))[(age - 18) // 16] + 0.5 * np.outer(np.log(income) - 10, g.normal(size=4))
             + 0.5 * np.outer(np.log(visits), g.normal(size=4)) + 0.7 * g.normal(size=(3, 4))[device]
             + 0.6 * g.normal(size=(15, 4))[country]
             + 0.7 * np.outer(np.where(never, 1, -0.5 * np.exp(-days / 20)), g.normal(size=4)))
    return np.c_[age, income, visits, days, device, country], clicks(g, score - 2)


@world
def hills(g):
    """Places on a map; four hills and hollows of each arm."""
    x, top, height = g.random((3000, 2)), g.random((4, 4, 2)), g.normal(size=(4, 4))
    away = ((x[:, None, None] - top) ** 2).sum(3)
    return x, noisy(g, (height * np.exp(-away / (2 * 0.15**2))).sum(2), 0.3)


def write(path, contexts, rewards):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{i}" for i in range(contexts.shape[1])] + [f"r_{k}" for k in range(rewards.shape[1])])
        out.writerows([f"{number:.6g}" for number in row] for row in np.c_[contexts, rewards])


def measure(args, name, folder):
    """Mean regrets, and the default's distance to each rival with its standard error."""
    policies = [OURS, *args.rivals.split(","), "random"]
    found = {policy: [] for policy in policies}
    for file in range(args.files):
        path = folder / f"{name}{file}.csv"
        write(path, *WORLDS[name](np.random.default_rng([file, *name.encode()])))
        for policy in policies:
            found[policy] += regrets(args.neuralts, f"{path}:rewards=r_,normalise=none", policy, f"1..{args.seeds}")
    means = {policy: statistics.mean(some) for policy, some in found.items()}
    saved = means["random"] - min(means.values())
    behind = {}
    for rival in policies[1:-1]:
        behind[rival] = mean_and_error([100 * (ours - theirs) / saved for ours, theirs in zip(found[OURS], found[rival])])
    return {"world": name, "means": means, "behind": behind, "worst": max(mean for mean, _ in behind.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_program(parser)
    parser.add_argument("--rivals", default="linear-ucb,kernel-ucb,neural-linear", help="each as it comes (%(default)s)")
    parser.add_argument("--only", default=",".join(WORLDS), help="of: %(default)s")
    parser.add_argument("--files", type=int, default=2, help="made of every world (%(default)s)")
    parser.add_argument("--seeds", type=int, default=4, help="shuffles of every file (%(default)s)")
    args = parser.parse_args()
    check_program(parser, args.neuralts)
    unknown = set(args.only.split(",")) - set(WORLDS)
    if unknown:
        parser.error(f"no world {', '.join(sorted(unknown))}: known: {', '.join(WORLDS)}")
    if args.files * args.seeds < 2 or min(args.files, args.seeds) < 1:
        parser.error("--files times --seeds: at least 2")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.only.split(","):
            print(name, file=sys.stderr, flush=True)
            rows.append(measure(args, name, pathlib.Path(folder)))
    rivals = list(rows[0]["behind"])
    print(f"| world | random | {OURS} | " + " | ".join(rivals) + " |")
    print("| --- " * (3 + len(rivals)) + "|")
    for row in sorted(rows, key=lambda row: -row["worst"]):
        print(f"| {row['world']} | {row['means']['random']:.0f} | {row['means'][OURS]:.1f} | "
              + " | ".join("%+.1f (%.1f)" % row["behind"][rival] for rival in rivals) + " |")


if __name__ == "__main__":
    main()
