"""Policies written in Python take part in neuralts.run."""

import json

import numpy as np
import pytest

import neuralts

WORLD = "linear:dim=4,arms=3"


class Greedy:
    """Ridge regression on the vectors it sees."""

    def __init__(self, dim):
        self.a, self.b = np.eye(dim), np.zeros(dim)

    def select(self, contexts, rng):
        return int(np.argmax(contexts @ np.linalg.solve(self.a, self.b) + 1e-9 * rng.random(len(contexts))))

    def learn(self, context, reward):
        self.a += np.outer(context, context)
        self.b += reward * context


class Chance:
    def select(self, contexts, rng):
        return rng.integers(len(contexts)), np.full(len(contexts), 1 / len(contexts))

    def learn(self, context, reward):
        pass


def run(policies, env=WORLD, **settings):
    return neuralts.run(env, policies, **{"seeds": 2, "rounds": 200, "progress": False, **settings})


def test_own_and_built_in_policies_side_by_side(tmp_path):
    results = run({"mine": Greedy, "linear-ts": {"nu": 0.1}, "random": {}})
    assert [r.label for r in results] == ["mine", "mine", "linear-ts nu=0.1", "linear-ts nu=0.1", "random", "random"]
    regret = {label: np.mean([r.regret for r in runs]) for (_, label), runs in results.by_cell().items()}
    assert regret["mine"] < regret["random"] / 2
    assert "mine" in results.table()
    results.report(tmp_path / "report.html")
    assert "mine" in (tmp_path / "report.html").read_text()


def test_a_run_is_a_function_of_its_seed():
    first, again = run({"chance": Chance}), run({"chance": Chance}, jobs=2)
    assert [r.regret for r in first] == [r.regret for r in again]
    assert first[0].regret != first[1].regret


def test_objects_are_copied_and_functions_called():
    learned = Greedy(4)
    results = run([("object", learned), ("function", lambda dim, seed: Greedy(dim))])
    assert not learned.b.any(), "runs learn in copies"
    assert [r.regret for r in results][:2] == [r.regret for r in results][2:]


def test_arms_that_share_one_x_are_shown_as_rows_of_blocks():
    seen = []

    class Look(Chance):
        def select(self, contexts, rng):
            seen.append(contexts)
            return 1

        def learn(self, context, reward, arm):
            seen.append((context, arm))

    world = neuralts.Environment([[0.6, 0.8], [1.0, 0.0]] * 5, [0, 1] * 5, name="two")
    assert not run({"look": Look}, world, seeds=1, rounds=1).failed
    rows, (context, arm) = seen[0], seen[1]
    assert rows.shape == (2, 4) and not rows[0, 2:].any() and not rows[1, :2].any()
    assert (rows[0, :2] == rows[1, 2:]).all() and arm == 1 and (context == rows[1]).all()


@pytest.mark.parametrize(
    "answer, message",
    [(7, "one of the arms 0 to 2"), ("left", "one of the arms"), ((0, [1, 1, 1]), "sum to 1"), ((0, [0, 1, 0]), "above 0")],
)
def test_answers_that_are_none_fail_the_run_and_are_warned_of(answer, message):
    class Wrong(Chance):
        def select(self, contexts, rng):
            return answer

    with pytest.warns(RuntimeWarning, match="2 of 4 runs failed.*wrong"):
        results = run({"wrong": Wrong, "random": {}})
    assert message in results.failed[0].error and len(results.failed) == 2
    assert "2 failed" in results.table()


def test_what_is_raised_is_told():
    class Broken(Chance):
        def learn(self, context, reward):
            raise RuntimeError("out of ideas")

    with pytest.warns(RuntimeWarning, match="out of ideas"):
        run({"broken": Broken})
    with pytest.warns(RuntimeWarning, match="has no method select"):
        run({"nothing": lambda: object()})
    with pytest.raises(neuralts.BadSpecError, match="the name of a policy of the library"):
        run({"random": Chance})


def test_results_are_used_again_only_for_a_version_that_is_the_same(tmp_path):
    made = []

    def versioned(number):
        class Mine(Chance):
            def __init__(self):
                made.append(number)

        if number is not None:
            Mine.version = number
        return Mine

    for number in (None, None, 1, 1, 2):
        run({"mine": versioned(number)}, seeds=1, results=tmp_path)
    assert made == [None, None, 1, 2]
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert len(lines) == 1 and json.loads(lines[0])["policy"] == "mine"


def test_the_same_for_worlds(tmp_path):
    started = []

    def world(data, version=""):
        def start(seed):
            started.append(data)
            while True:
                yield np.eye(2), [0, data]

        return neuralts.Environment(start, dim=2, max_arms=2, name="coins", version=version)

    for data, version in ((1, ""), (1, ""), (2, "a"), (2, "a"), (3, "b")):
        last = run("random", world(data, version), seeds=1, rounds=10, results=tmp_path)
    assert started == [1, 1, 2, 3] and last[0].reward % 3 == 0
    arrays = [neuralts.Environment([[1.0], [value]] * 5, [0, 1] * 5, name="arrays") for value in (2.0, 2.0, 3.0)]
    seconds = [run("linear-ucb", env, seeds=1, rounds=10, results=tmp_path)[0].learn_seconds for env in arrays]
    assert seconds[0] == seconds[1] and seconds[2] != seconds[0]
