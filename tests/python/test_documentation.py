"""The examples in docstrings run, and the stubs say what is there."""

import ast
import doctest
import inspect
import pkgutil
import subprocess
import sys

import pytest

import neuralts
import neuralts._core


def modules():
    yield neuralts
    for found in pkgutil.walk_packages(neuralts.__path__, "neuralts."):
        if not found.name.endswith("._core"):
            yield __import__(found.name, fromlist=["_"])


def documented():
    """(name, docstring) of every public thing that has an example."""
    for module in modules():
        things = {module.__name__: module}
        for name in getattr(module, "__all__", vars(module)):
            thing = getattr(module, name)
            if getattr(thing, "__module__", "") in (module.__name__, "neuralts._core" if module is neuralts else None):
                things[f"{module.__name__}.{name}"] = thing
                if inspect.isclass(thing):
                    things.update({f"{module.__name__}.{name}.{m}": v for m, v in vars(thing).items() if callable(v)})
        for name, thing in things.items():
            if ">>>" in (getattr(thing, "__doc__", None) or ""):
                yield name, thing.__doc__


@pytest.mark.parametrize("name, text", [pytest.param(*item, id=item[0]) for item in documented()])
def test_examples(name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.attempted > 0 and result.failed == 0


def test_types(root, tmp_path):
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), "--cache-dir", str(tmp_path), "-p", "neuralts"]
    done = subprocess.run(command, cwd=root / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def stubbed(body):
    return {n.name for n in body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and not n.name.startswith("_")}


def present(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


def test_stubs_match_the_extension(root):
    stub = ast.parse((root / "python" / "neuralts" / "_core.pyi").read_text())
    assert stubbed(stub.body) == present(neuralts._core)
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            assert stubbed(node.body) == present(getattr(neuralts._core, node.name)), node.name
