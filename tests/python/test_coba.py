"""The learner against the shapes coba asks for."""

import numpy as np
import pytest

import neuralts
from neuralts.coba import Learner


def test_prediction_has_cobas_shape():
    learner = Learner("random", seed=4)
    actions = ["a", "b", "c"]
    action, probability, info = learner.predict((1, 2.0), actions)
    assert action in actions and probability == pytest.approx(1 / 3) and isinstance(info, dict)
    learner.learn((1, 2.0), action, 1.0, probability, **info)
    assert learner.score((1, 2.0), actions, "b") == pytest.approx(1 / 3)
    assert learner.params["family"] == "random" and learner.params["seed"] == 4


def test_it_learns_which_named_action_pays():
    learner = Learner("linear-ucb", seed=1, nu=0.1)
    for _ in range(40):
        action, probability, info = learner.predict(None, ["low", "high"])
        learner.learn(None, action, float(action == "high"), probability, **info)
    assert learner.score(None, ["low", "high"], "high") == 1


def test_it_learns_from_features_of_actions():
    learner = Learner("linear-ucb", seed=1, nu=0.1)
    numbers = np.random.default_rng(1)
    for _ in range(60):
        actions = [tuple(a) for a in numbers.normal(size=(5, 3))]
        action, probability, info = learner.predict(None, actions)
        learner.learn(None, action, action[0] - action[2], probability, **info)
    assert learner.predict(None, [(0, 9, 1), (1, 0, 0), (0, 0, 0)])[0] == (1, 0, 0)


def test_contexts_and_one_hot_actions_are_joined():
    learner = Learner("random")
    assert learner.predict(0.5, [(1, 0), (0, 1)])[1] == 0.5
    learner.learn(0.5, (0, 1), 1, 0.5)
    assert learner.predict(((1, 0),), [(1,), (0,)])[1] == 0.5


# Four arms, each with weights of its own over the context: without products every arm looks alike and chance earns 1/4.
@pytest.mark.parametrize("policy", ["linear-ucb", "linear-ts", "neural-ts"])
@pytest.mark.parametrize("named", [False, True])
def test_what_an_action_is_worth_depends_on_the_context(policy, named):
    numbers = np.random.default_rng(5)
    weights = numbers.normal(size=(4, 3))
    actions = ["a", "b", "c", "d"] if named else [tuple(row) for row in np.eye(4, dtype=int).tolist()]
    learner = Learner(policy, seed=1)
    earned = []
    for _ in range(600):
        context = tuple(numbers.normal(size=3))
        best = int(np.argmax(weights @ context))
        action, probability, info = learner.predict(context, actions)
        earned.append(float(actions.index(action) == best))
        learner.learn(context, action, earned[-1], probability, **info)
    assert np.mean(earned[300:]) > 0.6


def test_products_of_long_vectors_are_sketched():
    learner = Learner("linear-ts", seed=1)
    context, actions = tuple(range(100)), [tuple(row) for row in np.eye(40).tolist()]
    assert learner.predict(context, actions)[0] in actions
    assert learner._policy.dim == 1024


def test_logged_rounds_may_come_first():
    learner = Learner("random", arms=2)
    learner.learn((1, 2), "b", 1.0, 0.5)
    assert learner.predict((1, 2), ["a", "b"])[1] == 0.5


def test_what_it_cannot_take():
    learner = Learner("random")
    learner.predict((1, 2), ["a", "b"])
    with pytest.raises(neuralts.ContractError, match="'c' is new, and the learner was made for 2 actions"):
        learner.predict((1, 2), ["a", "c"])
    with pytest.raises(neuralts.ContractError, match="'hot' is not a number"):
        learner.predict((1, "hot"), ["a", "b"])
