"""What came out of an experiment: rows, curves, tables, pictures, a report."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from neuralts import _core
from neuralts.errors import ContractError, NotFoundError

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Run:
    """One world, one policy, one seed. ``error`` says why a run failed; then it has no numbers.

    In a replayed log ``rounds`` of the ``offered`` ones counted, those in which the policy chose what was played; regret is not known
    there (``regret_known`` is false), and tables and plots tell the mean reward instead.
    """

    env: str
    policy: str
    preset: str
    given: dict[str, Any]
    delay: str
    seed: int
    error: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    rounds: int = 0
    offered: int = 0
    regret_known: bool = True
    regret: float = math.nan
    reward: float = math.nan
    select_seconds: float = math.nan
    learn_seconds: float = math.nan
    policy_bytes: int = 0
    notes: list[str] = field(default_factory=list)
    curve_rounds: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    curve_regret: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    curve_reward: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    line: str = field(default="", repr=False)

    @property
    def label(self) -> str:
        """The policy and what was said about it."""
        parts = [self.policy, *([self.preset] if self.preset else []), *(f"{key}={value}" for key, value in self.given.items())]
        return " ".join(parts) + (f" delay {self.delay}" if self.delay != "0" else "")

    @property
    def mean_reward(self) -> float:
        """Of the rounds that counted."""
        return self.reward / self.rounds if self.rounds else math.nan

    def __repr__(self) -> str:
        regret = f"regret={self.regret:.4g}" if self.regret_known else f"of {self.offered}"
        told = f"failed: {self.error}" if self.error else f"rounds={self.rounds}, {regret}, reward={self.reward:.4g}"
        return f"<Run {self.env!r} {self.label!r} seed={self.seed}: {told}>"

    @staticmethod
    def from_line(line: str) -> Run:
        record = json.loads(line)
        curve = record.get("curve", {})
        known = {name: record[name] for name in Run.__dataclass_fields__ if name in record}
        for name in ("given", "params"):
            known[name] = {key: _core.typed_value(value) for key, value in known.get(name, {}).items()}
        return Run(
            **known,
            curve_rounds=np.array(curve.get("rounds", []), np.int64),
            curve_regret=np.array(curve.get("regret", []), np.float64),
            curve_reward=np.array(curve.get("reward", []), np.float64),
            line=line,
        )


class Results:
    """The runs of an experiment, in order. Made by ``neuralts.run`` or read from a folder by ``Results.load``."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.runs = list(runs)

    @staticmethod
    def from_lines(lines: Iterable[str]) -> Results:
        return Results(Run.from_line(line) for line in lines)

    @staticmethod
    def load(folder: _Path) -> Results:
        """What a results folder holds, whoever filled it. Lines that are no records are warned of."""
        if not os.path.isfile(os.path.join(folder, "results.jsonl")):
            raise NotFoundError(f"{os.fspath(folder)}: there is no results.jsonl in it: fill one with run(..., results=folder)")
        for line in _core.unreadable_results(folder):
            warnings.warn(f"{os.fspath(folder)}/results.jsonl: {line}", RuntimeWarning, stacklevel=2)
        return Results.from_lines(_core.read_results(folder))

    def save(self, folder: _Path) -> None:
        """Adds these runs to a results folder."""
        _core.write_results(folder, [run.line for run in self.runs])

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> Run:
        return self.runs[index]

    @property
    def failed(self) -> list[Run]:
        return [run for run in self.runs if run.error]

    def by_cell(self) -> dict[tuple[str, str], list[Run]]:
        """The runs that did not fail, by (world, label of the policy), in order."""
        return {cell: good for cell, runs in self._cells().items() if (good := [run for run in runs if not run.error])}

    def _cells(self) -> dict[tuple[str, str], list[Run]]:
        cells: dict[tuple[str, str], list[Run]] = {}
        for run in self.runs:
            cells.setdefault((run.env, run.label), []).append(run)
        return cells

    def table(self) -> str:
        """Total regret, mean ± standard deviation over the seeds: a row per policy, a column per world. Of failed runs their number.

        Of a replayed log the mean reward of the rounds that counted, and how many those are.
        """
        cells = self._cells()
        envs = list(dict.fromkeys(env for env, _ in cells))
        rows = [["", *(env if self._regret_known(env) else f"{env}: mean reward" for env in envs)]]
        for label in dict.fromkeys(label for _, label in cells):
            rows.append([label, *(_summary(cells.get((env, label), [])) for env in envs)])
        widths = [max(len(row[i]) for row in rows) for i in range(len(envs) + 1)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def _regret_known(self, env: str) -> bool:
        return all(run.regret_known for run in self.runs if run.env == env and not run.error)

    def to_pandas(self) -> Any:
        """A row per run. Needs pandas."""
        import pandas

        names = ["env", "policy", "preset", "label", "delay", "seed", "rounds", "offered", "regret_known", "regret", "reward"]
        names += ["select_seconds", "learn_seconds", "policy_bytes", "error"]
        return pandas.DataFrame([{name: getattr(run, name) for name in names} for run in self.runs], columns=names)

    def plot(self, axes: Optional[Any] = None) -> Any:
        """Regret curves, mean over the seeds and the 90 % confidence interval of it, as in the report, one picture per world.

        One seed has no interval. Of a replayed log the mean reward so far. Needs matplotlib.
        ``axes``: matplotlib axes to draw on, as many as there are worlds. Returns the figure.
        """
        from matplotlib import pyplot

        cells = self.by_cell()
        envs = list(dict.fromkeys(env for env, _ in cells))
        if not envs:
            raise ContractError("there is nothing to plot: no run ended well")
        if axes is None:
            _, axes = pyplot.subplots(1, len(envs), figsize=(1 + 5 * len(envs), 4), squeeze=False, layout="constrained")
        panels = dict(zip(envs, np.ravel(axes)))
        for (env, label), runs in cells.items():
            known = self._regret_known(env)
            rounds, curves = _aligned(runs, known)
            mean, half = curves.mean(axis=0), np.array([_core.band_half_width(column) for column in curves.T])
            low = np.maximum(mean - half, 0) if known else mean - half
            (line,) = panels[env].plot(rounds, mean, label=label)
            if len(runs) > 1:
                panels[env].fill_between(rounds, low, mean + half, alpha=0.2, color=line.get_color(), linewidth=0)
        for env, panel in panels.items():
            panel.set(title=env, xlabel="round", ylabel="regret" if self._regret_known(env) else "mean reward")
            panel.legend()
        return panels[envs[0]].figure

    def report(self, path: _Path, title: str = "", *, theory: bool = True, data_dir: str = "") -> None:
        """Writes the whole report as one HTML file that opens offline.

        ``theory``: also what the regret theorem says of the worlds that can be made by name (seconds a world; data sets are
        looked for in ``data_dir``).
        """
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder)
            page = _core.write_report(folder, title, theory, data_dir)
            beside = f"{os.fspath(path)}.tmp{os.getpid()}"
            shutil.copyfile(page, beside)
            os.replace(beside, path)

    def __repr__(self) -> str:
        return f"<Results: {len(self.runs)} runs, {len(self.failed)} failed>\n{self.table()}"


def _summary(runs: list[Run]) -> str:
    if not runs:
        return "-"
    good = [run for run in runs if not run.error]
    failed = f"{len(runs) - len(good)} failed" if len(good) < len(runs) else ""
    if not good:
        return failed
    told = _regrets(good) if all(run.regret_known for run in good) else _rewards(good)
    return f"{told} ({failed})" if failed else told


def _regrets(runs: list[Run]) -> str:
    return f"{fmean(run.regret for run in runs):.1f}" + (f" ± {stdev(run.regret for run in runs):.1f}" if len(runs) > 1 else "")


def _rewards(runs: list[Run]) -> str:
    means = [run.mean_reward for run in runs]
    spread = f" ± {stdev(means):.2g}" if len(means) > 1 else ""
    return f"{fmean(means):.4g}{spread} ({fmean(run.rounds for run in runs):.0f} of {fmean(run.offered for run in runs):.0f} rounds)"


def _aligned(runs: list[Run], regret: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The curves of several seeds on the rounds of the longest of them: regret, or else the mean reward so far."""
    rounds = max((run.curve_rounds for run in runs), key=len)
    curves = [run.curve_regret if regret else run.curve_reward / np.maximum(run.curve_rounds, 1) for run in runs]
    return rounds, np.array([np.interp(rounds, run.curve_rounds, curve) for run, curve in zip(runs, curves)])
