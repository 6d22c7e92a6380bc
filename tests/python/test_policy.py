"""What holds for every policy the factory knows."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import neuralts

SMALL = {"units": 8, "iterations": 3}


def make(name, **changes):
    known = {p.key for p in neuralts.policies()[name].params}
    small = {key: value for key, value in SMALL.items() if key in known}
    return neuralts.Policy(name, **{"dim": 5, "seed": 2, **small, **changes})


def play(policy, rounds, seed=11):
    """Decisions and what was believed, over rounds of a fixed world."""
    numbers = np.random.default_rng(seed)
    seen = []
    for _ in range(rounds):
        contexts = numbers.normal(size=(4, 5))
        d = policy.select(contexts)
        policy.learn(contexts[d.arm], float(contexts[d.arm, 0] > 0))
        seen.append((d.arm, d.probability, d.mean.tolist(), d.width.tolist(), d.score.tolist()))
    return seen


def test_decision(policy_name, contexts):
    policy = make(policy_name)
    play(policy, 5)
    d = policy.select(contexts)
    lists = (d.probabilities, d.mean, d.width, d.score)
    assert all(a.shape == (10,) and a.dtype == np.float64 and not a.flags.writeable for a in lists)
    assert d.probabilities.sum() == pytest.approx(1, abs=1e-6)
    assert d.probability == d.probabilities[d.arm]


def test_lists_of_a_decision_are_views_that_outlive_it(contexts):
    d = neuralts.Policy("random", dim=5).select(contexts)
    assert np.shares_memory(d.probabilities, d.probabilities)
    kept = d.probabilities
    count = sys.getrefcount(d)
    del d
    assert count > 2
    assert kept.tolist() == [0.1] * 10


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])
def test_a_decision_is_kept_until_its_reward_comes(policy_name, contexts, twin):
    d = make(policy_name).select(contexts)
    again = twin(d)
    assert (again.arm, again.position, again.probability, again.estimated) == (d.arm, d.position, d.probability, d.estimated)
    for name in ("probabilities", "mean", "width", "score"):
        assert getattr(again, name).tolist() == getattr(d, name).tolist()


def test_a_run_is_a_function_of_the_seed(policy_name):
    assert play(make(policy_name), 12) == play(make(policy_name), 12)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda p: p.copy(), lambda p: pickle.loads(pickle.dumps(p))])
def test_a_copy_continues_alike_and_alone(policy_name, twin):
    policy = make(policy_name)
    play(policy, 6)
    other = twin(policy)
    assert repr(other) == repr(policy) and other.params == policy.params
    assert play(other, 6) == play(policy, 6)


def test_save_load_continue_equals_continue(policy_name, tmp_path):
    policy = make(policy_name)
    play(policy, 6)
    policy.save(tmp_path / "policy.nts")
    assert play(neuralts.Policy.load(tmp_path / "policy.nts"), 6) == play(policy, 6)


def test_damaged_files(tmp_path):
    path = tmp_path / "policy.nts"
    neuralts.Policy("random", dim=5).save(str(path))
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:10], b"", whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:]):
        path.write_bytes(damaged)
        with pytest.raises(neuralts.CorruptError):
            neuralts.Policy.load(path)
    with pytest.raises(FileNotFoundError):
        neuralts.Policy.load(tmp_path / "nowhere.nts")
    with pytest.raises(neuralts.InputOutputError, match="cannot read: Is a directory"):
        neuralts.Policy.load(tmp_path)
    with pytest.raises(OSError):
        neuralts.Policy("random", dim=5).save(tmp_path / "no" / "folder.nts")


def test_selecting_with_a_seed_changes_nothing(policy_name, contexts):
    policy = make(policy_name)
    play(policy, 5)
    before = pickle.dumps(policy)
    first = policy.select(contexts, seed=9)
    assert policy.select(contexts, seed=9).score.tolist() == first.score.tolist()
    assert policy.selector(9).select(contexts).score.tolist() == first.score.tolist()
    assert pickle.dumps(policy) == before


def test_eight_threads_answer_as_one(policy_name):
    policy = make(policy_name)
    play(policy, 8)
    offers = np.random.default_rng(5).normal(size=(64, 6, 5))

    def answers(seed):
        selector = policy.selector(seed)
        return [(d.arm, d.probability, d.score.tolist()) for d in map(selector.select, offers)]

    alone = [answers(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(answers, range(8))) == alone


def test_learning_and_selecting_at_once(policy_name, contexts):
    policy = make(policy_name)
    with ThreadPoolExecutor(4) as pool:
        learning = [pool.submit(policy.learn, contexts, np.ones(10)) for _ in range(4)]
        choosing = [pool.submit(policy.select, contexts, seed=s) for s in range(64)]
        assert all(f.result() is None for f in learning)
        assert all(0 <= f.result().arm < 10 for f in choosing)


@pytest.mark.parametrize("name", ["linear-ts", "linear-ucb", "kernel-ts", "kernel-ucb", "random"])
def test_one_or_many_rounds_are_the_same_history(name, contexts):
    """Of policies that keep no training state: what was learned in one call and round by round is believed alike."""
    rewards = np.linspace(0, 1, 10)
    many, one = make(name), make(name)
    many.learn(contexts[:0], rewards[:0])
    many.learn(contexts, rewards)
    for context, reward in zip(contexts, rewards):
        one.learn(context, reward)
    a, b = many.select(contexts, seed=3), one.select(contexts, seed=3)
    assert np.allclose(a.mean, b.mean, rtol=1e-9, atol=1e-12) and np.allclose(a.width, b.width, rtol=1e-9, atol=1e-12)
    assert a.arm == b.arm


def test_many_rounds_at_once_are_learned(policy_name, contexts):
    rewards = np.linspace(0, 1, 10)
    policy = make(policy_name)
    fresh = policy.select(contexts, seed=1)
    policy.learn(contexts, rewards)
    d = policy.select(contexts, seed=1)
    assert np.isfinite(d.mean).all() and np.isfinite(d.width).all()
    assert policy_name == "random" or not np.array_equal(d.mean, fresh.mean)


def test_parameters_that_do_not_exist_are_refused_whatever_their_value(policy_name):
    for value in (1, None):
        with pytest.raises(neuralts.BadSpecError, match="unknown parameter 'colour'"):
            neuralts.Policy(policy_name, dim=5, colour=value)


def test_every_key_can_be_a_keyword(policy_name):
    for info in neuralts.policies()[policy_name].params:
        keyword = info.key.replace("-", "_")
        for spelling in {keyword, keyword + "_"}:
            policy = neuralts.Policy(policy_name, dim=5, **{spelling: info.default})
            assert policy.params[info.key] == info.default


def test_parameters_have_types():
    params = neuralts.Policy("neural-ts", dim=5, nu=0.25, units=8, biases=True).params
    assert params["nu"] == 0.25 and params["units"] == 8 and params["biases"] is True and isinstance(params["precision"], str)
    info = neuralts.policies()["neural-ts"]
    assert "\n" not in repr(info) and len(repr(info)) < 200 and "units" in str(info)


def test_the_arm_offered_is_what_is_learned():
    policy = neuralts.Policy("linear-ucb", dim=2, arms=5, preset="paper")
    x = [0.6, 0.8]
    d = policy.select_disjoint(x, arms=[3])
    assert (d.arm, d.position, len(d.probabilities)) == (3, 0, 1)
    policy.learn(x, 1.0, arms=d.arm)
    assert policy.select_disjoint(x, seed=1).mean.argmax() == 3
    several = policy.select_disjoint(x, arms=[4, 1, 3], seed=1)
    assert [4, 1, 3][several.position] == several.arm and several.probability == several.probabilities[several.position]
    assert policy.selector(1).select_disjoint(x, arms=[2]).arm == 2


def test_disjoint_contexts(policy_name):
    policy = make(policy_name, arms=3)
    x = np.full(5, 5**-0.5)
    for _ in range(5):
        d = policy.select(x)
        policy.learn(x, float(d.arm == 1), arms=d.arm)
    assert policy.select_disjoint(x, [2, 1]).probabilities.sum() == pytest.approx(1, abs=1e-6)
    assert policy.arms == 3


def test_catalog(policy_name):
    info = neuralts.policies()[policy_name]
    policy = make(policy_name)
    assert info.name == policy_name and info.summary
    assert set(policy.params) == {p.key for p in info.params}
    assert all(p.doc and p.range for p in info.params)
    for preset in info.presets:
        assert make(policy_name, preset=preset).preset == preset


def test_parameters_from_python_types():
    numpy_scalars = {"dim": np.int64(3), "seed": np.uint64(2), "arms": np.int32(2)}
    assert repr(neuralts.Policy("random", **numpy_scalars)).startswith("Policy('random', dim=3, arms=2, seed=2")


def test_a_weight_of_two_is_the_round_twice():
    rng = np.random.default_rng(3)
    contexts, rewards = rng.normal(size=(8, 4)), rng.normal(size=8)
    weighted, repeated = (neuralts.Policy("linear-ucb", preset="paper", dim=4) for _ in range(2))
    weighted.learn(contexts, rewards, weights=[2, 0, 1, 2, 2, 1, 0, 1])
    order = [0, 0, 2, 3, 3, 4, 4, 5, 7]
    repeated.learn(contexts[order], rewards[order])
    query = rng.normal(size=(3, 4))
    first, second = weighted.select(query, seed=1), repeated.select(query, seed=1)
    np.testing.assert_allclose(first.mean, second.mean, atol=1e-9)
    np.testing.assert_allclose(first.width, second.width, atol=1e-9)
    with pytest.raises(ValueError, match="8 contexts but weights"):
        weighted.learn(contexts, rewards, weights=[1, 2])


def test_what_was_played_elsewhere_is_told_with_its_decision():
    """A decision that select() did not mark teaches the same, once what it was between is told, too."""
    marked, told, alone = (make("neural-ts", dim=4) for _ in range(3))
    numbers = np.random.default_rng(3)
    for _ in range(60):
        user, items = np.tile(numbers.normal(size=2), (3, 1)), numbers.normal(size=(3, 2))
        contexts = np.hstack([user, items])
        arm = marked.select(contexts).arm
        told.played(contexts[arm], among=contexts)
        alone.played(contexts[arm])
        for policy in (marked, told, alone):
            policy.learn(contexts[arm], 5 * np.sin(2 * user[0, 0]) + items[arm, 0])
    said = [policy.select(contexts, seed=1) for policy in (marked, told, alone)]
    assert said[0].mean.tolist() == said[1].mean.tolist() and said[0].width.tolist() == said[1].width.tolist()
    assert said[0].width.tolist() != said[2].width.tolist()
    with pytest.raises(neuralts.ContractError):
        told.played(contexts[0], among=contexts[:, :3])
