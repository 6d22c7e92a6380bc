"""Logs: one JSON object per line, every decision with its contexts, choice, probabilities and, late or at once, its reward.

``log_run`` writes one, ``LogWriter`` writes as decisions happen, ``read_log`` gives the decisions of any format this library
reads (doc/formats.md) as a stream, ``bandit_feedback`` the dictionary that Open Bandit Pipeline's estimators take.

>>> import neuralts
>>> run = neuralts.log_run("quadratic:arms=3", "random", "log.jsonl", rounds=5)
>>> log = neuralts.read_log("log.jsonl")
>>> len(log), log.n_arms, round(sum(r.reward for r in log) - run.reward, 9)
(5, 3, 0.0)
>>> neuralts.bandit_feedback(log)["pi_b"].shape
(5, 3, 1)
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from neuralts import _core
from neuralts._core import Environment, LoggedRound, LogReader
from neuralts.errors import BadInputError
from neuralts.results import Run

_Path = Union[str, "os.PathLike[str]"]


class Log:
    """The decisions of a log. Every iteration reads the file anew, as a stream; what was left out is said in ``counts``."""

    def __init__(self, path: _Path, *, skip_bad: bool = False, only_rewarded: bool = False) -> None:
        self.path = os.fspath(path)
        self._options = {"skip_bad": skip_bad, "only_rewarded": only_rewarded}
        reader = self._reader()
        self.format: str = reader.format
        self.header: dict[str, Any] = json.loads(reader.header) if reader.header else {}
        self._shape = reader.length, reader.blocks

    def _reader(self) -> LogReader:
        return LogReader(self.path, **self._options)

    def __iter__(self) -> Iterator[LoggedRound]:
        return iter(self._reader())

    def __len__(self) -> int:
        return int(self.counts["events"])

    @cached_property
    def counts(self) -> dict[str, Any]:
        """Events and rewards read, records refused, and what a cut end has cost. Reads the whole log once."""
        reader = self._reader()
        for _ in reader:
            pass
        return reader.counts

    @cached_property
    def rounds(self) -> list[LoggedRound]:
        """All decisions, in memory."""
        return list(self)

    @cached_property
    def dim(self) -> int:
        """The length of a context; 0 where contexts are objects."""
        if self._shape[0]:
            return int(self._shape[0])
        return int(next((round.contexts.shape[-1] for round in self if round.contexts is not None), 0))

    @cached_property
    def n_arms(self) -> int:
        """Arms there are: those that share one x, or the most that a round offers."""
        return max(int(self._shape[1]), *(1 + max(round.arms) for round in self), 1)


def log_run(
    env: Union[str, Environment],
    policy: str,
    path: _Path,
    *,
    rounds: int = 0,
    seed: int = 1,
    preset: str = "",
    **params: Union[str, int, float, bool, None],
) -> Run:
    """Runs a policy in a world and writes every round to a log; returns what a run in the lab would give."""
    world = Environment(env) if isinstance(env, str) else env
    return Run.from_line(_core.log_run(world, policy, path, rounds=rounds, seed=seed, preset=preset, **params))


def read_log(path: _Path, *, skip_bad: bool = False, only_rewarded: bool = False) -> Log:
    """A log in neuralts' own format, dsjson or VW text, plain or gzip, also while it is written.

    A record that is not sound raises BadInputError with its line, or is counted with ``skip_bad``.
    """
    return Log(path, skip_bad=skip_bad, only_rewarded=only_rewarded)


def write_log(log: Union[_Path, Log], path: _Path, format: str = "dsjson", *, skip_bad: bool = False) -> int:
    """Copies a log into another format ("neuralts", "dsjson", "vw"), rewards joined; the number of events."""
    return _core.write_log(log.path if isinstance(log, Log) else log, path, format, skip_bad=skip_bad)


def bandit_feedback(log: Union[_Path, Log]) -> dict[str, Any]:
    """The log as Open Bandit Pipeline's ``bandit_feedback``: n_rounds, n_actions, context, action, position, reward, pscore, pi_b.

    Where every arm has a vector of its own, a round's context is all of them, one after another. Rounds without a reward are left out.
    """
    source = log if isinstance(log, Log) else read_log(log)
    rounds = [round for round in source if round.reward is not None]
    n_actions = source.n_arms
    pi_b = np.zeros((len(rounds), n_actions, 1))
    for i, round in enumerate(rounds):
        if len(round.probabilities) != len(round.arms):
            raise BadInputError(f"{source.path}: round {i + 1} says how likely one arm was only: pi_b needs all of them")
        pi_b[i, round.arms, 0] = round.probabilities
    return {
        "n_rounds": len(rounds),
        "n_actions": n_actions,
        "context": _contexts(rounds, source),
        "action_context": np.eye(n_actions),
        "action": np.array([round.arm for round in rounds], dtype=np.int64),
        "position": None,
        "reward": np.array([round.reward for round in rounds]),
        "pscore": np.array([round.probability for round in rounds]),
        "pi_b": pi_b,
    }


def _contexts(rounds: list[LoggedRound], log: Log) -> NDArray[np.float64]:
    if any(round.contexts is None for round in rounds):
        raise BadInputError(f"{log.path}: contexts are objects: encode them first (neuralts.Features)")
    shared = all(round.contexts.ndim == 1 for round in rounds)
    whole = np.zeros((len(rounds), log.dim if shared else log.n_arms * log.dim))
    for row, round in zip(whole, rounds):
        row[: round.contexts.size] = round.contexts.ravel()
    return whole
