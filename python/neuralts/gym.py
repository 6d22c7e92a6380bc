"""Every world as a gymnasium environment: reset() gives (observation, info), step() the true five-tuple.

Works without gymnasium; where it is installed, ``BanditEnv`` is one of its environments and has its spaces.

>>> from neuralts.gym import BanditEnv
>>> env = BanditEnv("quadratic:dim=3,arms=2", rounds=2)
>>> observation, info = env.reset(seed=1)
>>> observation.shape
(2, 3)
>>> observation, reward, terminated, truncated, info = env.step(0)
>>> (terminated, truncated), env.step(1)[2:4]
((False, False), (False, True))
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from neuralts._core import Environment, Episode
from neuralts.errors import ContractError

if TYPE_CHECKING:
    _Base = object
else:
    try:
        from gymnasium import Env as _Base
    except ImportError:
        _Base = object

Observation = NDArray[np.float64]


class BanditEnv(_Base):
    """One round a step. The observation is a matrix with a row per arm (rows of arms not offered are 0), or the one x that all
    arms share; ``info["action_mask"]`` says which arms may be played. ``terminated``: the world has no more rounds;
    ``truncated``: the horizon is reached. A round whose reward a log does not hold pays 0 and has ``info["counted"]`` False.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, env: Union[str, Environment], *, rounds: Optional[int] = None) -> None:
        self._env = Environment(env) if isinstance(env, str) else env
        if self._env.max_arms == 0:
            raise ContractError(f"{self._env.label}: an observation needs to know the most arms of a round: declare max_arms=")
        self._rounds = rounds or self._env.rounds
        self._seed = 0
        self._episode: Optional[Episode] = None
        self._played = 0

    @property
    def action_space(self) -> Any:
        from gymnasium.spaces import Discrete

        return Discrete(self._env.max_arms)

    @property
    def observation_space(self) -> Any:
        from gymnasium.spaces import Box

        return Box(-math.inf, math.inf, shape=self._shape, dtype=np.float64)

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Observation, dict[str, Any]]:
        """Starts the episode of ``seed``; without one, the episode after the last."""
        self._seed = self._seed + 1 if seed is None else seed
        self._episode = self._env.start(self._seed)
        self._played = 0
        next(self._episode)
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an arm: (observation of the next round, reward, terminated, truncated, info)."""
        if self._episode is None:
            raise ContractError("no episode is under way: call reset() first")
        arm = self._position(int(action))
        reward, expected = self._episode.reward(int(action)), self._episode.expected
        self._played += 1
        before = self._observe()
        terminated = next(self._episode, None) is None
        truncated = not terminated and self._played >= self._rounds
        paid = {"counted": reward is not None, "regret": None if expected is None else float(expected.max() - expected[arm])}
        observation, info = (before, {}) if terminated else (self._observe(), self._info())
        if terminated or truncated:
            self._episode = None
        return observation, reward or 0.0, terminated, truncated, {**info, **paid}

    def render(self) -> None:
        """There is nothing to see."""

    def close(self) -> None:
        self._episode = None

    @property
    def _shape(self) -> tuple[int, ...]:
        return (self._env.dim,) if self._env.arms > 1 else (self._env.max_arms, self._env.dim)

    def _observe(self) -> Observation:
        assert self._episode is not None
        contexts = self._episode.contexts
        if contexts.shape == self._shape:
            return contexts
        return np.pad(contexts, ((0, self._shape[0] - len(contexts)), (0, 0)))

    def _info(self) -> dict[str, Any]:
        assert self._episode is not None
        mask = np.zeros(self._env.max_arms, dtype=np.int8)
        mask[self._episode.arms] = 1
        return {"action_mask": mask}

    def _position(self, action: int) -> int:
        assert self._episode is not None
        offered = self._episode.arms
        if action not in offered:
            raise ContractError(f"arm {action} is not offered in this round; offered: {offered}")
        return offered.index(action)
