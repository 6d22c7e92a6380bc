"""The table of doc/python.md: what is read in place, what is converted, what is refused and how."""

import numpy as np
import pytest

import neuralts

DIM = 4


@pytest.fixture
def policy():
    return neuralts.Policy("random", dim=DIM)


@pytest.fixture
def disjoint():
    return neuralts.Policy("random", dim=DIM, arms=3)


def rows(**changes):
    return np.arange(12.0).reshape(3, DIM).astype(changes.get("dtype", float))


READABLE = {
    "float64": rows(),
    "float32": rows(dtype=np.float32),
    "int64": rows(dtype=np.int64),
    "bool": rows(dtype=bool),
    "lists": rows().tolist(),
    "fortran order": np.asfortranarray(rows()),
    "every other row": np.repeat(rows(), 2, axis=0)[::2],
    "reversed": rows()[::-1, ::-1],
    "unaligned": np.frombuffer(b"x" + rows().tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(3, DIM),
    "read-only": np.broadcast_to(1.0, (3, DIM)),
}

REFUSED = {
    "complex": (rows(dtype=complex), TypeError, "real numbers are needed, not dtype complex128"),
    "text": (np.array([["a"] * DIM]), TypeError, "real numbers are needed"),
    "objects": (np.full((3, DIM), None), TypeError, "real numbers are needed, not dtype object"),
    "dates": (rows(dtype="datetime64[s]"), TypeError, "real numbers are needed"),
    "ragged": ([[1.0] * DIM, [1.0]], ValueError, "inhomogeneous"),
    "one row": (np.ones(DIM), neuralts.ContractError, r"shape \(4,\): a matrix with a row per arm is needed"),
    "three axes": (np.ones((1, 1, DIM)), neuralts.ContractError, r"shape \(1, 1, 4\)"),
    "a number": (3.0, neuralts.ContractError, r"shape \(\)"),
    "wrong length": (np.ones((3, DIM + 1)), neuralts.ContractError, r"shape \(3, 5\): .* each of 4 numbers"),
    "no arms": (np.ones((0, DIM)), neuralts.ContractError, "at least one arm"),
    "no numbers": (np.ones((3, 0)), neuralts.ContractError, r"shape \(3, 0\)"),
    "masked": (np.ma.masked_array(rows(), mask=rows() == rows()[0, 0]), neuralts.ContractError, "some numbers are masked"),
    "NaN": (np.where(np.arange(DIM) == 2, np.nan, rows()), neuralts.ContractError, "arm 0 is not finite: number 2 is nan"),
    "infinity": (np.where(np.arange(DIM) == 1, -np.inf, rows()), neuralts.ContractError, "not finite: number 1 is -inf"),
    "huge K": (np.broadcast_to(np.float32(1.0), (1 << 50, DIM)), MemoryError, "allocate"),
}


@pytest.mark.parametrize("case", READABLE)
def test_readable(policy, case):
    assert policy.select(READABLE[case], seed=1).arm == policy.select(rows(), seed=1).arm


@pytest.mark.parametrize("case", REFUSED)
def test_refused(policy, case):
    contexts, exception, text = REFUSED[case]
    with pytest.raises(exception, match=text):
        policy.select(contexts)


def test_a_refused_call_draws_nothing(policy):
    twin = policy.copy()
    for contexts, exception, _ in REFUSED.values():
        with pytest.raises(exception):
            policy.select(contexts)
    assert [policy.select(rows()).arm for _ in range(20)] == [twin.select(rows()).arm for _ in range(20)]


@pytest.mark.parametrize(
    "arms, exception, text",
    [
        (4, neuralts.ContractError, "block 3, the policy was made for 3"),
        (1 << 60, neuralts.ContractError, "block 3, the policy was made for 3"),
        (0, neuralts.ContractError, "at least one arm"),
        ([], neuralts.ContractError, "at least one arm"),
        ([0, 3], neuralts.ContractError, "block 3, the policy was made for 3"),
        ([-1], neuralts.ContractError, "there is no arm -1"),
        ([1 << 40], neuralts.ContractError, "there is no arm"),
        ([0.5], TypeError, "whole numbers are needed"),
        ([[0, 1]], neuralts.ContractError, r"not shape \(1, 2\)"),
    ],
)
def test_refused_arms(disjoint, arms, exception, text):
    with pytest.raises(exception, match=text):
        disjoint.select_disjoint(np.ones(DIM), arms)


def test_disjoint_contexts(disjoint):
    x = np.ones(DIM)
    assert len(disjoint.select(x).probabilities) == 3
    assert disjoint.select(x, seed=5).arm == disjoint.select_disjoint(x, seed=5).arm == disjoint.select_disjoint(x, 3, seed=5).arm
    assert len(disjoint.select_disjoint(x, np.array([2, 0], dtype=np.uint8)).probabilities) == 2
    with pytest.raises(neuralts.ContractError, match="give the one x of 4 numbers that they share"):
        disjoint.select(rows())


@pytest.mark.parametrize(
    "contexts, rewards, arms, text",
    [
        (np.ones((2, DIM)), [1.0], None, r"2 contexts but rewards of shape \(1,\)"),
        (np.ones((2, DIM)), [[1.0, 2.0]], None, r"rewards of shape \(1, 2\)"),
        (np.ones(DIM), np.nan, None, "a reward is not finite: nan"),
        (np.ones(DIM), np.inf, None, "a reward is not finite: inf"),
        (np.ones((3, DIM)), [1, 0, np.nan], None, "round 2 of 3, from 0: a reward is not finite: nan"),
        (np.ones(DIM + 1), 1.0, None, "of 4 numbers is needed"),
        (np.ones((1, 1, DIM)), 1.0, None, "one context or a matrix"),
        (3.0, 1.0, None, r"shape \(\)"),
        ([np.nan] * DIM, 1.0, None, "not finite"),
        (np.ones(DIM), 1.0, [0, 0], "1 contexts but 2 arms"),
        (np.ones(DIM), 1.0, 1, "block 1, the policy was made for 1"),
    ],
)
def test_refused_history(policy, contexts, rewards, arms, text):
    with pytest.raises(neuralts.ContractError, match=text):
        policy.learn(contexts, rewards, arms)


def test_history_of_disjoint_contexts_names_its_arms(disjoint):
    disjoint.learn(np.ones(DIM), 1.0, arms=2)
    disjoint.learn(np.ones((2, DIM)), [1, 0], arms=[2, 0])
    disjoint.learn(np.ones((0, DIM)), [], arms=[])
    disjoint.played(np.ones(DIM), 1)
    with pytest.raises(neuralts.ContractError, match="say whose rewards these are with arms="):
        disjoint.learn(np.ones(DIM), 1.0)
    with pytest.raises(neuralts.ContractError, match="block 3"):
        disjoint.played(np.ones(DIM), 3)


@pytest.mark.parametrize(
    "arguments, exception, text",
    [
        (dict(name="rendom", dim=2), neuralts.BadSpecError, "did you mean 'random'"),
        (dict(name="random", dim=0), neuralts.ContractError, "needs a shape"),
        (dict(name="random", dim=2, arms=0), neuralts.ContractError, "needs a shape"),
        (dict(name="random", dim=2, nonsense=1), neuralts.BadSpecError, "nonsense"),
        (dict(name="random", dim=2, floor=[1]), TypeError, "floor: a number, text, True or False is needed, not list"),
        (dict(name="random", dim=2, preset="none"), neuralts.BadSpecError, "preset"),
        (dict(name="random", dim=-1), TypeError, "dim"),
    ],
)
def test_refused_policies(arguments, exception, text):
    with pytest.raises(exception, match=text):
        neuralts.Policy(**arguments)


def test_frames_and_sparse_matrices_are_what_their_arrays_are():
    """Everywhere an array of contexts is taken: select, learn, a world's X."""
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    numbers = np.where(np.random.default_rng(2).random((6, 4)) < 0.5, 0.0, np.arange(24.0).reshape(6, 4))
    mixed = pandas.DataFrame({"a": numbers[:, 0].astype(int), "b": numbers[:, 1], "c": numbers[:, 2].astype("float32"), "d": numbers[:, 3] > 5})
    kinds = [numbers, pandas.DataFrame(numbers), sparse.csr_matrix(numbers), sparse.coo_matrix(numbers), sparse.csc_array(numbers)]
    plays = []
    for kind in kinds:
        policy = neuralts.Policy("linear-ts", dim=4, seed=1)
        policy.learn(kind, np.arange(6.0))
        decision = policy.select(kind)
        plays.append((decision.arm, decision.mean.tolist(), decision.width.tolist()))
    assert all(play == plays[0] for play in plays)
    assert neuralts.Policy("random", dim=4).select(mixed).probabilities.shape == (6,)
    labels = ["x", "y", "x", "y", "y", "x"]
    worlds = [neuralts.Environment(kind, labels, normalise="none") for kind in kinds]
    first = [[episode.contexts.tolist() for episode in world.start(3)] for world in worlds]
    assert all(rows == first[0] for rows in first)


def test_a_frame_of_words_is_refused_by_its_column():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="city"):
        neuralts.Policy("random", dim=2).select(pandas.DataFrame({"age": [1.0, 2.0], "city": ["Rome", "Bonn"]}))


@pytest.mark.parametrize("bad, text", [(np.nan, "number 1 is nan"), (np.inf, "number 1 is inf"), (1e200, r"number 1 is 1e\+200: finite numbers up to 1e15")])
def test_a_kernel_of_numbers_that_are_none_is_refused(bad, text):
    contexts = np.ones((3, DIM))
    contexts[2, 1] = bad
    with pytest.raises(neuralts.ContractError, match="context 2 of a kernel matrix: " + text):
        neuralts.tangent_kernel(contexts)
    with pytest.raises(neuralts.ContractError, match="has no numbers"):
        neuralts.tangent_kernel(np.ones((3, 0)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: neuralts.Policy("random", dim=DIM, arms=2**64),
        lambda: neuralts.Policy("random", dim=2**64),
        lambda: neuralts.Policy("random", dim=DIM, seed=2**64),
        lambda: neuralts.Policy("random", dim=DIM, arms=3).select_disjoint(np.ones(DIM), 2**64),
        lambda: neuralts.Environment(lambda seed: [], dim=DIM, arms=2**64),
        lambda: neuralts.Environment("quadratic").start(2**64),
        lambda: neuralts.run("quadratic", "random", seeds=[2**64], rounds=1),
    ],
)
def test_a_whole_number_beyond_64_bits_is_named(call):
    with pytest.raises(neuralts.ContractError, match="18446744073709551616 is too large: at most 18446744073709551615"):
        call()
