"""What a policy loses in an environment, as the program says, and what benchmarks make of it."""
import json
import shutil
import statistics
import subprocess
import sys


def add_program(parser):
    parser.add_argument("--neuralts", default="neuralts", help="the program")


def check_program(parser, program):
    if shutil.which(program) is None:
        parser.error(f"no program {program}: build it, and say where it is with --neuralts")


def regrets(program, env, policy, seeds, *more):
    """In the order of seeds, such as 1..8."""
    done = subprocess.run([program, "run", "--env", env, "--policy", policy, "--seeds", seeds, *more, "--json", "--quiet"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    runs = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda run: run["seed"])
    return [run["regret"] for run in runs]


def mean_and_error(numbers):
    """With the standard error. Of two numbers at least."""
    return statistics.mean(numbers), statistics.stdev(numbers) / len(numbers) ** 0.5
