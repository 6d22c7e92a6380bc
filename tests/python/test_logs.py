"""Logs, read back, against the shapes of Open Bandit Pipeline."""

import gzip

import numpy as np
import pytest

import neuralts

FLOWERS = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)


@pytest.fixture(params=["shared", "per arm"])
def log_path(request, tmp_path):
    """Twelve rounds of a world whose arms share one x, or have vectors of their own."""
    shared = request.param == "shared"
    world = neuralts.Environment(*FLOWERS) if shared else "quadratic:dim=4,arms=3"
    neuralts.log_run(world, "linear-ts", tmp_path / "log.jsonl", rounds=12, seed=3, nu=0.5, draw="independent")
    return tmp_path / "log.jsonl"


def test_rounds_read_back(log_path):
    log = neuralts.read_log(log_path)
    assert len(log) == 12 and log.n_arms == 3
    for round in log:
        assert round.contexts.shape in [(3,), (3, 4)] and round.arms == [0, 1, 2]
        assert round.probabilities.sum() == pytest.approx(1) and round.probability == round.probabilities[round.arm]


def test_a_log_is_the_run(tmp_path):
    run = neuralts.log_run("quadratic", "random", tmp_path / "log.jsonl", rounds=40, seed=2)
    log = neuralts.read_log(tmp_path / "log.jsonl")
    assert sum(r.reward for r in log) == pytest.approx(run.reward)
    assert neuralts.run("quadratic", "random", rounds=40, seeds=[2], progress=False)[0].regret == run.regret


def test_feedback_has_obps_shape(log_path):
    log = neuralts.read_log(log_path)
    feedback = neuralts.bandit_feedback(log_path)
    n, k = feedback["n_rounds"], feedback["n_actions"]
    assert (n, k) == (12, 3)
    assert feedback["context"].shape == (n, log.rounds[0].contexts.size)
    assert feedback["action"].dtype.kind == "i" and feedback["action"].max() < k
    assert feedback["pi_b"].shape == (n, k, 1) and np.allclose(feedback["pi_b"].sum(axis=1), 1)
    assert np.array_equal(feedback["pi_b"][np.arange(n), feedback["action"], 0], feedback["pscore"])
    assert feedback["reward"].tolist() == [r.reward for r in log]
    assert feedback["action_context"].shape == (k, k) and feedback["position"] is None


def test_packed_logs(log_path):
    packed = log_path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(log_path.read_bytes()))
    assert neuralts.bandit_feedback(packed)["reward"].tolist() == neuralts.bandit_feedback(log_path)["reward"].tolist()


def test_a_log_replays(log_path):
    run = neuralts.run(f"log:{log_path}", "random", seeds=1, progress=False)[0]
    assert not run.error and 0 < run.rounds <= 12


@pytest.mark.parametrize(
    "line, text",
    [
        ("{", ":3: this is not JSON"),
        ("3", ":3: a JSON object is needed"),
        ("{}", ":3: this is not a round"),
        ('{"contexts": [[1]], "arm": 1, "reward": 0, "probabilities": [1]}', ":3: arm 1 and 1 probabilities for 1 arms"),
        ('{"contexts": [[1], [2]], "arm": 1, "reward": 0, "probabilities": [1]}', ":3: arm 1 and 1 probabilities for 2 arms"),
        ('{"contexts": [["a"]], "arm": 0, "reward": 0, "probabilities": [1]}', ":3: this is not a round"),
    ],
)
def test_damaged_logs(log_path, line, text):
    lines = log_path.read_text().splitlines()
    log_path.write_text("\n".join([*lines[:2], line, *lines[2:]]))
    with pytest.raises(neuralts.BadInputError, match=text):
        neuralts.read_log(log_path)


def test_other_files(tmp_path):
    (tmp_path / "other").write_text('{"a": 1}\n')
    with pytest.raises(neuralts.BadInputError, match="this is not a log"):
        neuralts.read_log(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        neuralts.read_log(tmp_path / "nowhere")
