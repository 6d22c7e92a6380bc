"""The examples and the tutorial run, and the tutorial prints what it says."""

import doctest
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest

ROUNDS = ["--rounds", "60"]
ARGUMENTS = {
    "quickstart": ([], "played with probability"),
    "own_environment": (ROUNDS, "of 60"),
    "delayed_rewards": ([*ROUNDS, "--delay", "5"], "by hand, each reward 5 rounds late"),
    "compare_policies": ([*ROUNDS, "--seeds", "2", "--out", "regret.png"], "linear-ucb"),
    "read_log": ([*ROUNDS, "--log", "log.jsonl"], "rounds that counted"),
    "shop": (["--rounds", "60", "--seeds", "1"], "neural-ts, objects"),
}


def test_every_example_is_listed(root):
    assert {path.stem for path in (root / "examples").glob("*.py")} == set(ARGUMENTS) | {"shop_world"}  # a world that two of them share


@pytest.mark.parametrize("name", ARGUMENTS)
def test_example(root, name, tmp_path):
    arguments, expected = ARGUMENTS[name]
    command = [sys.executable, str(root / "examples" / f"{name}.py"), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout and "nan" not in done.stdout
    if "regret.png" in arguments:
        assert (tmp_path / "regret.png").read_bytes().startswith(b"\x89PNG")


def cells(page):
    """(code, what it prints or None) of every Python cell of a page."""
    for code, printed in re.findall(r"```python\n(.*?)```\n(?:\n?```text\n(.*?)```)?", page, flags=re.S):
        yield code, printed or None


def test_the_tutorial_prints_what_it_says(root, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for code, printed in cells((root / "doc" / "python.md").read_text()):
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(code, "doc/python.md", "exec"), names)
        assert doctest.OutputChecker().check_output(printed or "", out.getvalue(), doctest.ELLIPSIS), f"{code}\n{out.getvalue()}"
