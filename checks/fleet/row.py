"""One answer as a row of the fleet: what the machine is, what is on it, and the bits that it computes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from checks.analysis.history.state import state_of
from checks.analysis.numbers.side_by_side import PACKAGES, environment_parts, gpu_names, side_of
from checks.engine.portable.answer import COMPUTES, FORMAT, File, facts_of, file_of, is_answer
from checks.engine.portable.plan import PYTHON
from checks.facts import Experiment, Facts, MachineFacts, Portrait
from checks.facts.runs import RunStatus
from checks.fleet.sources import Source
from checks.prepared import prepared
from checks.sharing.case import FORMAT as CASE_FORMAT
from checks.sharing.case import CaseError, facts_in

GIB = 1 << 30
_SHORT = 200  # characters of a time or a name
_DEAD = (RunStatus.CRASHED, RunStatus.TIMED_OUT, RunStatus.NOT_STARTED, RunStatus.NOT_PYTHON, RunStatus.NO_ANSWER)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of one host.

    ``problem``: why it tells nothing (an id of errors.toml; "nothing-told"), or less than it should: "python-dead",
    "incomplete"; with ``detail``, as the system or the collector says it.
    ``hardware``, ``software``: name -> value, as ids of resources/words/fleet.toml. ``parts``: of the environment, as
    far as they can change numbers. ``bits``: question -> fingerprint. ``state``: what may change, kind by kind.
    """

    host: str
    place: str
    digest: str = ""
    created: str = ""
    naosu: str = ""
    newer: bool = False
    problem: str = ""
    detail: str = ""
    hardware: dict[str, str] = {}
    software: dict[str, str] = {}
    parts: dict[str, str] = {}
    bits: dict[str, str] = {}
    state: dict[str, dict[str, str]] = {}


class _Named(msgspec.Struct):
    """What of a measurement is its question and its answer."""

    kind: str = ""
    framework: str = ""
    operation: str = ""
    device: str = ""
    dtype: str = ""
    setting: str = "default"
    reason: str = ""
    fingerprint: str = ""
    exact: list[list[str | None]] | None = None


class _Computed(msgspec.Struct):
    measurements: list[_Named] = msgspec.field(name="measurements+", default_factory=list)


class _Line(msgspec.Struct):
    facts: _Computed = msgspec.field(default_factory=_Computed)


def row_of(source: Source) -> Row:
    """What an answer, or a saved case, tells; where it cannot be read, why."""
    if source.problem:
        return Row(host=source.host, place=source.place, problem=source.problem)
    digest = hashlib.sha256(source.data).hexdigest()[:32]
    named: dict[str, Any] = {"host": source.host[:_SHORT], "place": source.place, "digest": digest}
    try:
        return _of_answer(source.data, named) if is_answer(source.data) else _of_case(source.data, named)
    except CaseError as error:
        return Row(**named, problem=error.reason)


def _of_answer(data: bytes, named: Mapping[str, Any]) -> Row:
    file = file_of(data)
    facts = facts_of(file, computed=False)
    runs = facts.probes.runs if facts.probes else ()
    dead = next((run for run in runs if run.probe == PYTHON and run.status in _DEAD), None)
    late = any(step.ended in ("timed-out", "no-time", "cancelled") for step in file.steps)
    detail = (dead.detail or "")[:_SHORT] if dead else ""
    problem = "python-dead" if dead else "incomplete" if late or not file.complete else ""
    known = {"created": file.created[:_SHORT], "naosu": file.naosu[:_SHORT], "newer": file.format > FORMAT}
    return _row(facts, {**named, **known, "problem": problem, "detail": detail}, _bits_of_answer(file))


def _of_case(data: bytes, named: Mapping[str, Any]) -> Row:
    case = facts_in(data)
    facts = case.facts
    known = {"created": case.created, "naosu": case.naosu, "newer": case.format > CASE_FORMAT}
    problem = "" if case.complete else "incomplete"
    return _row(facts, {**named, **known, "problem": problem}, _bits_of_facts(facts))


def _row(facts: Facts, known: Mapping[str, Any], bits: dict[str, str]) -> Row:
    side = side_of(facts)
    parts = dict(environment_parts(side))
    hardware, software = _hardware(facts.machine, facts), _software(facts, parts)
    told = {**known, "problem": known["problem"] or ("" if hardware or software or bits else "nothing-told")}
    return Row(
        **told,
        hardware=hardware,
        software=software,
        parts=parts,
        bits=bits,
        state={kind: dict(values) for kind, values in state_of(facts).items()},
    )


def _hardware(machine: MachineFacts | None, facts: Facts) -> dict[str, str]:
    if machine is None or (machine.cpu is None and machine.os is None):
        return {}
    gpus = [gpu.name or "" for gpu in (machine.nvidia.devices if machine.nvidia else None) or ()]
    gpus = gpus or [gpu.product or gpu.device_id or "" for gpu in (machine.gpus.devices if machine.gpus else ())]
    gpus = gpus or sorted(gpu_names(facts.frameworks).values())
    counted = {name: gpus.count(name) for name in sorted(set(gpus)) if name}
    memory = machine.memory.total if machine.memory else None
    found = {
        "cpu": machine.cpu.name if machine.cpu else None,
        "processors": str(machine.cpu.logical_cores) if machine.cpu and machine.cpu.logical_cores else None,
        "architecture": machine.os.architecture if machine.os else None,
        "memory": None if memory is None else f"{memory / GIB:.0f} GiB",
        "gpus": ", ".join(f"{count} × {name}" for name, count in counted.items()),
    }
    return {name: value for name, value in found.items() if value is not None}


def _software(facts: Facts, parts: Mapping[str, str]) -> dict[str, str]:
    machine, target = facts.machine, facts.target_interpreter
    found = {
        "os": parts.get("os"),
        "kernel": machine.os.kernel if machine and machine.os else None,
        "driver": parts.get("driver"),
        "python": parts.get("python"),
    }
    versions = {package.name: package.version for package in (target.packages if target else None) or ()}
    found |= {name: versions.get(name) for name in PACKAGES}
    return {name: value for name, value in found.items() if value}


# --- bits ------------------------------------------------------------------------------------------------------------


def question_of(framework: str, operation: str, dtype: str, setting: str, device: str) -> str:
    """What was computed where, in one text."""
    return f"{framework}/{operation}/{dtype}/{setting}/{device}"


def _bits_of_answer(file: File) -> dict[str, str]:
    """Read from the lines without making facts of them: what else they hold is a hundred times as much."""
    found: dict[str, str] = {}
    for step in file.steps:
        if step.id.startswith(COMPUTES):
            for line in step.answer.splitlines():
                if '"measurements+"' in line:
                    for named in _named_in(line):
                        _note(found, named)
    return found


def _named_in(line: str) -> list[_Named]:
    try:
        return msgspec.json.decode(line, type=prepared(_Line)).facts.measurements
    except (msgspec.DecodeError, UnicodeError):  # NaN is no JSON, but what Python writes
        try:
            return msgspec.convert(json.loads(line), prepared(_Line)).facts.measurements
        except (ValueError, RecursionError):
            return []


def _bits_of_facts(facts: Facts) -> dict[str, str]:
    found: dict[str, str] = {}
    for run in facts.measurements:
        if isinstance(run, Portrait | Experiment):
            named = _Named(
                kind="portrait" if isinstance(run, Portrait) else "experiment",
                framework=run.framework,
                operation=run.operation,
                device=run.device,
                dtype=run.dtype,
                setting=run.setting,
                reason=run.reason,
                fingerprint=run.fingerprint if isinstance(run, Portrait) else "",
                exact=[list(row) for row in run.exact] if isinstance(run, Experiment) and run.exact else None,
            )
            _note(found, named)
    return found


def _note(found: dict[str, str], named: _Named) -> None:
    value = named.fingerprint
    if named.kind == "experiment" and named.exact:
        value = hashlib.sha256(repr(named.exact[0]).encode()).hexdigest()[:32]
    if value and not named.reason and named.kind in ("portrait", "experiment"):
        found[question_of(named.framework, named.operation, named.dtype, named.setting, named.device)] = value[:_SHORT]
