"""Bandits in the manner of scikit-learn: fit on what was played and paid, predict what to play.

Follows scikit-learn's conventions (get_params, trailing underscores, clone) without importing it.

>>> import numpy as np
>>> from neuralts.estimator import BanditClassifier
>>> X, a, r = np.eye(2), ["left", "right"], [1.0, 0.0]
>>> model = BanditClassifier("random").fit(X, a, r)
>>> model.predict_proba(X).tolist()
[[0.5, 0.5], [0.5, 0.5]]
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neuralts._core import Decision, Policy, refuse_missing
from neuralts.errors import ContractError

_SETTINGS = ("policy", "seed", "preset", "params")


class NotFittedError(ValueError, AttributeError):
    """Asked for an answer before the first fit(), as scikit-learn calls it."""


class BanditClassifier:
    """A policy over arms that share one x. ``params`` are the policy's own parameters."""

    classes_: NDArray[Any]
    n_features_in_: int
    policy_: Policy
    _drawn = 0  # decisions drawn by predict(): each has a seed of its own

    def __init__(self, policy: str = "neural-ts", *, seed: int = 1, preset: str = "", params: Optional[Mapping[str, Any]] = None) -> None:
        self.policy, self.seed, self.preset, self.params = policy, seed, preset, params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}

    def set_params(self, **settings: Any) -> BanditClassifier:
        for name, value in settings.items():
            if name not in _SETTINGS:
                raise ValueError(f"invalid parameter {name!r}; valid ones are {', '.join(_SETTINGS)}")
            setattr(self, name, value)
        return self

    def fit(self, X: ArrayLike, a: ArrayLike, r: ArrayLike) -> BanditClassifier:
        """Forgets everything and learns that arm ``a[i]`` paid ``r[i]`` where ``X[i]`` was seen."""
        refuse_missing(a, "a")
        if hasattr(self, "policy_"):
            del self.policy_
        return self.partial_fit(X, a, r, classes=np.unique(np.asarray(a)))

    def partial_fit(self, X: ArrayLike, a: ArrayLike, r: ArrayLike, classes: Optional[ArrayLike] = None) -> BanditClassifier:
        """Learns more rounds. The first call needs ``classes``: every arm there is."""
        rows = _matrix(X)
        if not hasattr(self, "policy_"):
            if classes is None:
                raise ContractError("the first partial_fit() needs classes=: every arm there is")
            refuse_missing(classes, "classes")
            self.classes_ = np.unique(np.asarray(classes))
            self.n_features_in_ = rows.shape[1]
            self.policy_ = Policy(
                self.policy, dim=rows.shape[1], arms=len(self.classes_), seed=self.seed, preset=self.preset, **dict(self.params or {})
            )
            self._drawn = 0
        self.policy_.learn(rows, r, arms=self._positions(a))
        return self

    def predict(self, X: ArrayLike, exploit: bool = False) -> NDArray[Any]:
        """The arm the policy plays for each row; with ``exploit`` the one it believes to be best."""
        if exploit:
            best: NDArray[Any] = self.classes_[self.decision_function(X).argmax(axis=1)]
            return best
        decisions = self._decide(X, first=self._drawn)
        self._drawn += len(decisions)
        chosen: NDArray[Any] = self.classes_[[d.arm for d in decisions]]
        return chosen

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability with which the policy would play each arm, a row per row of ``X``."""
        return np.array([d.probabilities for d in self._decide(X)]).reshape(-1, len(self.classes_))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The believed reward of each arm, a row per row of ``X``."""
        return np.array([d.mean for d in self._decide(X)]).reshape(-1, len(self.classes_))

    def _decide(self, X: ArrayLike, first: int = 0) -> list[Decision]:
        if not hasattr(self, "policy_"):
            raise NotFittedError("this BanditClassifier is not fitted yet: call fit() or partial_fit() first")
        base = (self.seed << 32) + first
        return [self.policy_.select_disjoint(x, seed=base + i) for i, x in enumerate(_matrix(X))]

    def _positions(self, a: ArrayLike) -> NDArray[np.int64]:
        given = np.atleast_1d(np.asarray(a))
        unknown = np.setdiff1d(given, self.classes_)
        if unknown.size:
            raise ContractError(f"unknown arm {unknown[0]!r}; known: {', '.join(map(str, self.classes_))}")
        positions: NDArray[np.int64] = np.searchsorted(self.classes_, given)
        return positions


def _matrix(X: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ContractError(f"X of shape {rows.shape}: a matrix with a row per round is needed")
    return rows
