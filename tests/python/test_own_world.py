"""Worlds written in Python."""

import gc
import weakref

import numpy as np
import pytest

import neuralts
from neuralts.gym import BanditEnv


def coins(seed):
    numbers = np.random.default_rng(seed)
    while True:
        yield np.eye(3), (numbers.random(3) < [0.2, 0.5, 0.8]).astype(float), [0.2, 0.5, 0.8]


def first(start, **settings):
    return next(neuralts.Environment(start, **{"dim": 3, "max_arms": 3, **settings}).start(1))


def test_a_generator_is_a_world():
    env = neuralts.Environment(coins, dim=3, max_arms=3, rounds=50, name="coins")
    assert (env.name, env.rounds, env.max_arms, env.arms) == ("coins", 50, 3, 1)
    round = next(env.start(7))
    numbers = np.random.default_rng(7).random(3)
    assert [round.reward(k) for k in range(3)] == (numbers < [0.2, 0.5, 0.8]).astype(float).tolist()
    assert round.expected.tolist() == [0.2, 0.5, 0.8] and round.contexts.tolist() == np.eye(3).tolist()


def test_rewards_stand_for_expected_ones():
    assert first(lambda seed: [(np.eye(3), [1, 0, 0])]).expected.tolist() == [1, 0, 0]


def test_arms_may_share_one_x():
    round = first(lambda seed: [([1, 2, 3], [0, 1])], arms=2, max_arms=2)
    assert round.contexts.tolist() == [1, 2, 3] and round.arms == [0, 1]


def test_a_list_ends():
    assert len(list(neuralts.Environment(lambda seed: [(np.eye(3), [0, 0, 0])] * 4, dim=3).start())) == 4


@pytest.mark.parametrize(
    "start, exception, text",
    [
        (lambda seed: 1 / 0, neuralts.BadInputError, "environment own: ZeroDivisionError"),
        (lambda seed: 3, neuralts.BadInputError, "not iterable"),
        (lambda seed: [3], neuralts.BadInputError, "not iterable"),
        (lambda seed: [(np.eye(3),)], neuralts.ContractError, "a round is"),
        (lambda seed: [(np.eye(3), [1])], neuralts.ContractError, r"rewards of shape \(1,\): one per arm is needed, 3 in all"),
        (lambda seed: [(np.eye(3), [1, 1, 1], [1])], neuralts.ContractError, "expected rewards of shape"),
        (lambda seed: [(np.eye(2), [1, 1])], neuralts.ContractError, "each of 3 numbers"),
        (lambda seed: [(np.full((3, 3), np.nan), [1, 1, 1])], neuralts.ContractError, "not finite"),
        (lambda seed: [("abc", [1, 1, 1])], neuralts.BadInputError, "real numbers are needed"),
        (lambda seed: [(np.eye(3), [0, 0, 0], [0, np.nan, 0])], neuralts.BadInputError, "own, round 1: the expected reward of arm 1 is nan"),
        (lambda seed: [(np.eye(3), [0, 0, np.inf])], neuralts.BadInputError, "expected reward of arm 2 is inf"),
        (lambda seed: [(np.ones((4, 3)), np.zeros(4))], neuralts.BadInputError, "round 1: 4 arms are offered, declared are at most 3"),
    ],
)
def test_what_a_world_may_not_do(start, exception, text):
    with pytest.raises(exception, match=text):
        first(start)


def test_a_reward_that_is_none_is_refused_when_it_is_asked_for():
    round = first(lambda seed: [(np.eye(3), [0, np.nan, 1], [0, 0.5, 1])])
    assert round.reward(2) == 1
    with pytest.raises(neuralts.BadInputError, match="own, round 1: the reward of arm 1 is nan"):
        round.reward(1)


def test_a_world_whose_expectations_are_none_costs_its_own_runs_only(tmp_path):
    def broken(seed):
        yield from ((np.eye(3), [0, 0, 1], [0, 0, np.nan if t == 4 else 1]) for t in range(9))

    worlds = [neuralts.Environment(broken, dim=3, max_arms=3, name="broken"), "quadratic:dim=3"]
    with pytest.warns(RuntimeWarning, match="broken, round 5: the expected reward of arm 2 is nan"):
        results = neuralts.run(worlds, "random", seeds=2, rounds=9, results=tmp_path, progress=False)
    assert [bool(run.error) for run in results] == [True, True, False, False]
    assert len(neuralts.Results.load(tmp_path)) == 4


def test_what_is_not_declared_is_not_limited():
    env = neuralts.Environment(lambda seed: [(np.eye(3), [0, 0, 1])], dim=3)
    assert env.max_arms == 0 and len(next(env.start()).arms) == 3
    with pytest.raises(neuralts.ContractError, match="declare max_arms="):
        BanditEnv(env)


def test_a_world_that_fails_later():
    def start(seed):
        yield np.eye(3), [1, 1, 1]
        raise RuntimeError("the sensor is gone")

    episode = neuralts.Environment(start, dim=3).start()
    next(episode)
    with pytest.raises(neuralts.BadInputError, match="the sensor is gone"):
        next(episode)


def test_nothing_is_kept_alive():
    class Start:
        def __call__(self, seed):
            return coins(seed)

    start = Start()
    seen = weakref.ref(start)
    env = neuralts.Environment(start.__call__, dim=3, max_arms=3)
    episode = env.start()
    next(episode)
    del start, env, episode
    gc.collect()
    assert seen() is None
