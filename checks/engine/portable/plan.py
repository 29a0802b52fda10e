"""What the portable probe asks and computes, of the same catalogues that an examination here goes by.

It knows none of our tables and types, so all of it becomes plain data: plan.json beside checks/probes/portable/main.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checks import __version__
from checks.engine.catalogues.computations import (
    COMPUTATION_PROBES,
    ComputationSpec,
    Setting,
    argument_of,
    time_limit,
)
from checks.engine.catalogues.probes import PROBES, ProbeSpec
from checks.engine.plans.ask import OWN
from checks.engine.plans.compute import BUDGET
from checks.engine.scripts import script_of
from checks.knowledge.frameworks.numeric_environment import NumericEnvironmentTable
from checks.knowledge.packages.interpreter_places import InterpreterPlaces

PYTHON, PYTHONS = "python", "pythons"  # the steps that say what the target is, and which others there are
SCRIPTS = (script_of(f"ask/{PYTHON}"), script_of(f"ask/{PYTHONS}"))
# Two machines are compared by portraits, which is why they get more of the time than elsewhere; what changes from run
# to run on one machine is asked where there is more time. A load, and what needs other processes, is left out.
_KINDS = {
    "quick": {"portrait": 1.0},
    "standard": {"portrait": 2.0, "repeat": 4.0, "experiment": 2.0, "precision": 2.0},
}
_EFFORT = "standard"  # whose limits the questions have
_LOOK = 30.0  # seconds to look for interpreters
_TIMEOUT = 1800.0  # seconds for everything, where nobody names others


def plan(words: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The whole plan. ``words``: language -> what the probe says, by key."""
    return {
        "naosu": __version__,
        "words": words,
        "timeout": _TIMEOUT,
        "variables": _variables(),
        "asks": list(_asks()),
        "computations": {effort: [_computation(spec, effort) for spec in COMPUTATION_PROBES] for effort in _KINDS},
    }


def _variables() -> list[str]:
    """Those that change numbers: only machines that agree in them are held against each other."""
    known = NumericEnvironmentTable.read()
    return [name for part in ("thread-variables", "variables", "random-variables") for name in known.names(part)]


def _asks() -> Iterator[dict[str, Any]]:
    known = {spec.id: spec for spec in PROBES}
    places = [[row.found_by, row.systems, row.paths] for row in InterpreterPlaces.read().place]
    yield from (_ask(known.pop(name), isolated=True) for name in OWN)
    yield {"id": PYTHONS, "stem": "ask/pythons", "argument": {"places": places}} | _limit(_LOOK, isolated=True)
    yield {"id": PYTHON, "stem": "ask/python", "argument": {}} | _limit(_LOOK, isolated=False)
    yield from (_ask(spec, isolated=False) for spec in known.values())


def _ask(spec: ProbeSpec, *, isolated: bool) -> dict[str, Any]:
    asked = {"id": spec.id, "stem": f"ask/{spec.id}", "argument": spec.argument()}
    return asked | _limit(spec.time_limit(_EFFORT), isolated=isolated) | {"distributions": spec.distributions}


def _limit(seconds: float, *, isolated: bool) -> dict[str, Any]:
    return {"limit": seconds, "isolated": isolated, "distributions": ()}


def _computation(spec: ComputationSpec, effort: str) -> dict[str, Any]:
    return {
        "framework": spec.framework,
        "stem": spec.stem,
        "package": spec.package,
        "cpu": [_way(spec, setting, effort) for setting in spec.settings if not setting.only_accelerators],
        "accelerator": [_way(spec, setting, effort) for setting in spec.settings],
    }


def _way(spec: ComputationSpec, setting: Setting, effort: str) -> dict[str, Any]:
    kinds = {kind: part for kind, part in _KINDS[effort].items() if kind in (setting.kinds or spec.kinds)}
    every = sum(part for kind, part in _KINDS[effort].items() if kind in spec.kinds)
    seconds = {kind: BUDGET[effort] * part / every for kind, part in kinds.items()}
    return {
        "setting": setting.id,
        "named": setting is not spec.settings[0],
        "environment": dict(setting.environment),
        "argument": {**argument_of("", effort, seconds, setting.id), "compile": False},
        "limit": time_limit(effort, seconds),
    }
