"""Four lines to an experiment: worlds x policies x seeds, in parallel, with curves, tables and a report.

>>> import neuralts
>>> results = neuralts.run("quadratic", ["linear-ts", "random"], seeds=2, rounds=100, progress=False)
>>> len(results)
4
>>> print(results.table())  # doctest: +NORMALIZE_WHITESPACE
           quadratic
linear-ts  ...
random     ...
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from typing import Any, Optional, TextIO, Union

from neuralts._core import Environment, Sweep
from neuralts.errors import ContractError
from neuralts.own import identity, is_own, maker
from neuralts.results import Results

World = Union[str, Environment]
PolicyLike = Union[str, tuple[str, Mapping[str, Any]], tuple[str, Any]]
Values = Union[str, int, float, Sequence[Union[str, int, float]]]


def run(
    envs: Union[World, Iterable[World]],
    policies: Union[PolicyLike, Iterable[PolicyLike], Mapping[str, Any]],
    *,
    seeds: Union[int, Iterable[int]] = 8,
    rounds: int = 0,
    set: Optional[Mapping[str, Values]] = None,
    delays: Union[str, int, Iterable[Union[str, int]]] = "0",
    jobs: int = 0,
    results: Union[None, str, os.PathLike[str]] = None,
    data_dir: str = "",
    progress: Optional[bool] = None,
) -> Results:
    """Runs every policy in every world with every seed and returns the results.

    ``envs``: names, files, or ``Environment`` objects. ``policies``: names, ``"name:key=value,..."``, ``(name, {key: value})``, or a
    dictionary from names to parameters and to policies of your own: ``{"mine": MyPolicy, "neural-ts": {"nu": 0.1}}`` (neuralts.own).
    ``seeds``: how many, or which. ``rounds``: 0 for each world's own horizon. ``set``: parameters, one value or several, for the
    policies that have them. ``delays``: when rewards arrive (see doc/experiments.md). ``jobs``: runs at a time, 0 for one per core.
    ``results``: a folder shared with the command line; what it holds already is not run again. ``progress``: a bar on standard
    error; by default where somebody is looking. A run that fails is warned of and stands in the table as failed; of the rest nothing
    is lost.
    """
    worlds = _listed(envs, (str, Environment))
    named, own = _sorted(policies)
    made = [world for world in worlds if isinstance(world, Environment)]
    sweep = Sweep(
        envs=_labels(worlds),
        policies=named,
        set={key: [_text(value) for value in _listed(values, (str, int, float))] for key, values in (set or {}).items()},
        seeds=list(range(1, seeds + 1)) if isinstance(seeds, int) else list(seeds),
        delays=[_text(delay) for delay in _listed(delays, (str, int))],
        rounds=rounds,
        worlds=made,
        own=own,
        folder="" if results is None else os.fspath(results),
        jobs=jobs,
        data_dir=data_dir,
    )
    watched = sys.stderr.isatty() if progress is None else progress
    found = Results.from_lines(_watch(sweep, sys.stderr if watched else None))
    if found.failed:
        first = found.failed[0]
        warnings.warn(
            f"{len(found.failed)} of {len(found)} runs failed; the first: {first.label} in {first.env}, seed {first.seed}: {first.error}",
            RuntimeWarning,
            stacklevel=2,
        )
    return found


def _sorted(given: Any) -> tuple[list[str], dict[str, tuple[Any, str]]]:
    """The names of all policies, with parameters, in order; and those of the user's own, each with what it is known by."""
    named: list[str] = []
    own: dict[str, tuple[Any, str]] = {}
    for policy in given.items() if isinstance(given, Mapping) else _policies(given):
        if not isinstance(policy, str) and is_own(policy[1]):
            own[policy[0]] = (maker(*policy), identity(policy[1]))
            named.append(policy[0])
        else:
            named.append(_policy_text(policy))
    return named, own


def _listed(given: Any, single: tuple[type, ...]) -> list[Any]:
    return [given] if isinstance(given, single) else list(given)


def _labels(worlds: list[World]) -> list[str]:
    labels = [world.label if isinstance(world, Environment) else world for world in worlds]
    for label in labels:
        if labels.count(label) > 1:
            raise ContractError(f"two worlds are called {label!r}: give them names that differ")
    return labels


def _policies(given: Any) -> list[PolicyLike]:
    """One policy or several; a tuple is one when a mapping, or a policy of the user's, follows its name."""
    pair = isinstance(given, tuple) and len(given) == 2 and (isinstance(given[1], Mapping) or is_own(given[1]))
    return [given] if pair or isinstance(given, str) else list(given)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _policy_text(policy: PolicyLike) -> str:
    if isinstance(policy, str):
        return policy
    name, params = policy
    return name + "".join((":" if i == 0 else ",") + f"{key}={_text(value)}" for i, (key, value) in enumerate(params.items()))


def _watch(sweep: Sweep, screen: Optional[TextIO]) -> list[str]:
    """The sweep runs beside this thread, which shows how far it is and can be interrupted."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(sweep.run)
        try:
            while True:
                try:
                    return running.result(timeout=0.1)
                except TimeoutError:
                    if running.done():
                        raise
                    _show(sweep, screen)
        except BaseException:
            sweep.stop()
            raise
        finally:
            if screen is not None:
                screen.write("\n")


def _show(sweep: Sweep, screen: Optional[TextIO]) -> None:
    if screen is None:
        return
    done, total, failed = sweep.progress()
    part = done / total if total else 0.0
    bar = "#" * int(30 * part)
    screen.write(f"\r[{bar:<30}] {100 * part:3.0f} %  {int(done)} of {total} runs" + (f", {failed} failed" if failed else ""))
    screen.flush()
