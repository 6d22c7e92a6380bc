"""Policies written in Python, for ``neuralts.run``.

Any object with ``select(contexts, rng)`` and ``learn(context, reward)`` takes part. ``contexts`` has a row per arm: the arm's own
vector, or, where all arms share one x, x in the block of that arm and 0 elsewhere. ``select`` gives the arm, or the arm and the
probabilities of all arms; ``rng`` is a numpy generator of the run's seed. ``learn`` may take ``arm`` as a third argument.

>>> import neuralts
>>> class First:
...     def select(self, contexts, rng):
...         return 0
...     def learn(self, context, reward):
...         pass
>>> results = neuralts.run("quadratic", {"first": First, "random": {}}, seeds=1, rounds=20, progress=False)
>>> [run.policy for run in results]
['first', 'random']
"""

from __future__ import annotations

import copy
import inspect
import itertools
import os
import time
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from neuralts.errors import ContractError

_objects = itertools.count()


def is_own(thing: Any) -> bool:
    """Whether ``thing`` is a policy of the user's: a class, a function that makes one, or an object."""
    return callable(thing) or (hasattr(thing, "select") and hasattr(thing, "learn"))


def identity(thing: Any) -> str:
    """What a results folder knows it by: the ``version`` its author gives, or nothing that could be met again."""
    version = getattr(thing, "version", None)
    return f"version {version}" if version is not None else f"object {os.getpid()} {time.time_ns()} {next(_objects)}"


def maker(name: str, thing: Any) -> Callable[..., _Player]:
    """Makes the player of a run: a class or function is called with those of dim=, arms= and seed= that it takes, an object is
    copied, so that no run learns from another."""

    def make(**known: int) -> _Player:
        if not callable(thing):
            made = copy.deepcopy(thing)
        else:
            made = thing(**{key: value for key, value in known.items() if _takes(thing, key)})
        for method in ("select", "learn"):
            if not callable(getattr(made, method, None)):
                raise ContractError(f"policy {name!r} has no method {method}()")
        return _Player(made, known["seed"])

    return make


def _takes(function: Any, name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters)


class _Player:
    """What a run calls (the extension's own_policy.cpp): the user's object, with its answers checked."""

    def __init__(self, policy: Any, seed: int) -> None:
        self._policy = policy
        self._rng = np.random.default_rng(seed)
        self._with_arm = _takes(policy.learn, "arm")

    def choose(self, contexts: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
        answer = self._policy.select(contexts, self._rng)
        arm, probabilities = answer if isinstance(answer, tuple) else (answer, None)
        if not isinstance(arm, (int, np.integer)) or not 0 <= arm < len(contexts):
            raise ContractError(f"select() gave {arm!r}: one of the arms 0 to {len(contexts) - 1} is needed")
        if probabilities is None:
            return int(arm), np.eye(len(contexts))[arm]
        given = np.asarray(probabilities, np.float64)
        if given.shape != (len(contexts),) or not (given >= 0).all() or abs(given.sum() - 1) > 1e-6 or not given[arm] > 0:
            raise ContractError(f"select() gave the probabilities {given}: one per arm is needed, they sum to 1, the arm's is above 0")
        return int(arm), given

    def learn(self, context: NDArray[np.float64], reward: float, arm: int) -> None:
        if self._with_arm:
            self._policy.learn(context, reward, arm=arm)
        else:
            self._policy.learn(context, reward)
