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
        ("{", "line 3: expected one JSON object"),
        ("3", "line 3: expected one JSON object"),
        ("{}", 'line 3: the object has no "arm"'),
        ('{"contexts": [[1, 2, 3, 4]], "arm": 1, "reward": 0, "probabilities": [1]}', "line 3: "),
        ('{"features": [{}, {}], "arm": 1, "reward": 0, "probabilities": [1]}', "line 3: there are 1 probabilities for 2 arms"),
        ('{"features": [{}, {}], "arm": 1, "reward": 0, "probabilities": [0.5, 0.4]}', "line 3: the probabilities sum to 0.9"),
        ('{"contexts": [["a"]], "arm": 0, "reward": 0, "probabilities": [1]}', "line 3: "),
    ],
)
def test_damaged_logs(log_path, line, text):
    lines = log_path.read_text().splitlines()
    log_path.write_text("\n".join([*lines[:2], line, *lines[2:]]))
    with pytest.raises(neuralts.BadInputError, match=text):
        list(neuralts.read_log(log_path))
    lenient = neuralts.read_log(log_path, skip_bad=True)
    assert len(lenient) == 12 and lenient.counts["refused"] == 1 and text in lenient.counts["first_problem"]


def test_other_files(tmp_path):
    (tmp_path / "other").write_text('{"a": 1}\n')
    with pytest.raises(neuralts.BadInputError, match="holds no decision"):
        len(neuralts.read_log(tmp_path / "other"))
    with pytest.raises(FileNotFoundError):
        neuralts.read_log(tmp_path / "nowhere")


def test_a_cut_log_says_what_it_left_out(log_path):
    whole = log_path.read_bytes()
    log_path.write_bytes(whole[:-20])
    log = neuralts.read_log(log_path)
    assert len(log) == 11 and "not whole" in log.counts["cut"] and log.counts["cut_bytes"] > 0


def test_written_as_it_happens(tmp_path):
    with neuralts.LogWriter(tmp_path / "log.jsonl", rotate_mb=0.002) as log:
        for i in range(40):
            log.decision(f"e{i}", i % 2, [0.25, 0.75], contexts=[[1.0, i], [2.0, 3.0]], time=100.0 + i, estimated=i == 3, kept=0.5)
        for i in range(0, 40, 2):
            log.reward(f"e{i}", i / 2)
    assert list(tmp_path.glob("log.0*.jsonl.gz"))
    rounds = list(neuralts.read_log(tmp_path / "log.jsonl"))
    assert [r.event_id for r in rounds] == [f"e{i}" for i in range(40)]
    assert rounds[4].reward == 2.0 and rounds[5].reward is None and rounds[3].estimated and rounds[7].kept == 0.5
    assert rounds[6].contexts.tolist() == [[1.0, 6.0], [2.0, 3.0]] and rounds[6].time == 106.0
    with pytest.raises(neuralts.ContractError, match="sum to 0.9"):
        neuralts.LogWriter(tmp_path / "x.jsonl").decision("e", 0, [0.5, 0.4], actions=["a", "b"])


@pytest.mark.parametrize("settings", [{"rotate_mb": -1}, {"rotate_mb": np.nan}, {"rotate_mb": np.inf}, {"rotate_mb": 1e-9}, {"flush_seconds": np.nan}, {"flush_seconds": -1}])
def test_a_writer_refuses_sizes_and_times_that_are_none(tmp_path, settings):
    with pytest.raises(neuralts.ContractError, match=f"{next(iter(settings))}=.*needed"):
        neuralts.LogWriter(tmp_path / "log.jsonl", **settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", ["dsjson", "vw", "neuralts"])
def test_other_formats(log_path, tmp_path, format):
    assert neuralts.write_log(log_path, tmp_path / "other", format) == 12
    there, back = neuralts.read_log(log_path), neuralts.read_log(tmp_path / "other")
    assert back.format == format
    for a, b in zip(there, back):
        assert a.position == b.position and a.reward == b.reward and a.probability == b.probability
    with pytest.raises(neuralts.BadSpecError, match="unknown format 'xml'"):
        neuralts.write_log(log_path, tmp_path / "other", "xml")
