"""Logs of runs: one JSON object per line, every round with its contexts, choice, probabilities and reward (doc/formats.md).

``log_run`` writes one, ``read_log`` gives its rounds, ``bandit_feedback`` the dictionary that Open Bandit Pipeline's estimators
take. None needs more than numpy.

>>> import neuralts
>>> run = neuralts.log_run("quadratic:arms=3", "random", "log.jsonl", rounds=5)
>>> log = neuralts.read_log("log.jsonl")
>>> len(log), log.n_arms, round(sum(r.reward for r in log) - run.reward, 9)
(5, 3, 0.0)
>>> neuralts.bandit_feedback(log)["pi_b"].shape
(5, 3, 1)
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO, Union

import numpy as np
from numpy.typing import NDArray

from neuralts import _core
from neuralts._core import Environment
from neuralts.errors import BadInputError
from neuralts.results import Run

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class LoggedRound:
    """One line of a log. ``contexts``: a row per arm offered, or the one x that they share; ``arms``: their numbers."""

    contexts: NDArray[np.float64]
    arms: list[int]
    position: int
    reward: float
    probabilities: NDArray[np.float64]

    @property
    def arm(self) -> int:
        """The number of the arm that was played."""
        return self.arms[self.position]

    @property
    def probability(self) -> float:
        """With which it was played."""
        return float(self.probabilities[self.position])


@dataclass(frozen=True)
class Log:
    """A log in memory: what its header says, and the rounds."""

    header: dict[str, Any]
    rounds: list[LoggedRound]

    @property
    def dim(self) -> int:
        return int(self.header.get("length", self.header.get("block")))

    @property
    def n_arms(self) -> int:
        """Arms there are: those that share one x, or the most that a round offers."""
        return max(int(self.header["blocks"]), *(len(round.arms) for round in self.rounds), 1)

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[LoggedRound]:
        return iter(self.rounds)


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


def read_log(path: _Path) -> Log:
    """Reads a log, plain or gzip. A line that is not a round raises BadInputError with its number."""
    with _opened(path) as lines:
        parsed = [_parsed(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not parsed or parsed[0][1].get("neuralts_log") not in (1, 2):
        raise BadInputError(f"{os.fspath(path)}: this is not a log: the first line should say \"neuralts_log\"")
    return Log(parsed[0][1], [_round(path, number, line) for number, line in parsed[1:]])


def bandit_feedback(log: Union[_Path, Log]) -> dict[str, Any]:
    """The log as Open Bandit Pipeline's ``bandit_feedback``: n_rounds, n_actions, context, action, position, reward, pscore, pi_b.

    Where every arm has a vector of its own, a round's context is all of them, one after another.
    """
    rounds = log if isinstance(log, Log) else read_log(log)
    n_actions = rounds.n_arms
    pi_b = np.zeros((len(rounds), n_actions, 1))
    for i, round in enumerate(rounds):
        pi_b[i, round.arms, 0] = round.probabilities
    return {
        "n_rounds": len(rounds),
        "n_actions": n_actions,
        "context": _contexts(rounds),
        "action_context": np.eye(n_actions),
        "action": np.array([round.arm for round in rounds], dtype=np.int64),
        "position": None,
        "reward": np.array([round.reward for round in rounds]),
        "pscore": np.array([round.probability for round in rounds]),
        "pi_b": pi_b,
    }


def _opened(path: _Path) -> TextIO:
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt", encoding="utf-8") if packed else open(path, encoding="utf-8")


def _parsed(path: _Path, number: int, line: str) -> tuple[int, dict[str, Any]]:
    try:
        found = json.loads(line)
    except ValueError as problem:
        raise BadInputError(f"{os.fspath(path)}:{number}: this is not JSON: {problem}") from None
    if not isinstance(found, dict):
        raise BadInputError(f"{os.fspath(path)}:{number}: a JSON object is needed")
    return number, found


def _round(path: _Path, number: int, line: dict[str, Any]) -> LoggedRound:
    try:
        shared = "shared" in line
        contexts = np.array(line["shared"] if shared else line["contexts"], dtype=np.float64)
        arms = [int(block) for block in line["blocks"]] if shared else list(range(len(contexts)))
        probabilities = np.array(line["probabilities"], dtype=np.float64)
        position, reward = int(line["arm"]), float(line["reward"])
    except (KeyError, TypeError, ValueError) as problem:
        raise BadInputError(f"{os.fspath(path)}:{number}: this is not a round: {problem!r}") from None
    if not 0 <= position < len(arms) or len(probabilities) != len(arms):
        raise BadInputError(f"{os.fspath(path)}:{number}: arm {position} and {len(probabilities)} probabilities for {len(arms)} arms")
    return LoggedRound(contexts, arms, position, reward, probabilities)


def _contexts(log: Log) -> NDArray[np.float64]:
    shared = log.header["blocks"] > 1
    whole = np.zeros((len(log), log.dim if shared else log.n_arms * log.dim))
    for row, round in zip(whole, log):
        row[: round.contexts.size] = round.contexts.ravel()
    return whole
