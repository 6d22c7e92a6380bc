"""The golden numbers, through the package's own interface."""

import json

import numpy as np
import pytest

import neuralts


def load(golden_dir, name):
    return json.loads((golden_dir / name).read_text())


@pytest.mark.parametrize(
    "name, policy, params",
    [
        ("linear.json", "linear-ucb", {}),
        ("linear.json", "linear-ts", {}),
        ("kernel_laplacian.json", "kernel-ucb", {"kernel": "laplacian"}),
        ("kernel_rbf.json", "kernel-ucb", {"kernel": "rbf"}),
        ("kernel_rbf.json", "kernel-ts", {"kernel": "rbf"}),
    ],
)
def test_beliefs(golden_dir, name, policy, params):
    golden = load(golden_dir, name)
    features, rewards, query = (np.array(golden[key]) for key in ("X", "r", "query"))
    p = neuralts.Policy(policy, dim=features.shape[1], **{"lambda": golden["lambda"], **params})
    for x, r in zip(features, rewards):
        p.played(x)
        p.learn(x, r)
    d = p.select(query, seed=1)
    assert np.allclose(d.mean, golden["mean"], rtol=0, atol=1e-8)
    assert np.allclose(d.width**2, golden["variance"], rtol=0, atol=1e-8)


def test_thompson_propensities(golden_dir):
    """A ridge belief with one number per arm can be led to any mean and width: after one round with reward r it believes
    x r / 2 with variance x^2 / 2 of a context x."""
    for case in load(golden_dir, "thompson_propensity.json")["cases"]:
        mean, sigma = np.array(case["mean"]), np.array(case["sigma"])
        arms = len(mean)
        p = neuralts.Policy("linear-ts", dim=arms, nu=1, draw="independent", **{"lambda": 1})
        x = sigma * np.sqrt(2)
        for arm, reward in enumerate(2 * mean / x):
            p.played(np.eye(arms)[arm])
            p.learn(np.eye(arms)[arm], reward)
        d = p.select(np.diag(x), seed=1)
        assert np.allclose(d.mean, mean, rtol=0, atol=1e-12) and np.allclose(d.width, sigma, rtol=0, atol=1e-12)
        assert np.allclose(d.probabilities, case["propensity"], rtol=0, atol=1e-8)


def test_theory(golden_dir):
    golden = load(golden_dir, "ntk.json")
    contexts, expected = np.array(golden["X"]), np.array(golden["h"])
    arms = golden["K"]
    rounds = [(contexts[i : i + arms], expected[i : i + arms]) for i in range(0, len(contexts), arms)]
    env = neuralts.Environment(lambda seed: rounds, dim=contexts.shape[1], max_arms=arms, rounds=golden["T"])
    for case in golden["cases"]:
        assert np.allclose(neuralts.tangent_kernel(contexts, case["L"]), case["H"], rtol=0, atol=1e-8)
        a = neuralts.analyse(env, rounds=golden["T"], depth=case["L"], lambda_=golden["lambda"], delta=golden["delta"], noise=golden["R"])
        for key in ("lambda_0", "effective_dimension", "B", "nu"):
            assert getattr(a, key) == pytest.approx(case[key], rel=1e-8), key
        assert a.spectrum.sum() == pytest.approx(np.trace(case["H"]))
