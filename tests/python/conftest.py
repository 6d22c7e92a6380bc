import os
import pathlib

import numpy as np
import pytest

import neuralts

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def golden_dir():
    return pathlib.Path(os.environ.get("NEURALTS_GOLDEN", ROOT / "tests" / "golden"))


@pytest.fixture
def contexts():
    """Ten arms, five unit numbers each."""
    numbers = np.random.default_rng(3).normal(size=(10, 5))
    return numbers / np.linalg.norm(numbers, axis=1, keepdims=True)


@pytest.fixture
def world(environment_name, tmp_path):
    """The world of that name; a log's is made here, data sets may be elsewhere."""
    if environment_name == "log":
        neuralts.log_run("quadratic", "random", tmp_path / "log.jsonl", rounds=50)
        return neuralts.Environment(f"log:{tmp_path / 'log.jsonl'}")
    try:
        return neuralts.Environment(environment_name)
    except neuralts.NotFoundError as missing:
        if "NEURALTS_DATA" in os.environ:
            raise
        pytest.skip(str(missing))


def pytest_generate_tests(metafunc):
    """Every policy the factory knows: a new one is tested by being there."""
    if "policy_name" in metafunc.fixturenames:
        metafunc.parametrize("policy_name", list(neuralts.policies()))
    if "environment_name" in metafunc.fixturenames:
        metafunc.parametrize("environment_name", list(neuralts.environments()))
