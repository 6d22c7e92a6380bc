"""Every world against gymnasium's conventions."""

import numpy as np
import pytest

import neuralts
from neuralts.gym import BanditEnv


def any_arm(info):
    return int(np.flatnonzero(info["action_mask"])[-1])


def test_five_tuples(world):
    env = BanditEnv(world, rounds=4)
    observation, info = env.reset(seed=1)
    for t in range(1, 5):
        shape = observation.shape
        observation, reward, terminated, truncated, info = env.step(any_arm(info))
        assert observation.shape == shape and isinstance(reward, float) and isinstance(info, dict)
        assert (terminated, truncated) == (False, t == 4)
    with pytest.raises(neuralts.ContractError, match="call reset"):
        env.step(0)


def test_reset_with_a_seed_repeats_and_without_goes_on():
    env = BanditEnv("quadratic")
    first = env.reset(seed=5)[0]
    other = env.reset()[0]
    assert np.array_equal(env.reset(seed=5)[0], first) and not np.array_equal(other, first)
    assert np.array_equal(env.reset()[0], other)


def test_a_world_that_ends_terminates():
    env = BanditEnv(neuralts.Environment([[1, 0], [0, 1]], ["a", "b"]), rounds=10)
    _, info = env.reset()
    assert env.step(0)[2:4] == (False, False)
    observation, reward, terminated, truncated, info = env.step(1)
    assert (terminated, truncated) == (True, False) and observation.shape == (2,)
    assert info["regret"] == 1 - reward


def test_an_arm_that_is_not_offered():
    env = BanditEnv("quadratic:arms=2")
    env.reset()
    with pytest.raises(neuralts.ContractError, match="arm 2 is not offered"):
        env.step(2)


def test_gymnasium_itself_accepts_it():
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    check_env(BanditEnv("quadratic"), skip_render_check=True)
