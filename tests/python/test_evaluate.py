"""Judging policies: numpy restates each estimator in a few lines, and Open Bandit Pipeline's shapes go in and out."""

import json
import os

import numpy as np
import pytest

import neuralts


def feedback(n=800, k=4, seed=1):
    """A logged bandit with a context, its policy to be judged and a model's predictions."""
    rng = np.random.default_rng(seed)
    pi_b = rng.dirichlet(np.ones(k), size=n)
    action = np.array([rng.choice(k, p=row) for row in pi_b])
    reward = (rng.random(n) < 0.2 + 0.15 * action).astype(float)
    given = {
        "n_rounds": n,
        "n_actions": k,
        "context": rng.normal(size=(n, 3)),
        "action_context": np.eye(k),
        "action": action,
        "position": None,
        "reward": reward,
        "pscore": pi_b[np.arange(n), action],
        "pi_b": pi_b[:, :, None],
    }
    return given, rng.dirichlet(np.ones(k), size=n)[:, :, None], rng.random((n, k))


def value(found, estimator):
    return found.value("mine", estimator)["value"]


def test_estimators_are_three_lines_of_numpy():
    given, dist, q = feedback()
    rows, a, r = np.arange(800), given["action"], given["reward"]
    w = dist[rows, a, 0] / given["pscore"]
    expected, residual = (dist[:, :, 0] * q).sum(1), r - q[rows, a]
    names = ["ips", "snips", "dm", "dr", "sndr"]
    found = neuralts.evaluate(given, {"mine": dist}, estimators=names, predictions=q)
    assert value(found, "ips") == pytest.approx((w * r).mean(), abs=1e-12)
    assert value(found, "snips") == pytest.approx((w * r).sum() / w.sum(), abs=1e-12)
    assert value(found, "dm") == pytest.approx(expected.mean(), abs=1e-12)
    assert value(found, "dr") == pytest.approx((expected + w * residual).mean(), abs=1e-12)
    assert value(found, "sndr") == pytest.approx(expected.mean() + (w * residual).sum() / w.sum(), abs=1e-12)
    row = found.value("mine", "ips")
    assert row["ess"] == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)
    assert (row["max_weight"], row["mean_weight"]) == (pytest.approx(w.max()), pytest.approx(w.mean()))


def test_student_is_that_of_the_terms():
    given, dist, q = feedback()
    w = dist[np.arange(800), given["action"], 0] / given["pscore"]
    row = neuralts.evaluate(given, {"mine": dist}, estimators="ips", interval="student")[0]
    error = (w * given["reward"]).std(ddof=1) / np.sqrt(800)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(1.96293 * error, rel=1e-4)  # t of 799 degrees


def test_feedback_without_all_probabilities_says_so():
    given, dist, _ = feedback()
    given["pi_b"] = None
    found = neuralts.evaluate(given, {"mine": dist}, estimators=["ips", "snips"])
    assert "played action only" in found.notes[0] and len(found) == 2


def test_names_policies_and_arrays_stand_side_by_side(tmp_path):
    log = tmp_path / "log.jsonl"
    neuralts.log_run("quadratic:arms=3,dim=4", "random", log, rounds=500, seed=3)
    policy = neuralts.Policy("linear-ts", dim=4, seed=1)
    for round in neuralts.read_log(log):
        policy.learn(round.contexts[round.position], round.reward)
    found = neuralts.evaluate(log, {"even": "uniform", "taught": policy}, estimators="snips")
    assert [row["policy"] for row in found] == ["even", "taught"]
    assert found.value("taught")["value"] > found.value("even")["value"]
    assert "taught" in found.table() and "<table>" in found._repr_html_()


def test_what_goes_to_obp_comes_back(tmp_path):
    log = tmp_path / "log.jsonl"
    flowers = np.eye(3).repeat(40, axis=0), np.arange(3).repeat(40)
    neuralts.log_run(neuralts.Environment(*flowers), "linear-ts", log, seed=3)
    given, dist = neuralts.bandit_feedback(log), neuralts.action_dist(log, "constant:1")
    assert dist.shape == given["pi_b"].shape and np.allclose(dist.sum(axis=1), 1)
    ours = neuralts.evaluate(log, "constant:1", estimators="ips")[0]
    theirs = neuralts.evaluate(given, {"constant:1": dist}, estimators="ips")[0]
    assert ours["value"] == pytest.approx(theirs["value"], abs=1e-12)
    assert np.allclose(neuralts.action_dist(log, "logged"), given["pi_b"])


def test_plots(tmp_path):
    pytest.importorskip("matplotlib")
    given, dist, _ = feedback()
    found = neuralts.evaluate(given, {"mine": dist, "even": "uniform"}, estimators=["ips", "snips"])
    assert len(found.plot().get_yticks()) == 4
    assert len(found.plot_course().get_lines()) == 2


def test_small_rewards_are_shown_as_what_they_are():
    given, dist, _ = feedback()
    found = neuralts.evaluate({**given, "reward": given["reward"] * 2e-5}, {"mine": dist}, estimators="snips", rewards=(0, 1e-3))
    shown = f"{found[0]['value']:.4g}"
    assert "e-0" in shown and shown in repr(found) and shown in found._repr_html_()


def test_a_table_becomes_a_frame():
    pytest.importorskip("pandas")
    given, dist, _ = feedback()
    frame = neuralts.evaluate(given, {"mine": dist}).to_frame()
    assert list(frame.columns) == neuralts.evaluation.FIELDS and len(frame) == 2


def test_tuning(tmp_path):
    log = tmp_path / "log.jsonl"
    neuralts.log_run("quadratic:arms=3,dim=4", "random", log, rounds=300, seed=3)
    rows = neuralts.tune(log, "linear-ts", set={"nu": [0.01, 1]})
    assert [row["policy"] for row in rows] == ["linear-ts", "linear-ts:nu=0.01", "linear-ts:nu=1"]
    assert sum(row["best"] for row in rows) == 1 and rows.best["value"] == max(row["value"] for row in rows) and rows[1]["lead_low"] <= rows[1]["lead"] <= rows[1]["lead_high"]


def test_tuning_has_the_options_of_evaluating_and_tells_the_notes(tmp_path):
    log = tmp_path / "log.jsonl"
    neuralts.log_run("quadratic:arms=3,dim=4", "random", log, rounds=60, seed=3)
    lines = log.read_text().splitlines()
    log.write_text("\n".join([*lines, lines[-1].replace('"arm":', '"arm":9')]) + "\n")
    with pytest.raises(neuralts.BadInputError, match=f"line {len(lines) + 1}"):
        neuralts.tune(log, "linear-ts", set={"nu": 1})
    found = neuralts.tune(log, "linear-ts", set={"nu": 1}, estimator="snips", interval="student", rewards=(-50, 50), folds=3, skip_bad=True)
    assert [row["interval"] for row in found] == ["student", "student"]
    assert any("1 records were left out" in note for note in found.notes) and "note: 1 records" in repr(found)
    assert found[0]["n"] == 60 and not any("as the log shows them" in note for note in found.notes)
    with pytest.raises(neuralts.BadInputError, match="no decision with a reward"):
        neuralts.tune(log, "linear-ts", set={"nu": 1}, since=4e9, skip_bad=True)


def test_every_policy_has_a_row_of_its_own():
    given, dist, _ = feedback()
    found = neuralts.evaluate(given, {"a": "uniform", "mine": dist, "b": "uniform"}, estimators="ips")
    assert sorted(row["policy"] for row in found) == ["a", "b", "mine"]
    assert found.value("a")["value"] == found.value("b")["value"] != found.value("mine")["value"]
    with pytest.raises(neuralts.ContractError, match="'uniform' is named twice"):
        neuralts.evaluate(given, ["uniform", "logged", "uniform"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rewards": (1, 0)}, "rewards: 1 to 0 is not a range"),
        ({"rewards": (0, 0)}, "rewards: 0 to 0 is not a range"),
        ({"rewards": (0, float("nan"))}, "rewards: 0 to nan is not a range"),
        ({"rewards": (0, float("inf"))}, "is not a range"),
        ({"folds": -1}, "folds: -1"),
        ({"folds": 1}, "at least 2"),
        ({"seed": -1}, "seed: -1"),
        ({"since": float("nan")}, "since: nan"),
        ({"policies": []}, "policies: none is named"),
    ],
)
def test_options_out_of_their_range_are_refused(options, words):
    given, _, _ = feedback()
    with pytest.raises(neuralts.BadSpecError, match=words):
        neuralts.evaluate(given, **{"policies": "uniform", **options})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pi_b": None, "pscore": None}, "neither pi_b nor pscore"),
        ({"position": np.arange(800) % 2}, "rankings"),
        ({"reward": np.zeros(7)}, "events"),
        ({"context": np.zeros(800)}, "context: a row of numbers for each of 800 events"),
        ({"context": np.zeros((800, 2, 3))}, "context: a row of numbers"),
        ({"context": np.zeros((400, 2))}, "context: a row of numbers"),
    ],
)
def test_mistakes_are_named(change, words):
    given, dist, _ = feedback()
    with pytest.raises(neuralts.ContractError, match=words):
        neuralts.evaluate({**given, **change}, {"mine": dist}, estimators="ips")


def test_rows_have_a_row_per_event_and_a_number_per_action():
    given, dist, q = feedback()
    for wrong in (q[:700], q.T, q[:, :3], q.ravel()):
        with pytest.raises(neuralts.ContractError, match="predictions: 800 events of 4 actions"):
            neuralts.evaluate(given, "uniform", predictions=wrong)
    with pytest.raises(neuralts.ContractError, match="action_dist of 'mine': 800 events of 4 actions"):
        neuralts.evaluate(given, {"mine": dist[:, :, 0].T})
    with pytest.raises(neuralts.ContractError, match="pi_b: 800 events of 4 actions"):
        neuralts.evaluate({**given, "pi_b": given["pi_b"][:, :, 0].T}, "uniform")
    q[3, 2] = np.nan
    with pytest.raises(neuralts.ContractError, match="action 2 of event 3"):
        neuralts.evaluate(given, "uniform", predictions=q)


def test_unknown_words_are_corrected():
    given, dist, _ = feedback()
    with pytest.raises(neuralts.BadSpecError, match="did you mean 'snips'"):
        neuralts.evaluate(given, {"mine": dist}, estimators="snip")


def test_everything_is_there_for_programs():
    given, dist, _ = feedback()
    raw = neuralts.evaluate(given, {"mine": dist}).raw
    assert json.dumps(raw) and raw["events"] == 800
    diagnostics = raw["policies"][0]["diagnostics"]
    assert sum(bin["events"] for bin in diagnostics["weights"]) == 800
    assert sum(bin["actions"] for bin in diagnostics["calibration"]) == 3200


@pytest.mark.skipif("NEURALTS_DATA" not in os.environ, reason="the mushroom data set: set NEURALTS_DATA")
@pytest.mark.parametrize("logged", ["random", "neural-greedy:epsilon=0.1", "neural-ts:floor=0.05"])
def test_the_value_on_mushroom_is_what_running_it_gives(tmp_path, logged):
    """A frozen neural-ts judged from uniform, epsilon-greedy and Thompson decisions, against playing it on every row.

    The truth is exact (probabilities times rewards over all rows); a log's rows are a sample of them, so a 99.9 % interval of
    each of three estimators holds it but for one case in a hundred, on these fixed seeds always."""
    name, _, params = logged.partition(":")
    taught, log = tmp_path / "taught.jsonl", tmp_path / "log.jsonl"
    neuralts.log_run("mushroom", "random", taught, rounds=500, seed=11)
    neuralts.log_run("mushroom", name, log, rounds=3000, seed=12, **dict([params.split("=")] if params else []))
    policy = neuralts.Policy("neural-ts", dim=22, arms=2, seed=1)
    for round in neuralts.read_log(taught):
        policy.learn(round.contexts, round.reward, arms=round.arm)
    found = neuralts.evaluate(log, {"frozen": policy}, estimators=["ips", "snips", "dr"], confidence=0.999)
    truth = [policy.select_disjoint(episode.contexts).probabilities @ episode.expected for episode in neuralts.Environment("mushroom").start(1)]
    print(f"{logged}: run {np.mean(truth):.4f}", *(f"{row['estimator']} {row['value']:.4f} [{row['low']:.4f}, {row['high']:.4f}]" for row in found))
    for row in found:
        assert row["low"] <= np.mean(truth) <= row["high"], row


def test_a_saved_session_is_judged_with_its_own_features(tmp_path):
    """Where its probabilities are known and rewards are certain, a frozen session's value is a sum that is done here."""
    rng, log = np.random.default_rng(1), tmp_path / "log.jsonl"
    policy = neuralts.Policy("linear-ts", features="auto", seed=1, floor=0.05)
    policy.log_to(log)
    for country in rng.choice(["DE", "FR"], size=400):
        decision = policy.select({"country": str(country)}, ["a", "b"])
        policy.reward(decision.event_id, float((country == "DE") == (decision.action == "a")))
    policy.log_to(None)
    policy.save(tmp_path / "session.nts")
    saved = neuralts.evaluate(log, [f"file:{tmp_path / 'session.nts'}"], estimators="ips")[0]
    assert saved["value"] == neuralts.evaluate(log, {"live": policy}, estimators="ips")[0]["value"]
    terms = []
    for round in neuralts.read_log(log):
        probabilities = neuralts.Policy.load(tmp_path / "session.nts").select(round.context, round.features).probabilities
        terms.append(probabilities[round.position] / round.probability * round.reward)
    assert saved["value"] == pytest.approx(np.mean(terms), abs=1e-9)
