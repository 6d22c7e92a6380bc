"""neuralts.run and what comes out of it."""

import json
import os
import subprocess
import threading

import numpy as np
import pytest

import neuralts
from neuralts.lab import _show

WORLD = "quadratic:dim=4,arms=3"


def run(envs=WORLD, policies=("linear-ts", "random"), **settings):
    return neuralts.run(envs, policies, **{"seeds": 2, "rounds": 60, "progress": False, **settings})


def test_runs_are_the_product():
    results = run([WORLD, "cosine:dim=4"], ["linear-ts", ("linear-ucb", {"nu": 0.5}), "random"])
    assert len(results) == 12 and not results.failed
    assert [r.seed for r in results.runs[:2]] == [1, 2]
    assert {r.label.split()[0] for r in results} == {"linear-ts", "linear-ucb", "random"}
    assert all(r.rounds == 60 and r.curve_rounds[-1] == 60 and r.curve_regret[-1] == r.regret for r in results)


def test_a_run_is_the_same_whoever_asks_and_however_many_at_a_time():
    first, second = run(jobs=1), run(jobs=4)
    assert [r.regret for r in first] == [r.regret for r in second]
    assert run(policies="random", seeds=[2])[0].regret == first[3].regret
    assert run(policies=("linear-ts", {}), seeds=[2])[0].regret == first[1].regret


def test_parameters_delays_and_seeds():
    results = run(policies="linear-ts", set={"nu": [0.1, 1]}, delays=[0, 10], seeds=[5])
    assert sorted({(r.given["nu"], r.delay) for r in results}) == [(0.1, "0"), (0.1, "10"), (1, "0"), (1, "10")]
    assert {r.seed for r in results} == {5}


def test_own_worlds_and_arrays_take_part():
    def coins(seed):
        numbers = np.random.default_rng(seed)
        while True:
            yield np.eye(2), (numbers.random(2) < [0.1, 0.9]).astype(float), [0.1, 0.9]

    own = neuralts.Environment(coins, dim=2, max_arms=2, name="coins")
    arrays = neuralts.Environment(np.eye(4).repeat(20, axis=0), np.arange(4).repeat(20), name="four")
    results = run([own, arrays], ["linear-ucb", "random"], jobs=4, rounds=80)
    assert not results.failed
    regret = {key: np.mean([r.regret for r in runs]) for key, runs in results.by_cell().items()}
    for env in ("coins", "four"):
        linear, chance = (next(v for (e, label), v in regret.items() if e == env and label.startswith(name)) for name in ("linear-ucb", "random"))
        assert linear < chance / 2


def test_a_world_that_breaks_is_a_failed_run():
    def broken(seed):
        yield np.eye(2), [0, 1]
        raise RuntimeError("no more coins")

    with pytest.warns(RuntimeWarning, match="no more coins"):
        results = run(neuralts.Environment(broken, dim=2, max_arms=2, name="broken"), "random")
    assert len(results.failed) == 2 and "no more coins" in results.failed[0].error
    assert "2 failed" in results.table()
    with pytest.raises(neuralts.ContractError, match="nothing to plot"):
        results.plot()


def test_mistyped_experiments():
    with pytest.raises(neuralts.BadSpecError, match="did you mean 'linear-ts'"):
        run(policies="linear-tz")
    with pytest.raises(neuralts.BadSpecError, match="quadratik"):
        run("quadratik")


def test_worlds_are_known_by_what_made_them(tmp_path):
    worlds = [neuralts.Environment("quadratic", dim=4, arms=3), neuralts.Environment("quadratic:dim=5")]
    assert [r.env for r in run(worlds, "random", seeds=1)] == ["quadratic:arms=3,dim=4", "quadratic:dim=5"]
    twins = [neuralts.Environment(lambda seed: [], dim=2), neuralts.Environment(lambda seed: [], dim=3)]
    with pytest.raises(neuralts.ContractError, match="two worlds are called 'own'"):
        run(twins, "random")


def test_keys_may_be_written_as_keywords():
    plain = run(policies=("linear-ts", {"lambda": 2}), set={"nu": 0.5}, seeds=1)
    python = run(policies=("linear-ts", {"lambda_": 2}), set={"nu_": 0.5}, seeds=1)
    assert python[0].regret == plain[0].regret and python[0].label == plain[0].label == "linear-ts lambda=2 nu=0.5"


def test_a_run_tells_itself_in_a_line():
    text = repr(run(seeds=1)[0])
    assert "\n" not in text and len(text) < 160 and "linear-ts" in text and "regret=" in text


def test_bands_are_those_of_the_report():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    results = run(policies="random", seeds=3)
    (band,) = results.plot().axes[0].collections
    final = [r.regret for r in results]
    half = neuralts._core.band_half_width(final)
    assert half == pytest.approx(2.9199856 * np.std(final, ddof=1) / 3**0.5)  # Student's t, 2 degrees of freedom, 95 %
    top = max(y for x, y in band.get_paths()[0].vertices if x == 60)
    assert top == pytest.approx(np.mean(final) + half)
    pyplot.close("all")


def test_one_seed_has_no_band():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert len(run(policies="random", seeds=1).plot().axes[0].collections) == 0
    pyplot.close("all")


def test_table():
    lines = run().table().splitlines()
    assert lines[0].strip() == WORLD and len(lines) == 3 and lines[1].startswith("linear-ts") and "±" in lines[1]
    assert "±" not in run(seeds=1).table()


def test_a_replay_tells_reward_and_how_many_rounds_counted(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    log = tmp_path / "log.jsonl"
    neuralts.log_run("quadratic:dim=4,arms=3", "random", log, rounds=300, seed=7)
    results = neuralts.run(f"log:{log}", ["linear-ts", "random"], seeds=2)
    for one in results:
        assert not one.regret_known and one.rounds < one.offered == 300
        assert one.mean_reward == pytest.approx(one.reward / one.rounds)
    head, first, _ = results.table().splitlines()
    assert head.strip() == f"log:{log}: mean reward" and "of 300 rounds" in first
    (axes,) = results.plot().axes
    assert axes.get_ylabel() == "mean reward"
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(np.mean([r.mean_reward for r in results.runs[:2]]), rel=0.1)
    pyplot.close("all")


def test_lines_that_are_no_records_are_warned_of(tmp_path):
    run(results=tmp_path)
    with open(tmp_path / "results.jsonl", "a") as results:
        results.write("torn\n")
    with pytest.warns(RuntimeWarning, match="line 5"):
        assert len(neuralts.Results.load(tmp_path)) == 4


def test_to_pandas():
    pytest.importorskip("pandas")
    results = run()
    frame = results.to_pandas()
    assert frame.shape[0] == 4 and frame.regret.tolist() == [r.regret for r in results]


def test_plot(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    results = run([WORLD, "cosine"])
    figure = results.plot()
    assert [axes.get_title() for axes in figure.axes] == [WORLD, "cosine"]
    for axes in figure.axes:
        assert len(axes.lines) == len(axes.collections) == 2
    mean = np.mean([r.curve_regret for r in results.runs[:2]], axis=0)
    assert np.allclose(figure.axes[0].lines[0].get_ydata(), mean)
    other, axes = pyplot.subplots(1, 2)
    assert results.plot(axes) is other
    figure.savefig(tmp_path / "regret.png")
    pyplot.close("all")


def test_report(tmp_path):
    run().report(tmp_path / "out.html", title="Two policies")
    page = (tmp_path / "out.html").read_text()
    assert "Two policies" in page and "linear-ts" in page and '<h2 id="theory">' in page
    assert os.listdir(tmp_path) == ["out.html"]
    run().report(tmp_path / "bare.html", theory=False)
    assert '<h2 id="theory">' not in (tmp_path / "bare.html").read_text()
    assert sorted(os.listdir(tmp_path)) == ["bare.html", "out.html"]


def test_a_results_folder_goes_on(tmp_path):
    folder = tmp_path / "results"
    first = run(results=folder)
    lines = (folder / "results.jsonl").read_text().splitlines()
    assert len(lines) == 4 and json.loads(lines[0])["status"] == "ok"
    again = run(results=folder, seeds=3)
    assert [r.learn_seconds for r in again if r.seed < 3] == [r.learn_seconds for r in first]
    loaded = neuralts.Results.load(folder)
    assert sorted(r.regret for r in loaded) == sorted(r.regret for r in again)
    loaded.save(tmp_path / "copy")
    assert (tmp_path / "copy" / "results.jsonl").read_bytes() == (folder / "results.jsonl").read_bytes()


@pytest.mark.skipif("NEURALTS_CLI" not in os.environ, reason="the command line was not built")
def test_the_command_line_reads_and_fills_the_same_folder(tmp_path):
    folder = tmp_path / "results"
    mine = run(results=folder, policies="random")
    command = [os.environ["NEURALTS_CLI"], "run", "--env", WORLD, "--policy", "random", "--seeds", "1..3", "--rounds", "60"]
    subprocess.run([*command, "--out", str(folder)], check=True, capture_output=True)
    loaded = neuralts.Results.load(folder)
    assert len(loaded) == 3 and [r.line for r in loaded][:2] == [r.line for r in mine]


def test_progress_is_shown_while_it_runs(capsys):
    started, go_on = threading.Event(), threading.Event()

    def slow(seed):
        started.set()
        go_on.wait(20)
        while True:
            yield np.eye(2), [0, 1]

    threading.Timer(0.5, go_on.set).start()
    neuralts.run(neuralts.Environment(slow, dim=2, max_arms=2, rounds=10, name="slow"), "random", seeds=1, progress=True)
    shown = capsys.readouterr().err
    assert started.is_set() and "of 1 runs" in shown and shown.endswith("\n")


def test_an_interrupted_experiment_stops(monkeypatch):
    shows = []

    def interrupted(sweep, screen):
        shows.append(sweep.progress())
        raise KeyboardInterrupt

    monkeypatch.setattr("neuralts.lab._show", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("quadratic", "random", rounds=2_000_000_000, seeds=1)
    assert len(shows) == 1 and _show is not interrupted


def test_a_folder_without_results_is_said_and_not_made(tmp_path):
    with pytest.raises(neuralts.NotFoundError, match="no results.jsonl"):
        neuralts.Results.load(tmp_path / "resluts")
    assert not (tmp_path / "resluts").exists()
