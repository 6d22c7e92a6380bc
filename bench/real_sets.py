#!/usr/bin/python3
"""The default beside simpler rivals on every CSV file of a folder, such as bench/sets/make.R fills.

    bench/sets/make.R sets
    bench/real_sets.py sets --neuralts build/release/neuralts            about four minutes on two cores
    bench/real_sets.py sets --neuralts build/release/neuralts --rounds 300 --rivals neural-ts:early-intercept=0 linear-ucb

Every file is met in shuffled orders, one a seed, all of its rows or so many. Printed is the default's regret in percent of random's and by how much
every rival has more (standard error), the file with the least first; what is negative is ahead of the default."""
import argparse
import pathlib
import statistics
import sys

from regrets import add_program, check_program, mean_and_error, regrets

OURS = "neural-ts"
RIVALS = ["linear-ucb", "linear-ts", "kernel-ucb"]


def measure(args, path):
    with path.open() as file:
        rounds = min(args.rounds, sum(1 for _ in file) - 1)

    def lost(policy):
        return regrets(args.neuralts, str(path), policy, args.seeds, "--rounds", str(rounds))

    chance, ours = statistics.mean(lost("random")), lost(OURS)
    more = [mean_and_error([100 * (theirs - own) / chance for theirs, own in zip(lost(rival), ours)]) for rival in args.rivals]
    return {"file": path.stem, "rounds": rounds, "ours": 100 * statistics.mean(ours) / chance, "more": more}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="of CSV files, the label in the last column")
    add_program(parser)
    parser.add_argument("--rounds", type=int, default=2000, help="at most (%(default)s)")
    parser.add_argument("--seeds", default="1..8", help="two at least (%(default)s)")
    parser.add_argument("--rivals", nargs="+", default=RIVALS, metavar="RIVAL", help=f"each as it is given ({' '.join(RIVALS)})")
    args = parser.parse_args()
    check_program(parser, args.neuralts)
    files = sorted(args.folder.glob("*.csv"))
    if not files:
        parser.error(f"no CSV files in {args.folder}: bench/sets/make.R makes some")
    rows = []
    for path in files:
        print(f"{path.stem}, {len(rows) + 1} of {len(files)}", file=sys.stderr, flush=True)
        rows.append(measure(args, path))
    print(f"| file | rounds | {OURS} | " + " | ".join(args.rivals) + " |")
    print("| --- " * (3 + len(args.rivals)) + "|")
    for row in sorted(rows, key=lambda row: min(row["more"])):
        print(f"| {row['file']} | {row['rounds']} | {row['ours']:.1f} | " + " | ".join("%+.1f (%.1f)" % more for more in row["more"]) + " |")
    means = [statistics.mean(row["more"][i][0] for row in rows) for i in range(len(args.rivals))]
    print(f"| mean | | {statistics.mean(row['ours'] for row in rows):.1f} | " + " | ".join(f"{mean:+.1f}" for mean in means) + " |")


if __name__ == "__main__":
    main()
