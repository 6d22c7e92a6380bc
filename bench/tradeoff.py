#!/usr/bin/env python3
"""Time against regret, of presets, rivals and the peer, as one plot.

    neuralts run --env mushroom,shuttle,magic,adult,covertype --policy ... --seeds 1..4 --json | bench/tradeoff.py collect > runs.csv
    bench/tradeoff.py draw bench/tradeoff.csv > doc/tradeoff.svg

A point is a policy: geometric means over the worlds, of the CPU seconds of a run, and of its regret in units of the default's. A preset that
is too slow for a whole run is compared over its first rounds, with the default over as many: its name ends in "(N rounds)", and so does the
default's beside it."""
import collections
import csv
import json
import math
import sys

DEFAULT = "neural-ts tuned"
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 470, 64, 52, 28, 150


def collect(lines, out):
    """One row per policy, preset and world: mean regret, mean seconds, number of runs."""
    runs = collections.defaultdict(list)
    for line in lines:
        run = json.loads(line)
        preset = run["preset"] or "tuned"
        seconds = run["select_seconds"] + run["learn_seconds"]
        runs[run["policy"], preset, run["env"].split(":")[0]].append((run["regret"], seconds))
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["policy", "preset", "world", "regret", "seconds", "runs"])
    for key, found in sorted(runs.items()):
        mean = [sum(column) / len(found) for column in zip(*found)]
        table.writerow([*key, f"{mean[0]:.1f}", f"{mean[1]:.3f}", len(found)])


def points(rows):
    """{name: (seconds, regret over the default's)}, of those that were run in every world of the default."""
    table = collections.defaultdict(dict)
    for row in rows:
        table[f"{row['policy']} {row['preset']}".strip()][row["world"]] = float(row["regret"]), float(row["seconds"])
    mean = lambda numbers: math.exp(sum(map(math.log, numbers)) / len(numbers))
    found = {}
    for name, worlds in table.items():
        first_rounds = name[name.index("(") - 1 :] if name.endswith("rounds)") else ""
        base = table[DEFAULT + first_rounds]
        if worlds.keys() >= base.keys() and name != DEFAULT + first_rounds or name == DEFAULT:
            found[name] = mean([worlds[w][1] for w in base]), mean([worlds[w][0] / base[w][0] for w in base])
    return found


class Axis:
    """A logarithmic axis from `low` to `high`, drawn between two pixels."""

    def __init__(self, values, first, last):
        self.low, self.high = min(values) / 1.25, max(values) * 1.25
        self.first, self.last = first, last

    def at(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self):
        steps = [m * 10**e for e in range(-3, 5) for m in (1, 2, 5)]
        return [step for step in steps if self.low <= step <= self.high]


def apart(wanted, least=13):
    """Heights near `wanted`, in their order, at least so far from each other."""
    placed = []
    for height in sorted(wanted):
        placed.append(height if not placed else max(height, placed[-1] + least))
    return dict(zip(sorted(wanted), placed))


def draw(rows, out):
    found = points(rows)
    x = Axis([p[0] for p in found.values()], LEFT, WIDTH - RIGHT)
    y = Axis([p[1] for p in found.values()], HEIGHT - BOTTOM, TOP)
    put = lambda text: print(text, file=out)
    put(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">')
    put(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    for tick in x.ticks():
        put(f'<path d="M{x.at(tick):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>')
        put(f'<text x="{x.at(tick):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="#555">{tick:g}</text>')
    for tick in y.ticks():
        put(f'<path d="M{LEFT} {y.at(tick):.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
        put(f'<text x="{LEFT - 8}" y="{y.at(tick) + 4:.1f}" text-anchor="end" fill="#555">{tick:g}</text>')
    put(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">CPU seconds of a run of 10,000 rounds</text>')
    put(f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">regret, the default\'s is 1</text>')
    labels = apart([y.at(p[1]) + x.at(p[0]) * 1e-6 for p in found.values()])
    for name, (seconds, regret) in sorted(found.items(), key=lambda item: item[1][1]):
        colour = "#c2410c" if name.startswith("neural-ts") else "#111" if name.startswith("vowpal") else "#3b6ea5"
        across, up = x.at(seconds), y.at(regret)
        text = labels[up + across * 1e-6]
        label = name.replace(" tuned", "")
        others = [(x.at(p[0]), y.at(p[1])) for other, p in found.items() if other != name]
        hidden = any(0 < a - across < 20 + 7 * len(label) and abs(b - text) < 10 for a, b in others)
        side, anchor = (-1, "end") if hidden else (1, "start")
        put(f'<path d="M{across + 6 * side:.1f} {up:.1f}L{across + 14 * side:.1f} {text:.1f}" stroke="{colour}" stroke-width="0.7"/>')
        put(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="5" fill="{colour}"/>')
        put(f'<text x="{across + 16 * side:.1f}" y="{text + 4:.1f}" text-anchor="{anchor}" fill="{colour}">{label}</text>')
    put("</svg>")


if __name__ == "__main__":
    if sys.argv[1:] == ["collect"]:
        collect(sys.stdin, sys.stdout)
    elif len(sys.argv) == 3 and sys.argv[1] == "draw":
        with open(sys.argv[2], encoding="utf-8") as table:
            draw(list(csv.DictReader(table)), sys.stdout)
    else:
        sys.exit(__doc__)
