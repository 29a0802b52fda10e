"""The answer of the portable probe becomes a case; and so does what checks/probes/host.py wrote into a file.

Its facts are put together as those of an examination are, and then read as a case that was sent: with the same bounds,
and judged by this version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import msgspec

from checks.engine.catalogues.computations import COMPUTATION_PROBES, ComputationJob, measurements_of, with_seconds
from checks.engine.catalogues.probes import PROBES, read_answer
from checks.engine.collect import collected
from checks.engine.plans.ask import OWN
from checks.engine.plans.compute import computation
from checks.engine.portable.plan import PYTHON, PYTHONS
from checks.engine.processes.runner import Answer, own_end, signal_name
from checks.engine.processes.transcript import Transcript, without_surrogates
from checks.engine.request import Request
from checks.engine.resume import read_computation
from checks.facts import Facts, InterpreterFacts, Measurement, Package, ProbeRun, ProbeRuns
from checks.facts.case import Answers, Case
from checks.facts.runs import RunStatus
from checks.interpreters.packages import normalised, package_of
from checks.prepared import prepared
from checks.sharing.case import FORMAT as CASE_FORMAT
from checks.sharing.case import CaseError, decode

FORMAT = 1
_MOST_STEPS = 200
COMPUTES = "computations:"  # how the steps begin that compute
_ENDS = {"timed-out": RunStatus.TIMED_OUT, "cancelled": RunStatus.CANCELLED, "not-started": RunStatus.NOT_STARTED}
_HEAD = 1024  # bytes in which a file names itself
_NAMED = re.compile(rb'"naosu-probe"\s*:')
_GREETING_LINE = re.compile(rb'^\{"python": "', re.MULTILINE)
_UV_BUILD = re.compile(r"(?:cpython|pypy|graalpy)-\d+\.\d+.*-(?:linux|macos|windows)-")
_SYSTEM_FOLDERS = ("/usr", "/opt/homebrew", "/Library", "/Applications/Xcode.app", "C:\\Program Files")


class Step(msgspec.Struct, frozen=True):
    """One step: which probe ran where, its answer as host.py writes it, and how its process ended."""

    id: str
    probe: str = ""
    interpreter: str = ""
    argument: dict[str, Any] = {}
    ended: str = "exited"
    code: int | None = None
    seconds: float | None = None
    answer: str = ""
    stderr: str = ""
    output: int | None = None
    detail: str | None = None


class File(msgspec.Struct, frozen=True):
    """The file that naosu-probe.pyz writes (checks/probes/portable/main.py)."""

    format: int = msgspec.field(name="naosu-probe")
    naosu: str = ""
    created: str = ""
    complete: bool = True
    system: str = ""
    target: str = ""
    compute: str = ""
    steps: list[Step] = []


class _Named(msgspec.Struct):
    format: msgspec.Raw = msgspec.field(name="naosu-probe", default=msgspec.Raw(b""))


def is_answer(data: bytes) -> bool:
    """Whether a JSON is such a file, or lines of host.py; a damaged one counts where it begins so."""
    if _is_of_host(data):
        return True
    try:
        return bool(msgspec.json.decode(data, type=prepared(_Named)).format)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _NAMED.search(data, 0, _HEAD) is not None


def case_of(data: bytes) -> Case:
    """The case that an answer makes, judged by this version.

    Raises:
        CaseError: as :func:`checks.sharing.case.decode`.
    """
    file = file_of(data)
    facts = facts_of(file)
    plain = without_surrogates(msgspec.to_builtins(facts))
    plain.pop("here", None)
    case = {
        "format": CASE_FORMAT + (file.format > FORMAT),
        "naosu": file.naosu,
        "created": file.created,
        "complete": file.complete,
        "answers": msgspec.to_builtins(Answers(effort=file.compute or "standard")),
        "facts": plain,
    }
    return decode(msgspec.json.encode(case))


def file_of(data: bytes) -> File:
    """The file as it was written; of what host.py wrote, one that holds it.

    Raises:
        CaseError: "case-damaged" (no JSON), "case-unreadable" or "case-too-new" (wrong types).
    """
    if _is_of_host(data):
        return File(format=FORMAT, steps=list(_steps_of_host(data)))
    try:
        file = msgspec.json.decode(data, type=prepared(File))
    except msgspec.ValidationError as error:
        raise CaseError("case-too-new" if _is_newer(data) else "case-unreadable", str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError("case-damaged", str(error)) from error
    if len(file.steps) > _MOST_STEPS:
        raise CaseError("case-unreadable", f"more than {_MOST_STEPS} steps")
    return file


def _is_newer(data: bytes) -> bool:
    try:
        return int(msgspec.json.decode(data, type=prepared(_Named)).format) > FORMAT
    except ValueError:
        return False


# --- what host.py writes ---------------------------------------------------------------------------------------------


def _is_of_host(data: bytes) -> bool:
    return _GREETING_LINE.match(data) is not None


def _steps_of_host(data: bytes) -> Iterator[Step]:
    """Each greeting begins the answer of another probe: several may have been written into one file."""
    starts = [match.start() for match in _GREETING_LINE.finditer(data)][:_MOST_STEPS]
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        lines = data[start:end]
        try:
            greeting = json.loads(lines.split(b"\n", 1)[0])
        except (ValueError, RecursionError):
            greeting = {}
        probe, interpreter = str(greeting.get("probe", "")), str(greeting.get("interpreter", ""))
        named = probe.removeprefix("ask/") if probe.startswith("ask/") else f"{COMPUTES}{probe}"
        yield Step(id=named, probe=probe, interpreter=interpreter, answer=lines.decode("utf-8", "replace"))


# --- from the steps to the facts -------------------------------------------------------------------------------------


def facts_of(file: File, *, computed: bool = True) -> Facts:
    """What an answer tells. ``computed`` False: but for what was computed, which is most of it."""
    if not computed:
        steps = [step for step in file.steps if not step.id.startswith(COMPUTES)]
        file = msgspec.structs.replace(file, steps=steps)
    answers = {step.id: _answer(step, file.system) for step in file.steps}
    for name in OWN:  # which every examination asks
        answers.setdefault(name, Answer({}, ProbeRun(probe=name, status=RunStatus.SKIPPED.value)))
    target = _target(file, answers)
    others = _others(answers.get(PYTHONS), target)
    asked = {step.id: answers[step.id] for step in file.steps if not step.id.startswith(COMPUTES)}
    read = {spec.id: read_answer(spec, answers[spec.id]) for spec in PROBES if spec.id in answers}
    request = Request(answers=Answers(effort=file.compute or "standard"))
    known = {name: answers[name] for name in (*OWN, *asked) if name not in (PYTHON, PYTHONS)}
    facts = collected(request, target, ((target,) if target else ()) + others, (), known, read, here=False)
    measured = tuple(one for step in file.steps for one in _measured(step, answers[step.id], facts))
    missing = {**facts.missing, **dict.fromkeys(("installed", "searched", "local_programs"), "not-asked")}
    if not measured:
        missing["measurements"] = "nothing-computes" if file.compute else "not-asked"
    runs = tuple(answer.run for answer in answers.values() if answer.run.interpreter)
    return msgspec.structs.replace(facts, measurements=measured, probes=ProbeRuns(runs=runs), missing=missing)


def _answer(step: Step, system: str) -> Answer:
    """What a step answered, as if it had run here."""
    transcript = Transcript()
    transcript.feed(step.answer.encode("utf-8", "replace") + b"\n")
    if step.ended == "exited":
        status, detail = own_end(transcript, step.code or 0, step.stderr, system)
    else:
        status, detail = _ENDS.get(step.ended, RunStatus.SKIPPED).value, step.detail
    run = ProbeRun(
        origin=f"{step.probe}.py",
        probe=step.id,
        interpreter=step.interpreter,
        status=status,
        stages=transcript.stages,
        exit_code=step.code,
        signal=signal_name(step.code, system) if step.code and not transcript.done else None,
        seconds=step.seconds,
        output_bytes=step.output,
        stderr_tail=step.stderr or None,
        detail=detail,
    )
    return Answer(facts=transcript.facts, run=run)


def _measured(step: Step, answer: Answer, facts: Facts) -> tuple[Measurement, ...]:
    """The measurements of a step that computed, and what was planned there and never had its turn."""
    if not step.id.startswith(COMPUTES):
        return ()
    job = _job(step, facts)
    return tuple(measurements_of(answer, f"{step.probe}.py")) if job is None else read_computation(job, (answer,))


def _job(step: Step, facts: Facts) -> ComputationJob | None:
    """The step as a job of an examination; None where its plan is not known."""
    spec = next((spec for spec in COMPUTATION_PROBES if spec.stem == step.probe), None)
    seconds, device = step.argument.get("seconds"), step.argument.get("device")
    if spec is None or not isinstance(device, str) or not isinstance(seconds, dict):
        return None
    known = {kind: float(value) for kind, value in seconds.items() if isinstance(value, int | float)}
    job = computation(step.id, spec, device, known, facts, "standard")
    return with_seconds(job, known, setting=str(step.argument.get("setting", "default")))


# --- interpreters ----------------------------------------------------------------------------------------------------


def _target(file: File, answers: Mapping[str, Answer]) -> InterpreterFacts | None:
    """The Python that was examined, as it described itself, or as far as its path tells where it did not start."""
    answer = answers.get(PYTHON)
    asked = file.target or next((step.interpreter for step in file.steps if step.id not in OWN), "")
    if answer is None:
        return InterpreterFacts(path=asked, found_by=("chosen",), packages=None) if asked else None
    raw = answer.facts.get("python")
    told = raw if isinstance(raw, dict) else {}
    origin = f"ask/{PYTHON}.py in {answer.run.interpreter}"
    if not told:
        return InterpreterFacts(path=asked, found_by=("chosen",), origin=origin)
    prefix, base = _text(told, "prefix"), _text(told, "base_prefix")
    found = told.get("marks")
    marks = found if isinstance(found, list) else []
    kind = _kind(prefix or "", marks, is_environment=prefix != base)
    unread = answer.facts.get("unread")
    return InterpreterFacts(
        path=asked or _text(told, "executable") or "",
        real_path=_text(told, "real_path"),
        prefix=prefix,
        base_prefix=base,
        kind=kind,
        found_by=("chosen",),
        version=_text(told, "version"),
        implementation=_text(told, "implementation"),
        architecture=_text(told, "architecture"),
        free_threaded=_flag(told, "free_threaded"),
        externally_managed=_flag(told, "externally_managed"),
        user_site=_flag(told, "user_site"),
        package_manager=_manager(kind, marks),
        packages=tuple(_packages(answer.facts.get("distributions"))),
        unread={str(name): str(why) for name, why in unread.items()} if isinstance(unread, dict) else {},
        origin=origin,
    )


def _packages(raw: object) -> Iterator[Package]:
    for one in raw if isinstance(raw, list) else ():
        name, version = _text(one, "name"), _text(one, "version")
        if name and version:
            yield package_of(
                name,
                version,
                location=_text(one, "location") or "",
                installer=_text(one, "installer"),
                requires=[line for line in one.get("requires") or () if isinstance(line, str)],
                requires_python=_text(one, "requires_python"),
                tags=tuple(tag for tag in one.get("tags") or () if isinstance(tag, str)) or None,
            )


def _others(answer: Answer | None, target: InterpreterFacts | None) -> tuple[InterpreterFacts, ...]:
    """The interpreters that lie there besides, as far as the files around them tell."""
    raw = answer.facts.get("pythons") if answer else None
    taken = {target.path, target.real_path} if target and target.kind not in _ENVIRONMENTS else set()
    prefixes = {target.prefix} if target else set()
    found = (one for one in raw or () if isinstance(one, dict)) if isinstance(raw, list) else ()
    return tuple(
        _other(one)
        for one in found
        if _text(one, "path") and not taken & {one["path"], one.get("real_path")} and one.get("prefix") not in prefixes
    )


def _other(raw: Mapping[str, Any]) -> InterpreterFacts:
    prefix, path = _text(raw, "prefix") or "", _text(raw, "path") or ""
    is_environment = raw.get("is_environment") is True
    marks = ["conda-meta"] if raw.get("is_conda") is True else []
    location = _text(raw, "location")
    named = raw.get("packages")
    listed = [pair for pair in named if _is_pair(pair)] if isinstance(named, list) else []
    packages = tuple(Package(name=normalised(name), version=version, location=location) for name, version in listed)
    gone = "base-missing" if is_environment else "missing"
    return InterpreterFacts(
        path=path,
        real_path=_text(raw, "real_path"),
        prefix=prefix,
        kind=_kind(prefix, marks, is_environment=is_environment),
        found_by=(_text(raw, "found_by") or "",),
        version=_text(raw, "version"),
        packages=packages if location else None,
        problem=None if raw.get("is_there") is not False else gone,
        origin=f"ask/{PYTHONS}.py",
    )


_ENVIRONMENTS = ("venv", "pipx", "uv", "poetry")


def _kind(prefix: str, marks: list[Any], *, is_environment: bool) -> str:
    """The kind as InterpreterFacts names it, from what a tool left in the folder and how the folder is called."""
    path = PureWindowsPath(prefix) if "\\" in prefix else PurePosixPath(prefix)
    if is_environment:
        return "pipx" if "pipx_metadata.json" in marks else "uv" if "uv-receipt.toml" in marks else "venv"
    if "conda-meta" in marks:
        return "conda"
    if _UV_BUILD.match(path.name):
        return "uv"
    if path.parent.name == "versions" and "pyenv" in path.parent.parent.name.lower():
        return "pyenv"
    return "system" if prefix.startswith(_SYSTEM_FOLDERS) else "other"


def _manager(kind: str, marks: list[Any]) -> str:
    if kind == "conda":
        return "pixi" if "conda-meta/pixi" in marks else "conda"
    return kind if kind in ("uv", "pipx") else "pip"


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)


def _text(raw: object, name: str) -> str | None:
    value = raw.get(name) if isinstance(raw, dict) else None
    return value if isinstance(value, str) and value else None


def _flag(raw: Mapping[str, Any], name: str) -> bool | None:
    value = raw.get(name)
    return value if isinstance(value, bool) else None
