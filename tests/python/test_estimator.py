"""The estimator against scikit-learn's conventions."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import neuralts
from neuralts.estimator import BanditClassifier, NotFittedError


@pytest.fixture
def log():
    """300 rounds; the right arm is the sign of the first number."""
    numbers = np.random.default_rng(2)
    features = numbers.normal(size=(300, 3))
    played = numbers.choice(["minus", "plus"], size=300)
    return features, played, ((features[:, 0] > 0) == (played == "plus")).astype(float)


def test_fit_predict(log):
    model = BanditClassifier("linear-ts", params={"nu": 0.05})
    assert model.fit(*log) is model
    assert model.classes_.tolist() == ["minus", "plus"] and model.n_features_in_ == 3
    best = np.where(log[0][:, 0] > 0, "plus", "minus")
    assert (model.predict(log[0], exploit=True) == best).mean() > 0.9
    assert (model.predict(log[0]) == best).mean() > 0.8


def test_probabilities_and_beliefs(log):
    model = BanditClassifier("linear-ts").fit(*log)
    probabilities = model.predict_proba(log[0][:7])
    assert probabilities.shape == model.decision_function(log[0][:7]).shape == (7, 2)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert model.predict_proba(log[0][:0]).shape == (0, 2)
    plays = np.array([model.predict(log[0][:7]) == "plus" for _ in range(400)]).mean(axis=0)
    # 400 draws: the standard error is at most 0.025, five of them bound all seven
    assert np.abs(plays - probabilities[:, 1]).max() < 0.125


def test_partial_fit_goes_on_and_fit_starts_over(log):
    features, played, paid = log
    whole = BanditClassifier("linear-ucb").fit(*log)
    parts = BanditClassifier("linear-ucb")
    for part in np.array_split(np.arange(300), 4):
        parts.partial_fit(features[part], played[part], paid[part], classes=["plus", "minus"])
    assert np.allclose(parts.decision_function(features), whole.decision_function(features))
    again = parts.fit(*log).decision_function(features)
    assert np.array_equal(again, whole.decision_function(features))


def test_conventions(log):
    model = BanditClassifier("linear-ts", seed=3, params={"nu": 0.5})
    names = set(inspect.signature(BanditClassifier.__init__).parameters) - {"self"}
    assert set(model.get_params()) == names
    clone = BanditClassifier(**model.get_params())
    assert clone.get_params() == model.get_params()
    assert clone.set_params(seed=4) is clone and clone.seed == 4
    with pytest.raises(ValueError, match="invalid parameter 'sed'"):
        clone.set_params(sed=1)
    with pytest.raises(NotFittedError):
        clone.predict(log[0])
    fitted = model.fit(*log)
    for twin in (copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
        assert np.array_equal(twin.predict_proba(log[0]), fitted.predict_proba(log[0]))


def test_scikit_learn_itself_can_clone_it(log):
    sklearn = pytest.importorskip("sklearn.base")
    assert sklearn.clone(BanditClassifier("random", seed=9)).seed == 9


def test_what_it_cannot_take(log):
    features, played, paid = log
    with pytest.raises(neuralts.ContractError, match="needs classes="):
        BanditClassifier("random").partial_fit(*log)
    model = BanditClassifier("random").fit(*log)
    with pytest.raises(neuralts.ContractError, match="unknown arm 'sideways'"):
        model.partial_fit(features[:1], ["sideways"], [1.0])
    with pytest.raises(neuralts.ContractError, match="row per round"):
        model.predict(features[0])
    with pytest.raises(neuralts.ContractError, match="rewards of shape"):
        model.partial_fit(features, played, paid[:-1])


def test_with_scikit_learn_itself(log):
    """Its own clone, check_is_fitted, ParameterGrid and Pipeline take the estimator for one of theirs."""
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")
    from sklearn.exceptions import NotFittedError as Theirs
    from sklearn.model_selection import ParameterGrid
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.validation import check_is_fitted

    features, played, rewards = log
    model = BanditClassifier("linear-ts", seed=5, params={"nu": 0.1})
    with pytest.raises(Theirs):
        check_is_fitted(model)
    model.fit(*log)
    check_is_fitted(model)
    again = base.clone(model)
    assert again.get_params() == model.get_params() and not hasattr(again, "policy_")
    for settings in ParameterGrid({"policy": ["linear-ucb", "linear-ts"], "seed": [1, 2]}):
        assert again.set_params(**settings).get_params()["policy"] == settings["policy"]
    pipeline = make_pipeline(StandardScaler(), BanditClassifier("linear-ucb"))
    pipeline.fit(features, played, banditclassifier__r=rewards)
    best = np.where(features[:, 0] > 0, "plus", "minus")
    assert (pipeline.predict(features, exploit=True) == best).mean() > 0.9
    assert pipeline.predict_proba(features[:5]).shape == (5, 2)
