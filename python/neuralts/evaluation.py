"""What would another policy have earned? Logs of decisions, or Open Bandit Pipeline's feedback, judged with intervals.

>>> import neuralts
>>> run = neuralts.log_run("quadratic:arms=3", "random", "log.jsonl", rounds=300)
>>> found = neuralts.evaluate("log.jsonl", ["uniform", "linear-ts"], estimators=["snips"])
>>> [row["policy"] for row in found], found[0]["low"] <= found[0]["value"] <= found[0]["high"]
(['uniform', 'linear-ts'], True)
"""

from __future__ import annotations

import html
import json
import operator
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from neuralts import _core
from neuralts._core import Policy
from neuralts.errors import BadSpecError, ContractError

_Path = Union[str, "os.PathLike[str]"]
_Feedback = Mapping[str, Any]
_Policies = Union[str, Policy, Iterable[Union[str, Policy]], Mapping[str, Any]]

FIELDS = [
    "policy",
    "estimator",
    "value",
    "low",
    "high",
    "interval",
    "confidence",
    "n",
    "ess",
    "max_weight",
    "mean_weight",
    "unsupported",
]


class Evaluation(Sequence[dict[str, Any]]):
    """A row per policy and estimator: policy, estimator, value, low, high, interval, confidence, n, ess, max_weight, mean_weight,
    unsupported. ``doubts`` says in words what should keep one from believing an answer; ``raw`` holds everything: diagnostics,
    histogram of weights, calibration, and the course over time."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.rows: list[dict[str, Any]] = [row for policy in raw["policies"] for row in policy["estimates"]]

    @property
    def notes(self) -> list[str]:
        return list(self.raw["notes"])

    @property
    def doubts(self) -> dict[str, list[str]]:
        return {policy["policy"]: list(policy["doubts"]) for policy in self.raw["policies"] if policy["doubts"]}

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def value(self, policy: str, estimator: Optional[str] = None) -> dict[str, Any]:
        """The row of a policy, by the first estimator unless one is named."""
        for row in self.rows:
            if row["policy"] == policy and estimator in (None, row["estimator"]):
                return row
        raise KeyError(f"{policy!r}, {estimator!r}")

    def table(self) -> str:
        """The rows as aligned text, doubts below."""
        lines = _aligned(self.rows, FIELDS)
        said = [f"note: {note}" for note in self.notes]
        said += [f"doubt: {policy}: {text}" for policy, texts in self.doubts.items() for text in texts]
        return "\n".join(lines + said)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{field}</th>" for field in FIELDS)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row[field]))}</td>" for field in FIELDS) + "</tr>" for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def to_frame(self) -> Any:
        """A pandas DataFrame; needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows, columns=FIELDS)

    def plot(self, ax: Any = None) -> Any:
        """Values with their intervals, a line per policy and estimator; needs matplotlib. Returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=(7, 1 + 0.35 * len(self.rows)))[1]
        for place, row in enumerate(self.rows):
            ends = [row["value"] if row[end] is None else row[end] for end in ("low", "high")]
            ax.plot(ends, [-place, -place], color="C0")
            ax.plot([row["value"]], [-place], "o", color="C0")
        ax.set_yticks([-place for place in range(len(self.rows))], [f"{row['policy']}, {row['estimator']}" for row in self.rows])
        ax.set_xlabel("reward per decision")
        return ax

    def plot_course(self, ax: Any = None) -> Any:
        """Values over time with bands that hold at all times at once; needs matplotlib. Returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        for policy in self.raw["policies"]:
            course = policy["course"]
            events = [at["events"] for at in course]
            ax.plot(events, [at["value"] for at in course], label=policy["policy"])
            ax.fill_between(events, [at["low"] for at in course], [at["high"] for at in course], alpha=0.15)
        ax.set_xlabel("events")
        ax.set_ylabel("reward per decision")
        ax.legend()
        return ax


class Tuning(list[dict[str, Any]]):
    """A row per setting, the current one first: the fields of an evaluation's rows, and current, best, lead, lead_low, lead_high and
    doubts. ``notes`` is about the log as a whole."""

    def __init__(self, raw: dict[str, Any]) -> None:
        super().__init__(raw["settings"])
        self.notes: list[str] = raw["notes"]

    @property
    def best(self) -> dict[str, Any]:
        """The row of the setting with the largest value."""
        return next(row for row in self if row["best"])

    def __repr__(self) -> str:
        fields = ["policy", "value", "low", "high", "lead", "lead_low", "lead_high", "current", "best"]
        said = [f"note: {note}" for note in self.notes]
        said += [f"doubt: {row['policy']}: {text}" for row in self if row["current"] or row["best"] for text in row["doubts"]]
        return "\n".join(_aligned(self, fields) + said)


def evaluate(
    log: Union[_Path, Sequence[_Path], _Feedback],
    policies: _Policies = "uniform",
    *,
    estimators: Union[str, Iterable[str]] = ("snips", "dr"),
    interval: str = "auto",
    confidence: float = 0.95,
    rewards: Optional[tuple[float, float]] = None,
    model: str = "linear-ts",
    predictions: Optional[NDArray[np.float64]] = None,
    folds: int = 5,
    seed: int = 1,
    since: float = 0,
    until: float = 0,
    skip_bad: bool = False,
) -> Evaluation:
    """Judges policies by a log.

    ``log``: a file or folder (ours, dsjson, VW text), several, or Open Bandit Pipeline's ``bandit_feedback``. ``policies``: names
    ("uniform", "logged", "constant:2", "file:agent.nts", or policies that learn from the log, "neural-ts:nu=0.1"), ``Policy`` objects,
    judged as they are, or a mapping from names to any of these or, with feedback, to ``action_dist`` arrays. ``estimators``: ips,
    clipped, snips, dm, dr, sndr, switch, dr-shrinkage, likelihood, cressie-read, replay. ``interval``: auto, student, bootstrap,
    clopper-pearson, likelihood, cressie-read, or, to be looked at every day, bernstein and betting. ``rewards``: the lowest and
    highest there can be. ``predictions``: with feedback, a reward model's, a row per round (OBP's ``estimated_rewards_by_reg_model``),
    by a model that was not fitted on that round (cross-fitted), for bernstein and betting on earlier rounds alone.
    """
    named = [estimators] if isinstance(estimators, str) else list(estimators)
    options = _options(named, interval, confidence, rewards, model, folds, seed, since, until, skip_bad)
    with tempfile.TemporaryDirectory() as folder:
        names, given = _named(policies, folder)
        options["policies"] = [text for _, text in names]
        if isinstance(log, Mapping):
            feedback = _feedback(log)
            shape = len(feedback["reward"]), feedback["n_actions"]
            rows = {name: _matrix(row, f"action_dist of {name!r}", shape) for name, row in given.items()}
            q = None if predictions is None else _matrix(predictions, "predictions", shape)
            raw = _core.evaluate_arrays(feedback, rows, q, options)
        elif given or predictions is not None:
            raise ContractError("action_dist and predictions go with feedback: neuralts.bandit_feedback(log) makes it")
        else:
            raw = _core.evaluate_logs(_paths(log), options)
    return Evaluation(_renamed(json.loads(raw), [name for name, _ in names] + list(given)))


def tune(
    log: Union[_Path, Sequence[_Path]],
    policy: str = "neural-ts",
    *,
    set: Mapping[str, Union[Any, Iterable[Any]]],
    estimator: str = "dr",
    interval: str = "auto",
    confidence: float = 0.95,
    rewards: Optional[tuple[float, float]] = None,
    model: str = "linear-ts",
    folds: int = 5,
    seed: int = 1,
    since: float = 0,
    until: float = 0,
    skip_bad: bool = False,
) -> Tuning:
    """The current setting of a policy and every combination of ``set``, judged by a log: value with interval, and the lead over the
    current one with an interval that holds for all of them together. The best is marked. Options as those of ``evaluate``."""
    grid = [(key, [str(value) for value in _listed(values)]) for key, values in set.items()]
    options = _options([estimator], interval, confidence, rewards, model, folds, seed, since, until, skip_bad)
    return Tuning(json.loads(_core.tune_logs(_paths(log), policy, grid, {**options, "points": 0})))


def action_dist(log: Union[_Path, Sequence[_Path]], policy: Union[str, Policy], *, seed: int = 1) -> NDArray[np.float64]:
    """A policy's probabilities on a log in Open Bandit Pipeline's shape, (rounds, actions, 1), beside ``bandit_feedback``."""
    with tempfile.TemporaryDirectory() as folder:
        ((_, text),) = _named([policy], folder)[0]
        actions, rows = _core.action_dist(_paths(log), text, seed)
    return rows.reshape(-1, actions, 1)


def _aligned(rows: list[dict[str, Any]], fields: list[str]) -> list[str]:
    cells = [fields] + [[_shown(row[field]) for field in fields] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(fields))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]


def _shown(value: Any) -> str:
    """Four places after the point; four digits where those would say nothing or too much: 0.00002 is no 0.0000."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4f}" if value == 0 or 0.01 <= abs(value) < 1e6 else f"{value:.4g}"


def _listed(values: Any) -> list[Any]:
    return [values] if isinstance(values, (str, int, float)) else list(values)


def _paths(log: Any) -> list[str]:
    return [os.fspath(log)] if isinstance(log, (str, os.PathLike)) else [os.fspath(path) for path in log]


def _options(
    estimators: list[str],
    interval: str,
    confidence: float,
    rewards: Optional[tuple[float, float]],
    model: str,
    folds: int,
    seed: int,
    since: float,
    until: float,
    skip_bad: bool,
) -> dict[str, Any]:
    options: dict[str, Any] = {
        "estimators": estimators,
        "interval": interval,
        "confidence": float(confidence),
        "model": model,
        "folds": _count("folds", folds),
        "seed": _count("seed", seed),
        "since": float(since),
        "until": float(until),
        "skip_bad": skip_bad,
    }
    if rewards is not None:
        low, high = map(float, rewards)
        if not low < high:
            raise BadSpecError(f"rewards: {low:g} to {high:g} is not a range: give the lowest and the highest there can be")
        options["lowest_reward"], options["highest_reward"] = low, high
    return options


def _count(name: str, value: int) -> int:
    number = operator.index(value)
    if not 0 <= number < 2**64:
        raise BadSpecError(f"{name}: {number} is no whole number from 0 to 2^64 - 1")
    return number


def _named(policies: Any, folder: str) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """What the user calls a policy and what the engine is to judge, in order; and arrays by name."""
    if isinstance(policies, (str, Policy)):
        policies = [policies]
    pairs = list(policies.items()) if isinstance(policies, Mapping) else [(_label(policy, i), policy) for i, policy in enumerate(policies)]
    names: dict[str, str] = {}
    given: dict[str, Any] = {}
    for i, (name, policy) in enumerate(pairs):
        if name in names or name in given:
            raise ContractError(f"policies: {name!r} is named twice: a mapping gives each a name of its own")
        if isinstance(policy, str):
            names[name] = policy
        elif isinstance(policy, Policy):
            path = os.path.join(folder, f"policy{i}.nts")
            policy.save(path)
            names[name] = "file:" + path
        else:
            given[name] = policy
    return list(names.items()), given


def _label(policy: Any, place: int) -> str:
    if isinstance(policy, Policy):
        return f"{policy.name}#{place}"
    return policy if isinstance(policy, str) else f"policy{place}"


def _renamed(raw: dict[str, Any], names: list[str]) -> dict[str, Any]:
    for policy, name in zip(raw["policies"], names):
        for row in [policy, *policy["estimates"]]:
            row["policy"] = name
    return raw


def _matrix(values: Any, what: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    """(rounds, actions) from that or from OBP's (rounds, actions, 1)."""
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape not in (shape, (*shape, 1)):
        raise ContractError(f"{what}: {shape[0]} events of {shape[1]} actions each are needed, not an array of shape {rows.shape}")
    return np.ascontiguousarray(rows.reshape(shape))


def _feedback(feedback: _Feedback) -> dict[str, Any]:
    """OBP's dictionary as the engine takes it. Rankings (several positions a round) are refused."""
    position = feedback.get("position")
    if position is not None and np.any(np.asarray(position) != 0):
        raise ContractError("rankings with several positions are not judged: keep one position")
    n_actions = int(feedback["n_actions"])
    reward = np.ascontiguousarray(feedback["reward"], dtype=np.float64)
    if feedback.get("pi_b") is not None:
        probabilities = _matrix(feedback["pi_b"], "pi_b", (len(reward), n_actions))
    elif feedback.get("pscore") is not None:
        probabilities = np.ascontiguousarray(feedback["pscore"], dtype=np.float64)
    else:
        raise ContractError("the feedback holds neither pi_b nor pscore: without the logged probabilities nothing can be weighed")
    found = {
        "n_actions": n_actions,
        "action": np.asarray(feedback["action"]),
        "reward": reward,
        "probabilities": probabilities,
    }
    if feedback.get("context") is not None:
        found["context"] = _context(feedback["context"], len(reward))
    return found


def _context(values: Any, rounds: int) -> NDArray[np.float64]:
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != rounds:
        raise ContractError(f"context: a row of numbers for each of {rounds} events is needed, not an array of shape {rows.shape}")
    return np.ascontiguousarray(rows)
