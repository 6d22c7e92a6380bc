"""A wheel is built offline and works where nothing else of the project is."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest


# What the package does not need is not found: command line, experiment files in TOML, download, MPI, tests and benchmarks.
WITHOUT = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("CLI11", "CURL", "MPI", "GTest", "benchmark", "tomlplusplus")]
WITHOUT.append("-DNEURALTS_TOML_DIR=OFF")


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    for needed in ("pip", "setuptools", "wheel"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    folder = tmp_path_factory.mktemp("site")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    environment = {**os.environ, "CMAKE_ARGS": " ".join(WITHOUT), "CMAKE_CXX_COMPILER_LAUNCHER": shutil.which("ccache") or ""}
    done = subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", str(folder), str(root)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def python(installed, code):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", code], cwd=installed, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_package_decides(installed):
    code = "import neuralts; print(neuralts.__file__); print(len(neuralts.Policy('random', dim=2).select([[1, 0], [0, 1]]).probabilities))"
    where, arms = python(installed, code).splitlines()
    assert where.startswith(str(installed)) and arms == "2"


def test_the_installed_package_is_typed_and_whole(installed):
    package = installed / "neuralts"
    source = {"py.typed", "_core.pyi", "__init__.py", "coba.py", "estimator.py", "gym.py", "lab.py", "logs.py", "results.py", "errors.py"}
    assert source <= {path.name for path in package.iterdir()}
    version = python(installed, "import neuralts, importlib.metadata as m; print(m.version('neuralts') == neuralts.__version__)")
    assert version.strip() == "True"
