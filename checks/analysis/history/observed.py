"""What an examination saw to work or to fail, so that the last one at which it worked can be found again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from checks.analysis.failures.of_runs import failures
from checks.analysis.gpu.of_programs import computed_on_gpu
from checks.facts import Facts, ProgramEnd, ProgramRun
from checks.facts.question import SymptomName

_LONGEST = 300  # characters of a failure


class What(StrEnum):
    """The kinds of things that were seen, those that tell most first."""

    PROGRAM = "program"
    GPU = "gpu"  # the program computed there
    MODEL = "model"
    STATEMENT = "statement"
    IMPORT = "import"  # of a framework
    DEVICE = "device"  # a framework sees a GPU


class Observed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing. ``key``: the same in every examination. ``failure``: by what two failures are told apart.

    ``said``: the same failure with its numbers, for a reader.
    """

    what: str
    key: str
    label: str
    worked: bool
    failure: str = ""
    said: str = ""

    @property
    def shown(self) -> str:
        """The failure as a reader sees it; of an older version without its numbers."""
        return self.said or self.failure


def observed_in(facts: Facts) -> tuple[Observed, ...]:
    """Everything that was seen to work or to fail; what was only watched for a while did neither."""
    return tuple(sorted(_all(facts), key=lambda seen: list(What).index(What(seen.what))))


def failing(facts: Facts) -> tuple[Observed, ...]:
    """What is seen to fail, that which tells most first."""
    return tuple(seen for seen in observed_in(facts) if not seen.worked)


def _all(facts: Facts) -> Iterator[Observed]:
    nvidia = facts.machine.nvidia if facts.machine else None
    for run in facts.runs:
        label = run.label
        if run.statement:
            if run.worked or run.failed:
                yield _seen(What.STATEMENT, label, label, run.worked, _failure(facts, run))
            continue
        key = f"{run.folder}\0{_program(run)}"
        if run.worked or (run.failed and run.end != ProgramEnd.NOT_STARTED):
            yield _seen(What.PROGRAM, key, label, run.worked, _failure(facts, run))
        if computed_on_gpu(run, nvidia):
            yield _seen(What.GPU, key, label, worked=True)
        elif run.worked and facts.symptom is not None and facts.symptom.name == SymptomName.NOT_ON_GPU:
            yield _seen(What.GPU, key, label, worked=False, failure="not on a GPU")
    yield from _of_frameworks(facts)
    for model in facts.models:
        for run_of in model.runs:
            if run_of.loaded is not None:
                key = f"{model.path}\0{run_of.runtime}\0{run_of.setting}"
                error = run_of.error.message if run_of.error else run_of.detail
                worked = run_of.ran if run_of.ran is not None else run_of.loaded
                yield _seen(What.MODEL, key, f"{model.name or model.path} ({run_of.runtime})", bool(worked), error)


def _of_frameworks(facts: Facts) -> Iterator[Observed]:
    for name, framework in facts.frameworks.each() if facts.frameworks else ():
        probe = facts.probes.of(name) if facts.probes else None
        imported = framework.imported
        if imported is None and probe is not None and probe.status == "crashed":
            imported = False
        if imported is not None:
            error = f"{framework.error.type}: {framework.error.message}" if framework.error else ""
            yield _seen(What.IMPORT, name, f"import {name}", imported, error)
    torch = facts.frameworks.torch if facts.frameworks else None
    if torch is not None and torch.cuda_version and torch.cuda_available is not None:
        error = torch.cuda_error.message if torch.cuda_error else ""
        yield _seen(What.DEVICE, "torch", "torch.cuda", torch.cuda_available, error or "no GPU")
    runtime = facts.frameworks.onnxruntime if facts.frameworks else None
    for provider in (runtime.providers or ()) if runtime else ():
        if provider.started is not None and provider.name != "CPUExecutionProvider":
            yield _seen(What.DEVICE, provider.name, provider.name, provider.started, provider.error or "")


def _seen(what: What, key: str, label: str, worked: bool, failure: str = "") -> Observed:
    digest = hashlib.sha256(f"{what}\0{key}".encode("utf-8", "replace")).hexdigest()[:16]
    return Observed(
        what=what.value,
        key=digest,
        label=label[:_LONGEST],
        worked=worked,
        failure="" if worked else masked(failure)[:_LONGEST],
        said="" if worked else " ".join(failure.split())[:_LONGEST],
    )


def _program(run: ProgramRun) -> str:
    """What is started, without the Python that starts it and its options: another Python is a difference to be told."""
    words = run.started or run.command
    script = next((word for word in words if word.endswith((".py", ".ipynb"))), "")
    if script or not words:
        return script
    module = words.index("-m") + 1 if "-m" in words[:-1] else 0
    return words[module] if module else "\0".join(words)


def _failure(facts: Facts, run: ProgramRun) -> str:
    if not run.failed:
        return ""
    runs = facts.program_runs
    failure = next((one for one in failures(runs) if one.run is run), None)
    if failure is not None and failure.raised:
        last = failure.raised[-1]
        return f"{last.type}: {last.message}"
    lines = [line for line in (run.errors or run.output).splitlines() if line.strip()]
    return " ".join(filter(None, (run.signal, lines[-1] if lines else run.detail or run.end)))


def masked(text: str) -> str:
    """A text without what differs from run to run: addresses and numbers."""
    return re.sub(r"0x[0-9a-fA-F]+|\d+", "0", " ".join(text.split()))
