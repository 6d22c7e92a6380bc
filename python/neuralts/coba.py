"""A learner for coba's experiments.

coba asks a learner to ``predict(context, actions)`` and to ``learn(context, action, reward, probability)``; nothing of coba is
imported here.

>>> from neuralts.coba import Learner
>>> learner = Learner("random", seed=3)
>>> action, probability, info = learner.predict((0.5, 1.0), ["stay", "go"])
>>> action in ["stay", "go"], probability
(True, 0.5)
>>> learner.learn((0.5, 1.0), action, 1.0, probability, **info)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from neuralts._core import Decision, Policy
from neuralts.errors import ContractError

_Params = Union[str, int, float, bool, None]
_LARGEST = 1024  # numbers of an arm's vector


class Learner:
    """A policy as a coba learner, made when the first round shows how long its contexts are.

    Actions that are tuples of numbers are features: an arm sees (1; context) x (1; action), that is a constant, the context, the
    action and all their products, so that what an action is worth may depend on the context for a linear policy, too. Any other
    actions are names: every arm sees (1; context), in a block of its own, and ``arms`` says how many there may be (the first
    round's by default).
    """

    def __init__(self, policy: str = "neural-ts", *, seed: int = 1, preset: str = "", arms: Optional[int] = None, **params: _Params) -> None:
        self._name, self._seed, self._preset, self._arms, self._params = policy, seed, preset, arms, params
        self._policy: Optional[Policy] = None
        self._blocks: Optional[dict[Hashable, int]] = None

    @property
    def params(self) -> dict[str, Any]:
        """What coba writes into its tables."""
        return {"family": self._name, "seed": self._seed, "preset": self._preset, **self._params}

    def predict(self, context: Any, actions: Sequence[Any]) -> tuple[Any, float, dict[str, Any]]:
        """The action chosen, its probability, and what learn() takes beside them (nothing)."""
        decision = self._decide(context, actions)
        return actions[decision.position], decision.probability, {}

    def score(self, context: Any, actions: Sequence[Any], action: Any) -> float:
        """The probability with which the policy would choose ``action``."""
        return float(self._decide(context, actions, seed=self._seed).probabilities[list(actions).index(action)])

    def learn(self, context: Any, action: Any, reward: float, probability: float, **info: Any) -> None:
        """Learns the reward of an action that this or another policy chose."""
        policy = self._made_for(context, [action])
        if self._blocks is None:
            policy.learn(_joined(context, action), reward)
        else:
            policy.learn(_numbers(context), reward, arms=self._block(action))

    def _decide(self, context: Any, actions: Sequence[Any], seed: Optional[int] = None) -> Decision:
        policy = self._made_for(context, actions)
        if self._blocks is None:
            return policy.select(np.stack([_joined(context, action) for action in actions]), seed=seed)
        return policy.select_disjoint(_numbers(context), [self._block(action) for action in actions], seed=seed)

    def _made_for(self, context: Any, actions: Sequence[Any]) -> Policy:
        if self._policy is None:
            features = _is_vector(actions[0])
            dim = len(_joined(context, actions[0])) if features else len(_numbers(context))
            self._blocks = None if features else {}
            arms = 1 if features else self._arms or len(actions)
            self._policy = Policy(self._name, dim=dim, arms=arms, seed=self._seed, preset=self._preset, weights=None, **self._params)
        return self._policy

    def _block(self, action: Hashable) -> int:
        assert self._blocks is not None and self._policy is not None
        block = self._blocks.setdefault(action, len(self._blocks))
        if block >= self._policy.arms:
            del self._blocks[action]
            raise ContractError(f"action {action!r} is new, and the learner was made for {self._policy.arms} actions: give it arms=")
        return block


def _is_vector(thing: Any) -> bool:
    return isinstance(thing, (tuple, list, np.ndarray))


def _flat(thing: Any) -> Iterator[float]:
    if _is_vector(thing):
        for part in thing:
            yield from _flat(part)
    elif isinstance(thing, (str, dict)):
        raise ContractError(f"{thing!r} is not a number: encode text and sparse contexts before they reach the learner")
    else:
        yield float(thing)


def _numbers(context: Any) -> NDArray[np.float64]:
    """A context after the constant 1, which is all that a world without contexts shows."""
    return np.array([1.0, *([] if context is None else _flat(context))])


def _joined(context: Any, action: Any) -> NDArray[np.float64]:
    """(1; c) x (1; a). Products beyond the largest size are sketched: product (i, j) is added, with a sign, to slot h(i) + g(j)."""
    c, a = _numbers(context), np.array([1.0, *_flat(action)])
    whole = np.outer(c, a)
    if whole.size <= _LARGEST:
        return whole.ravel()
    (h, s), (g, t) = _slots(len(c), 1), _slots(len(a), 2)
    sketched = np.zeros(_LARGEST - len(c) - len(a) + 1)
    products = (whole * np.outer(s, t))[1:, 1:]
    np.add.at(sketched, np.add.outer(h[1:], g[1:]) % len(sketched), products)
    return np.concatenate([c, a[1:], sketched])


def _slots(size: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    numbers = np.random.default_rng(seed)
    return numbers.integers(0, 2**31, size), numbers.choice([-1.0, 1.0], size)
