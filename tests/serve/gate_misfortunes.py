"""usage: gate_misfortunes.py [N [GROUPS]]: misfortunes_test.py, N misfortunes of each kind, shared by GROUPS groups of nodes at the same time.

Most of a long misfortune is waiting, so groups (each with a server, nodes and clients of its own) wait together. Prints the sum over the
groups for each kind of acknowledgement, and what a group that failed has said. NEURALTS_CUTS: 1..600 seconds unless given."""
import ast
import collections
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = ("with_spools", "with_shared_commits", "standbys_with_spools", "standbys_with_shared_commits")


def begin(test, part, parts, number, folder):
    environment = {"NEURALTS_CUTS": "1..600", "NEURALTS_PACE": "0.1", **os.environ,
                   "NEURALTS_MISFORTUNES": str(number), "NEURALTS_PART": f"{part}/{parts}"}
    path = os.path.join(folder, f"{test}-{part}")
    with open(path, "w") as out:
        words = [sys.executable, "-B", os.path.join(HERE, "misfortunes_test.py"), f"Misfortunes.test_{test}"]
        return path, subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, env=environment)


def ended(path, process, sums):
    """Adds what a group has counted; true when it is well."""
    good = process.wait() == 0
    with open(path) as out:
        text = out.read()
    for line in text.splitlines():
        if line.startswith("{'"):
            sums.update(ast.literal_eval(line))
    if not good:
        print(f"{os.path.basename(path)} failed:\n{text[-8000:]}", flush=True)
    return good


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    groups = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    good = True
    with tempfile.TemporaryDirectory(prefix="neuralts-misfortunes-") as folder:
        running = {test: [begin(test, part, parts, number, folder) for part in range(parts)]
                   for test in TESTS for parts in [max(1, groups // 2) if test.startswith("standbys") else groups]}
        for test, parts in running.items():
            sums = collections.Counter()
            good = all([ended(*part, sums) for part in parts]) and good
            print(test, dict(sums), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
