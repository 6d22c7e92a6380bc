"""What holds for every world the factory knows."""

import itertools

import numpy as np
import pytest

import neuralts
from neuralts.estimator import BanditClassifier


def test_rounds(world):
    for round in itertools.islice(world.start(seed=3), 5):
        arms = len(round.arms)
        assert 1 <= arms <= world.max_arms
        assert round.contexts.shape == ((world.dim,) if world.arms > 1 else (arms, world.dim))
        assert round.expected is None or round.expected.shape == (arms,)
        first = round.arms[0]
        assert round.reward(first) == round.reward(first)
        with pytest.raises(neuralts.ContractError, match="there is no arm"):
            round.reward(max(round.arms) + 1)


def test_an_episode_is_a_function_of_its_seed(world, environment_name):
    def seen(seed):
        return [(r.contexts.tolist(), r.reward(r.arms[0])) for r in itertools.islice(world.start(seed), 5)]

    assert seen(1) == seen(1)
    assert (seen(1) == seen(2)) == (environment_name == "log")  # what was logged has one order


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


def test_arrays_become_a_world():
    features = np.array([[3.0, 4.0], [0.0, 2.0], [np.nan, 0.0]])
    env = neuralts.Environment(features, ["b", "a", "b"], name="mine")
    assert (env.name, env.dim, env.arms, env.max_rounds, env.arm_labels) == ("mine", 2, 2, 3, ["a", "b"])
    rounds = {tuple(r.contexts.round(6)): r.expected.tolist() for r in env.start(1)}
    assert rounds == {(0.6, 0.8): [0, 1], (0, 1): [1, 0], (-1, 0): [0, 1]}


def test_a_number_beyond_a_float_is_named_with_its_place():
    features = np.eye(3)
    features[1, 2] = 1e300
    with pytest.raises(neuralts.ContractError, match="mine, row 1 from 0, column x2: it is 1e.?300: finite numbers that fit a float") as refused:
        neuralts.Environment(features, ["b", "a", "b"], name="mine")
    assert len(str(refused.value)) < 150


def test_frames_lend_their_column_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"height": [1, 2], "weight": [3, 4]})
    env = neuralts.Environment(frame, pandas.Series([True, False]), normalise="none")
    assert env.column_names == ["height", "weight"] and env.arm_labels == ["False", "True"]
    assert sorted(r.contexts.tolist() for r in env.start(1)) == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    "features, labels, exception, text",
    [
        (np.ones(3), [0, 1, 0], neuralts.ContractError, r"X of shape \(3,\)"),
        (np.ones((3, 2)), [0, 1], neuralts.ContractError, "3 rows but y has 2 labels"),
        (np.ones((2, 2)), [1, 1], neuralts.BadInputError, "same class '1'"),
        (np.ones((0, 2)), [], neuralts.BadInputError, "no rows"),
        (np.ones((2, 0)), [0, 1], neuralts.BadInputError, "no feature columns"),
        ([[np.inf], [0]], [0, 1], neuralts.ContractError, "finite numbers"),
        ([["x"], ["y"]], [0, 1], TypeError, "X: real numbers are needed"),
    ],
)
def test_refused_arrays(features, labels, exception, text):
    with pytest.raises(exception, match=text):
        neuralts.Environment(features, labels)


@pytest.mark.parametrize(
    "labels",
    [["a", "b", None], ["a", "b", np.nan], [0, 1, np.nan], [0, 1, None], np.array(["a", "b", "nan"]), np.array([1, 2, "NaT"], "datetime64[D]"),
     np.ma.masked_array([0, 1, 2], [False, False, True])],
    ids=repr,
)  # fmt: skip
def test_a_missing_label_is_no_arm(labels):
    with pytest.raises(neuralts.ContractError, match="y: (label 2 is missing|some numbers are masked)"):
        neuralts.Environment(np.eye(3), labels)
    with pytest.raises(neuralts.ContractError, match="a: (label 2 is missing|some numbers are masked)"):
        BanditClassifier("random").fit(np.eye(3), labels, np.ones(3))


def test_frames_may_lack_labels_in_their_own_way():
    pandas = pytest.importorskip("pandas")
    for labels in (pandas.Series(["a", "b", pandas.NA]), pandas.Series(["a", "b", None], dtype="category"), pandas.array([1, 2, None], "Int64")):
        with pytest.raises(neuralts.ContractError, match="label 2 is missing"):
            neuralts.Environment(np.eye(3), labels)


def test_refused_array_parameters():
    with pytest.raises(neuralts.BadSpecError, match="normalise"):
        neuralts.Environment([[1], [2]], [0, 1], normalize="none")
