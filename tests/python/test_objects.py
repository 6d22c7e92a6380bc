"""Policies over objects: the five lines, rewards by id, explanations, and what becomes a field."""

import datetime
import os
import pickle
import subprocess

import numpy as np
import pytest

import neuralts


def personal_round(numbers, policy, time=None):
    """DE likes a, FR likes b."""
    country = ["DE", "FR"][numbers.integers(2)]
    decision = policy.select({"country": country, "hour": int(numbers.integers(24))}, actions=[{"id": "a"}, {"id": "b"}], time=time)
    return decision, float((country == "DE") == (decision.action == "a"))


def trained(name="linear-ucb", rounds=200, **settings):
    policy = neuralts.Policy(name, features={"events": 32}, seed=1, **settings)
    numbers = np.random.default_rng(1)
    for _ in range(rounds):
        decision, reward = personal_round(numbers, policy)
        assert policy.reward(decision.event_id, reward) == "learned"
    return policy


def test_the_five_lines():
    policy = neuralts.Policy("neural-ts", features="auto", seed=1)
    d = policy.select({"country": "DE", "hour": 14}, actions=[{"id": "item7", "price": 3.5}, {"id": "item9", "price": 8.0}])
    assert d.action in ("item7", "item9") and d.probability == 0.5 and d.event_id
    assert policy.reward(d.event_id, 1.0) == "learned"
    assert policy.reward(d.event_id, 1.0) == "duplicate"
    assert policy.reward("nobody", 1.0) == "unknown"
    late = policy.select({"country": "DE"}, ["item7", 9, 2.5], time=0.0)
    assert late.action in ("item7", 9, 2.5)
    assert policy.open == 1
    assert policy.expire(after="6h", default=0.0) == 1 and policy.open == 0
    assert policy.reward(late.event_id, 1.0) == "expired"


@pytest.mark.parametrize("name", ["linear-ucb", "linear-ts", "neural-ts"])
def test_a_choice_is_personal_without_asking(name):
    policy = trained(name)
    numbers = np.random.default_rng(2)
    assert sum(personal_round(numbers, policy)[1] for _ in range(100)) > 85


def test_durations():
    policy = neuralts.Policy("random", features="auto")
    for after in (3600, 3600.0, "1h", "60m", datetime.timedelta(hours=1)):
        policy.select({}, ["a"], time=0.0)
        assert policy.expire(after, now=3599.0) == 0 and policy.expire(after, now=3600.0) == 1
    with pytest.raises(neuralts.BadSpecError, match="span of time"):
        policy.expire("soon")
    with pytest.raises(TypeError):
        policy.expire(None)


def test_objects_of_every_kind():
    pandas = pytest.importorskip("pandas")
    policy = neuralts.Policy("random", features={"events": 1})
    row = pandas.Series({"country": "DE", "age": np.float64(31), "city": None, "score": float("nan")})
    frame = pandas.DataFrame({"id": ["x", "y"], "price": [1.0, np.nan]})
    d = policy.select(row, frame)
    assert d.action in ("x", "y")
    assert policy.select({"user": {"age": np.int64(3), "tags": ["a", "b"], "at": (1, 2.5)}, "ok": np.bool_(True)}, [{"id": 1}, {"id": 2}]).action in (1, 2)
    assert policy.select(None, [{"price": 2}, {"price": 3}]).action in (0, 1)
    assert "age" in str(policy.features)


@pytest.mark.parametrize(
    "context, actions, error, text",
    [
        ({"when": datetime.date(2026, 1, 1)}, ["a"], TypeError, "field 'when' holds a date"),
        ({"a": {"b": object()}}, ["a"], TypeError, "field 'a.b' holds a object"),
        ({3: 1}, ["a"], TypeError, "names of fields are texts"),
        (7, ["a"], TypeError, "the context: a dict is needed"),
        ({}, "abc", TypeError, "actions: a list is needed"),
        ({}, [], neuralts.ContractError, "no action is offered"),
        ({}, None, neuralts.ContractError, "actions="),
        ({"x": float("inf")}, ["a"], neuralts.ContractError, "field 'x': the number is not finite"),
        ({"x": 10**400}, ["a"], ValueError, "field 'x' holds a number that is too large"),
        ({"x": "\ud800"}, ["a"], ValueError, "field 'x' holds a text that is not Unicode"),
        ({}, ["\ud800"], ValueError, "field 'id' holds a text that is not Unicode"),
    ],
)
def test_what_is_refused(context, actions, error, text):
    policy = neuralts.Policy("random", features="auto")
    with pytest.raises(error, match=text):
        policy.select(context, actions)
    assert policy.open == 0


def test_what_can_be_gone_through_once_is_enough():
    policy = neuralts.Policy("linear-ts", features="auto", seed=1)
    chosen = policy.select({}, (name for name in ("a", "b")))
    assert chosen.action == ("a", "b")[chosen.arm]
    policy = neuralts.Policy("linear-ts", features={"action": {"id": {"kind": "id", "hashed": 8}, "price": {"kind": "number", "mean": 0, "deviation": 1}}})
    items = [{"id": "a", "price": 1}, {"id": "b", "price": 2}]
    assert policy.explain({}, iter(items), "b").action == policy.explain({}, items, "b").action
    with pytest.raises(TypeError, match="actions: a list is needed, not NoneType"):
        policy.explain({})


def test_what_is_no_event_of_a_policy_is_told_as_such():
    policy = neuralts.Policy("linear-ts", features="auto", seed=1)
    with pytest.raises(ValueError, match="event's id is not Unicode"):
        policy.select({}, ["a"], event_id="\ud800")
    assert policy.open == 0
    numbers = neuralts.Policy("linear-ts", dim=2)
    with pytest.raises(neuralts.ContractError, match="takes numbers"):
        numbers.explain(numbers.select([[1, 2], [3, 4]]))


def test_declared_features_refuse_by_name():
    policy = neuralts.Policy("linear-ts", features={"context": {"hour": {"kind": "number", "mean": 12, "deviation": 7}}, "action": {"id": "id"}, "events": 1})
    with pytest.raises(neuralts.ContractError, match="field 'hour'"):
        policy.select({"hour": "noon"}, ["a"])
    with pytest.raises(neuralts.ContractError, match="field 'planet'"):
        policy.select({"planet": "Mars"}, ["a"])
    with pytest.raises(neuralts.BadSpecError, match="did you mean 'context'"):
        neuralts.Policy("linear-ts", features={"contexts": {}})


def test_numbers_and_objects_do_not_mix():
    objects, numbers = neuralts.Policy("random", features="auto"), neuralts.Policy("random", dim=2)
    with pytest.raises(neuralts.ContractError, match="made with features"):
        objects.learn([1.0, 2.0], 1.0)
    with pytest.raises(neuralts.ContractError, match="takes numbers"):
        numbers.select({"a": 1}, ["x"])
    with pytest.raises(neuralts.ContractError, match="takes numbers"):
        numbers.reward("e", 1.0)
    with pytest.raises(neuralts.ContractError, match="dim and features"):
        neuralts.Policy("random", dim=2, features="auto")
    with pytest.raises(TypeError, match="dim is needed"):
        neuralts.Policy("random")


def test_keeping_a_policy(tmp_path):
    policy = trained(rounds=40)
    policy.save(tmp_path / "p.nts")
    copies = [neuralts.Policy.load(tmp_path / "p.nts"), pickle.loads(pickle.dumps(policy)), policy.copy()]
    actions = [{"id": "a"}, {"id": "b"}, {"id": "new"}]
    first = [policy.select({"country": "DE", "hour": h}, actions) for h in range(10)]
    for copy in copies:
        for h, d in enumerate(first):
            again = copy.select({"country": "DE", "hour": h}, actions)
            assert again.action == d.action and again.event_id == d.event_id and np.array_equal(again.mean, d.mean)


def test_a_choice_is_kept_until_its_reward_comes():
    policy = trained()
    d = policy.select({"country": "DE", "hour": 3, "new": True, "city": None}, actions=[{"id": "a"}, {"id": "b"}])
    again = pickle.loads(pickle.dumps(d))
    assert (again.action, again.event_id, again.arm, again.probability) == (d.action, d.event_id, d.arm, d.probability)
    assert again.mean.tolist() == d.mean.tolist()
    assert str(policy.explain(again)) == str(policy.explain(d))
    assert policy.reward(again.event_id, 1.0) == "learned"


def test_explanations():
    policy = trained()
    d = policy.select({"country": "DE", "hour": 3}, [{"id": "a"}, {"id": "b"}])
    why = policy.explain(d)
    assert why.action == d.action and why.other != d.action
    assert "country=DE x id=" in why.contributions[0].name
    assert sum(c.mean for c in why.contributions) == pytest.approx(why.mean - why.other_mean)
    assert "what it adds against the other" in str(why)
    assert policy.explain({"country": "FR"}, ["a", "b"], "b").action == "b"
    with pytest.raises(neuralts.ContractError, match="no action 'c'"):
        policy.explain({"country": "FR"}, ["a", "b"], "c")


def test_arms_by_name_come_and_go():
    policy = neuralts.Policy("linear-ucb", features={"events": 4}, arms=3, seed=1)
    for _ in range(30):
        d = policy.select({"x": 1.0}, ["a", "b", "c"])
        policy.reward(d.event_id, float(d.action == "c"))
    assert policy.arm_names == ["a", "b", "c"] and policy.select({"x": 1.0}, ["a", "b", "c"]).action == "c"
    with pytest.raises(neuralts.ContractError, match="no room for another arm"):
        policy.select({"x": 1.0}, ["a", "d"])
    assert policy.retire("c") and not policy.retire("c")
    assert policy.select({"x": 1.0}, ["a", "d"]).action in ("a", "d")
    assert policy.arm_names == ["a", "b", "d"]


def test_logged_and_fitted(tmp_path):
    policy = neuralts.Policy("random", features={"events": 16}, seed=1)
    log = neuralts.LogWriter(tmp_path / "shop.jsonl")
    policy.log_to(log)
    numbers = np.random.default_rng(1)
    for t in range(300):
        decision, reward = personal_round(numbers, policy, time=1.7e9 + t)
        policy.reward(decision.event_id, reward, time=1.7e9 + t + 60)
    log.flush()
    fitted = neuralts.Policy("linear-ucb", features="auto", seed=1)
    report = fitted.fit(neuralts.read_log(tmp_path / "shop.jsonl"))
    assert report["events"] == 300 and report["mean_weight"] == pytest.approx(1)
    numbers = np.random.default_rng(2)
    assert sum(personal_round(numbers, fitted)[1] for _ in range(100)) > 90


def test_a_policy_over_numbers_fits_too(tmp_path):
    neuralts.log_run("quadratic:dim=4,arms=3,noise=0", "random", tmp_path / "log.jsonl", rounds=200, seed=3)
    policy = neuralts.Policy("linear-ts", dim=4)
    assert policy.fit(tmp_path / "log.jsonl")["events"] == 200
    with pytest.raises(neuralts.BadInputError, match="no contexts of 5 numbers"):
        neuralts.Policy("linear-ts", dim=5).fit(tmp_path / "log.jsonl")


def test_features_are_the_same_wherever_they_are_encoded(tmp_path):
    """From dictionaries, from a log, and after saving: bit for bit."""
    numbers = np.random.default_rng(3)
    events = [({"country": "DE" if i % 2 else "FR", "hour": float(numbers.normal())}, [{"id": f"i{k}", "price": float(numbers.normal())} for k in range(3)]) for i in range(50)]
    features = neuralts.Features.learn(events)
    again = neuralts.Features(features.to_json())
    with neuralts.LogWriter(tmp_path / "log.jsonl") as log:
        for i, (context, actions) in enumerate(events):
            log.decision(f"e{i}", 0, [1 / 3] * 3, context=context, actions=actions)
    for (context, actions), round in zip(events, neuralts.read_log(tmp_path / "log.jsonl")):
        rows = features.encode(context, actions)
        assert np.array_equal(rows, again.encode(context, actions))
        assert np.array_equal(rows, again.encode(round.context, round.features))
    assert len(features.columns) == len(features) == rows.shape[1]


def test_explained_on_the_command_line(tmp_path):
    program = os.environ.get("NEURALTS_CLI")
    if not program:
        pytest.skip("NEURALTS_CLI is not set")
    trained().save(tmp_path / "shop.nts")
    schema = subprocess.run([program, "explain", tmp_path / "shop.nts"], capture_output=True, text=True)
    assert schema.returncode == 0 and "context x action" in schema.stdout
    event = '{"context": {"country": "DE", "hour": 3}, "actions": ["a", {"id": "b"}]}'
    why = subprocess.run([program, "explain", tmp_path / "shop.nts", "--event", event], capture_output=True, text=True)
    assert why.returncode == 0 and why.stdout.startswith("'a': mean") and "country=DE x id=" in why.stdout
    other = subprocess.run([program, "explain", tmp_path / "shop.nts", "--event", "{", "--json"], capture_output=True, text=True)
    assert other.returncode == 1 and "--event: expected" in other.stderr
