#!/usr/bin/python3
"""The default beside simpler rivals on every CSV file of a folder, such as make.R fills.

    bench/real_sets/make.R sets
    bench/real_sets/compare.py sets --neuralts build/release/neuralts                 about five minutes on two cores
    bench/real_sets/compare.py sets --neuralts build/release/neuralts --rounds 300 --policy neural-ts:early-intercept=0,linear-ucb

Every file is met in shuffled orders, one a seed, all of its rows or so many. Printed is the default's regret in percent of random's and by how much
every other policy has more (standard error), the file with the least first; what is negative is ahead of the default."""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

OURS = "neural-ts"


def regrets(arguments, path, policy, rounds):
    command = [arguments.neuralts, "run", "--env", str(path), "--policy", policy, "--seeds", arguments.seeds,
               "--rounds", str(rounds), "--json", "--quiet"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{path.name}, {policy}: {ran.stderr.strip()}")
    lines = (json.loads(line) for line in ran.stdout.splitlines() if line.strip())
    return {line["seed"]: line["regret"] for line in lines}


def compare(arguments, path):
    with path.open() as file:
        rounds = min(arguments.rounds, sum(1 for _ in file) - 1)
    chance = statistics.mean(regrets(arguments, path, "random", rounds).values())
    ours = regrets(arguments, path, OURS, rounds)
    row = [path.stem, rounds, 100 * statistics.mean(ours.values()) / chance]
    for policy in arguments.policy:
        theirs = regrets(arguments, path, policy, rounds)
        more = [100 * (theirs[seed] - ours[seed]) / chance for seed in ours]
        row.append((statistics.mean(more), statistics.stdev(more) / math.sqrt(len(more))))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="of CSV files, the label in the last column")
    parser.add_argument("--neuralts", default="neuralts", help="the program")
    parser.add_argument("--rounds", type=int, default=2000, help="at most")
    parser.add_argument("--seeds", default="1..8", help="at least two")
    parser.add_argument("--policy", type=lambda text: text.split(","), default=["linear-ucb", "linear-ts", "kernel-ucb"])
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*.csv"))
    if not files:
        sys.exit(f"{arguments.folder}: no CSV files; make.R makes some")

    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for row in threads.map(lambda path: compare(arguments, path), files):
            rows.append(row)
            print(f"\r{len(rows)} of {len(files)} files", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    rows.sort(key=lambda row: min(more for more, _ in row[3:]))
    print(f"{'file':24}{'rounds':>7}{OURS:>11}" + "".join(f"{policy:>19}" for policy in arguments.policy))
    for name, rounds, ours, *others in rows:
        print(f"{name:24}{rounds:7}{ours:11.1f}" + "".join(f"{more:+11.1f} ({error:.1f})".rjust(19) for more, error in others))
    means = [statistics.mean(row[3 + i][0] for row in rows) for i in range(len(arguments.policy))]
    print(f"{'mean':31}{statistics.mean(row[2] for row in rows):11.1f}" + "".join(f"{mean:+13.1f}      " for mean in means))


if __name__ == "__main__":
    main()
