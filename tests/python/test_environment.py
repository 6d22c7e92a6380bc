"""What holds for every world the factory knows."""

import itertools
import os

import numpy as np
import pytest

import neuralts


@pytest.fixture
def env(environment_name):
    try:
        return neuralts.Environment(environment_name)
    except neuralts.NotFoundError as missing:
        if "NEURALTS_DATA" in os.environ:
            raise
        pytest.skip(str(missing))


def test_rounds(env):
    for round in itertools.islice(env.start(seed=3), 5):
        arms = len(round.arms)
        assert 1 <= arms <= env.max_arms
        assert round.contexts.shape == ((env.dim,) if env.arms > 1 else (arms, env.dim))
        assert round.expected is None or round.expected.shape == (arms,)
        assert round.reward(0) == round.reward(0)
        with pytest.raises(neuralts.ContractError, match="there is no arm"):
            round.reward(arms)


def test_an_episode_is_a_function_of_its_seed(env):
    def seen(seed):
        return [(r.contexts.tolist(), r.reward(0)) for r in itertools.islice(env.start(seed), 5)]

    assert seen(1) == seen(1)
    assert seen(1) != seen(2)


def test_what_a_round_gave_is_the_callers():
    episode = neuralts.Environment("quadratic").start(1)
    first = next(episode).contexts
    kept = first.copy()
    next(episode)
    assert np.array_equal(first, kept)


def test_an_episode_must_be_started():
    episode = neuralts.Environment("quadratic").start(1)
    with pytest.raises(neuralts.ContractError, match="no round is under way"):
        episode.contexts


def test_parameters_in_the_text_and_beside_it():
    assert neuralts.Environment("quadratic:dim=3", arms=2).dim == 3
    assert neuralts.Environment("quadratic:dim=3", arms=2).max_arms == 2
    with pytest.raises(neuralts.BadSpecError, match="did you mean 'quadratic'"):
        neuralts.Environment("quadratik")
