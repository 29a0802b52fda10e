"""From the answers of the probes to the facts: what was read, and why the rest is missing."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import msgspec

from checks.engine.plans.ask import OWN
from checks.engine.processes.runner import Answer
from checks.engine.processes.surroundings import probe_environment
from checks.engine.request import Request
from checks.engine.sent_scripts import with_scripts_read
from checks.facts import (
    EnvironmentVariables,
    Fact,
    Facts,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    ModelFacts,
    ProbeRun,
    ProbeRuns,
    Symptom,
)
from checks.knowledge.packages.environment_variables import allowed_names
from checks.machine import read_machine
from checks.prepared import prepared

_FRAMEWORKS = Frameworks.__struct_fields__[2:]  # after origin and unread
_OF_A_PYTHON = ("frameworks", "interpreter", "environment", "installed", "searched")


def collected(
    request: Request,
    target: InterpreterFacts | None,
    interpreters: tuple[InterpreterFacts, ...],
    models: tuple[ModelFacts, ...],
    answers: Mapping[str, Answer],
    read: Mapping[str, Fact | None],
    *,
    here: bool = True,
) -> Facts:
    """All facts that are known before any model is tried. ``answers`` and ``read``, their facts, are by probe.

    ``here``: this process asked them on this machine.
    """
    missing: dict[str, str] = {}
    machine = _machine(answers, missing)
    if target is None:
        # Who asks about a program with a runtime of its own misses nothing of any Python.
        reason = "not-asked" if request.program else "no-interpreter"
        missing.update(dict.fromkeys((*_FRAMEWORKS, *_OF_A_PYTHON), reason))
    given = {"models": request.models, "runs": request.runs}
    missing.update({name: "none-given" for name, values in given.items() if not values})
    return Facts(
        machine=machine,
        interpreters=interpreters,
        target=target.path if target else None,
        frameworks=_frameworks(target, answers, read, missing),
        environment=_environment(target, read.get("environment"), here=here),
        probes=ProbeRuns(runs=tuple(answer.run for answer in answers.values())),
        runs=request.runs,
        symptom=Symptom(
            origin="user", name=request.answers.symptom, exactness=request.answers.exactness, program=request.program
        ),
        logs=request.logs,
        scripts=with_scripts_read(request.scripts),
        models=models,
        others=request.others,
        missing=missing,
        here=here,
    )


def merged(target: InterpreterFacts | None, found: tuple[InterpreterFacts, ...]) -> tuple[InterpreterFacts, ...]:
    """All interpreters with the target among them, once and as it was read."""
    if target is None:
        return found
    others = (other for other in found if other.path != target.path and other.prefix != (target.prefix or ""))
    return (target, *others)


def _reason(run: ProbeRun) -> str:
    return "cancelled" if run.status == "cancelled" else "probe-failed"


def _machine(answers: Mapping[str, Answer], missing: dict[str, str]) -> MachineFacts | None:
    machine, nvidia = (answers[probe] for probe in OWN)
    facts = read_machine(machine.facts or None, nvidia.facts or None)
    reason = _reason(machine.run) if machine.run.status != "ok" else "not-on-this-system"
    for part in ("os", "cpu", "memory", "gpus", "nvidia", "amd", "intel", "apple", "jetson", "accelerators"):
        if getattr(facts, part) is None:
            missing[part] = reason
    if facts.nvidia is None and nvidia.run.status not in {"ok", "failed"}:
        missing["nvidia"] = _reason(nvidia.run)
    return facts


def _frameworks(
    target: InterpreterFacts | None,
    answers: Mapping[str, Answer],
    read: Mapping[str, Fact | None],
    missing: dict[str, str],
) -> Frameworks | None:
    if target is None:
        return None
    if target.problem is not None:
        missing.update(dict.fromkeys((*_FRAMEWORKS, "frameworks"), "interpreter-not-usable"))
        return None
    found = {name: fact for name in _FRAMEWORKS if (fact := read.get(name)) is not None}
    for name in _FRAMEWORKS:
        if name in answers and name not in found:
            missing[name] = _reason(answers[name].run)
        elif name not in answers:
            missing[name] = "packages-unread" if target.packages is None else "not-installed"
    return msgspec.convert(found, prepared(Frameworks), from_attributes=True)


def _environment(target: InterpreterFacts | None, fact: Fact | None, *, here: bool) -> EnvironmentVariables | None:
    if isinstance(fact, EnvironmentVariables):
        return fact
    if target is None or not here:
        return None
    # It did not get so far as to say what it sees, perhaps because of that: what its process was given.
    given = probe_environment(target.path)
    values = {name: given[name] for name in allowed_names() if name in given}
    return EnvironmentVariables(origin="environment", values=values, limits=_own_limits())


def _own_limits() -> dict[str, int] | None:
    """Those of this process, which the target's was given, too; read as the probe does."""
    asked: dict[str, dict[str, int]] = importlib.import_module("checks.probes.ask.environment").limits(None)
    return asked.get("limits")
