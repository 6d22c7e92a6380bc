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
    p = neuralts.Policy(policy, dim=features.shape[1], preset="paper", **{"lambda": golden["lambda"], **params})
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
        p = neuralts.Policy("linear-ts", dim=arms, preset="paper", nu=1, draw="independent", **{"lambda": 1})
        x = sigma * np.sqrt(2)
        for arm, reward in enumerate(2 * mean / x):
            p.played(np.eye(arms)[arm])
            p.learn(np.eye(arms)[arm], reward)
        d = p.select(np.diag(x), seed=1)
        assert np.allclose(d.mean, mean, rtol=0, atol=1e-12) and np.allclose(d.width, sigma, rtol=0, atol=1e-12)
        assert np.allclose(d.probabilities, case["propensity"], rtol=0, atol=1e-8)


def near(found, expected):
    expected = np.asarray(expected)
    return np.all(np.abs(found - expected) <= 1e-8 * np.maximum(1, np.abs(expected)))


def replay(policy, golden, factor, upper=False, contexts_of=lambda round: np.array(round["contexts"])):
    """Plays the recorded rounds: what the policy says before each, and the arm that its numbers and the recorded normals choose."""
    for round, expect in zip(golden["rounds"], golden["expect"]):
        contexts = contexts_of(round)
        d = policy.select(contexts, seed=1)
        score = d.mean + factor * d.width * (1 if upper else np.array(round["normals"]))
        assert near(d.mean, expect["mean"])
        if "variance" in expect:
            assert near(d.width**2, expect["variance"])
        if "sigma" in expect:
            assert near(factor * d.width, expect["sigma"])
        assert near(score, expect["sampled" if "sampled" in expect else "score"])
        arm = int(np.argmax(score))
        assert arm == expect["arm"]
        policy.played(contexts[arm])
        policy.learn(contexts[arm], round["rewards"][arm])


def paper_policy(golden, weights, dim):
    return neuralts.Policy(
        "neural-ts", dim=dim, preset="paper", weights=golden[weights], units=golden["m"], depth=golden["L"], nu=golden["nu"], step=golden["eta"],
        iterations=golden["J"], start=golden["start"], posterior=golden["posterior"], precision="float64", **{"lambda": golden["lambda"]},
    )


def test_algorithm_1(golden_dir):
    files = sorted(golden_dir.glob("algorithm1_*.json"))
    assert files
    for file in files:
        golden = load(golden_dir, file.name)
        replay(paper_policy(golden, "W0", golden["d"]), golden, golden["nu"])


def test_doubled_contexts(golden_dir):
    golden = load(golden_dir, "doubling_equivalence.json")
    replay(paper_policy(golden, "W0_plain", golden["d"]), golden, golden["nu"])
    doubled = lambda round: np.hstack([round["contexts"], round["contexts"]]) / np.sqrt(2)
    replay(paper_policy(golden, "W0_doubled", 2 * golden["d"]), golden, golden["nu"], contexts_of=doubled)


def test_released_code(golden_dir):
    files = sorted(golden_dir.glob("released_code_*.json"))
    assert files
    for file in files:
        golden = load(golden_dir, file.name)
        p = neuralts.Policy(
            "neural-ts", dim=golden["d"], preset="released", weights=golden["theta0"], units=golden["m"], nu=golden["nu"], step=golden["lr"],
            iterations=golden["J"], precision="float64", **{"lambda": golden["lambda"]},
        )
        replay(p, golden, np.sqrt(golden["nu"]), upper=golden["style"] == "ucb")


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
