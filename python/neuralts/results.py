"""What came out of an experiment: rows, curves, tables, pictures, a report."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from neuralts import _core
from neuralts.errors import ContractError

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Run:
    """One world, one policy, one seed. ``error`` says why a run failed; then it has no numbers."""

    env: str
    policy: str
    preset: str
    given: dict[str, Any]
    delay: str
    seed: int
    error: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    rounds: int = 0
    regret: float = math.nan
    reward: float = math.nan
    select_seconds: float = math.nan
    learn_seconds: float = math.nan
    policy_bytes: int = 0
    notes: list[str] = field(default_factory=list)
    curve_rounds: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    curve_regret: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    line: str = field(default="", repr=False)

    @property
    def label(self) -> str:
        """The policy and what was said about it."""
        parts = [self.policy, *([self.preset] if self.preset else []), *(f"{key}={value}" for key, value in self.given.items())]
        return " ".join(parts) + (f" delay {self.delay}" if self.delay != "0" else "")

    def __repr__(self) -> str:
        told = f"failed: {self.error}" if self.error else f"rounds={self.rounds}, regret={self.regret:.4g}, reward={self.reward:.4g}"
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
        """What a results folder holds, whoever filled it."""
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
        """Total regret, mean ± standard deviation over the seeds: a row per policy, a column per world. Of failed runs their number."""
        cells = self._cells()
        envs = list(dict.fromkeys(env for env, _ in cells))
        rows = [["", *envs]]
        for label in dict.fromkeys(label for _, label in cells):
            rows.append([label, *(_summary(cells.get((env, label), [])) for env in envs)])
        widths = [max(len(row[i]) for row in rows) for i in range(len(envs) + 1)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def to_pandas(self) -> Any:
        """A row per run. Needs pandas."""
        import pandas

        names = ["env", "policy", "preset", "label", "delay", "seed", "rounds", "regret", "reward"]
        names += ["select_seconds", "learn_seconds", "policy_bytes", "error"]
        return pandas.DataFrame([{name: getattr(run, name) for name in names} for run in self.runs], columns=names)

    def plot(self, axes: Optional[Any] = None) -> Any:
        """Regret curves, mean over the seeds and the 90 % confidence interval of it, as in the report, one picture per world. Needs matplotlib.

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
            rounds, regrets = _aligned(runs)
            mean, half = regrets.mean(axis=0), np.array([_core.band_half_width(column) for column in regrets.T])
            (line,) = panels[env].plot(rounds, mean, label=label)
            panels[env].fill_between(rounds, np.maximum(mean - half, 0), mean + half, alpha=0.2, color=line.get_color(), linewidth=0)
        for env, panel in panels.items():
            panel.set(title=env, xlabel="round", ylabel="regret")
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
    regrets = [run.regret for run in runs if not run.error]
    failed = f"{len(runs) - len(regrets)} failed" if len(regrets) < len(runs) else ""
    if not regrets:
        return failed
    mean = f"{fmean(regrets):.1f}" + (f" ± {stdev(regrets):.1f}" if len(regrets) > 1 else "")
    return f"{mean} ({failed})" if failed else mean


def _aligned(runs: list[Run]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The curves of several seeds on the rounds of the longest of them."""
    rounds = max((run.curve_rounds for run in runs), key=len)
    return rounds, np.array([np.interp(rounds, run.curve_rounds, run.curve_regret) for run in runs])
