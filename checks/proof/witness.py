"""What is seen to fail before a remedy is tried, and run again behind it.

The user's program where it was started and failed, or where it stayed off the GPU and that is what was asked; else a
statement that failed alone; else the import of a framework that cannot be imported; else the smallest computation on a
GPU that a framework does not reach. A statement is started once more before anything is tried: what does not fail
proves nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.analysis.gpu.of_programs import computed_on_gpu, stayed_on_processor
from checks.analysis.gpu.state import ran_on
from checks.engine.processes.own_folder import own_folder
from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import Facts, FrameworkFacts, ProgramEnd, ProgramRun
from checks.facts.question import SymptomName
from checks.knowledge.packages.gpu_modules import gpu_statement

_LITERT = {"tflite-runtime": "tflite_runtime.interpreter", "ai-edge-litert": "ai_edge_litert.interpreter"}
_RESTORING = ("uv", "pixi")  # what was installed in another way is gone behind their "run"
MOST_STATEMENTS = 3
MOST_OTHERS = 10
STATEMENT_SECONDS = 300.0  # importing a framework from a slow disk for the first time takes minutes


@dataclass(frozen=True)
class Witness:
    """A command and its folder.

    ``statement``: what it runs, where it is no program of the user's. ``run``: how it failed, where that was seen.
    ``of_gpu``: it does not fail, and stays on the processor.
    """

    command: tuple[str, ...]
    folder: str
    statement: str = ""
    run: ProgramRun | None = None
    of_gpu: bool = False

    def is_wrong(self, run: ProgramRun) -> bool:
        """Whether what is to be mended is seen in this run of it."""
        return run.failed or (self.of_gpu and stayed_on_processor(run))

    def works(self, run: ProgramRun) -> bool:
        """Whether it came to its end without what is to be mended."""
        return run.worked and self._is_where_wanted(run)

    def runs_longer(self, run: ProgramRun) -> bool:
        """Whether it still ran when the time of the trial was over, without what is to be mended."""
        return run.end == ProgramEnd.WATCHED and self._is_where_wanted(run)

    def _is_where_wanted(self, run: ProgramRun) -> bool:
        return not self.of_gpu or computed_on_gpu(run, None)

    @property
    def restoring_tool(self) -> str:
        """The tool that installs what a lock file names before it starts the program; "" where there is none."""
        tool = Path(self.command[0]).stem
        return tool if tool in _RESTORING and "run" in self.command and "--no-sync" not in self.command else ""

    def started(
        self,
        command: tuple[str, ...],
        variables: Mapping[str, str],
        seconds: float,
        cancelled: Callable[[], bool],
    ) -> ProgramRun:
        """The run of a command in its folder, with these variables. What it prints is kept, and shown to nobody."""
        with own_folder() as nowhere:  # a statement that was tried in no folder in particular
            folder = Path(self.folder) if self.folder and Path(self.folder).is_dir() else nowhere
            task = ProgramTask(command=command, folder=folder, seconds=seconds, named=command, variables=variables)
            run = watch_program(task, Listened(lambda *_: None), cancelled=cancelled)
        return msgspec.structs.replace(run, statement=self.statement)


def witnesses_of(facts: Facts) -> tuple[Witness, ...]:
    """What failed and can be run again; none where nothing did, or where a stranger's case names it.

    The user's program alone, where there is one; else some statements, for one that a remedy cannot bear on does not
    tell whether it helps.
    """
    if not facts.here:
        return ()
    program = next(_programs(facts), None)
    return (program,) if program else tuple(itertools.islice(dict.fromkeys(_statements(facts)), MOST_STATEMENTS))


def others_of(facts: Facts, witness: Witness) -> tuple[Witness, ...]:
    """What else was seen to fail and can be run again: to say of it, too, whether it works behind a remedy."""
    found = (*(one for one in _programs(facts) if not one.of_gpu), *_failed_statements(facts))
    others = {_started(one): one for one in reversed(found) if _started(one) != _started(witness)}
    return tuple(itertools.islice(reversed(others.values()), MOST_OTHERS))


def _started(witness: Witness) -> object:
    return witness.statement or (witness.command, witness.folder)


def _programs(facts: Facts) -> Iterator[Witness]:
    programs = [run for run in facts.runs if run.command and not run.statement]
    yield from (Witness(run.started or run.command, run.folder, run=run) for run in programs if run.failed)
    if _is_asked(facts, SymptomName.NOT_ON_GPU):
        astray = (run for run in programs if not run.failed and stayed_on_processor(run))
        yield from (Witness(run.started or run.command, run.folder, run=run, of_gpu=True) for run in astray)


def _statements(facts: Facts) -> Iterator[Witness]:
    if facts.target is None:
        return
    if _is_asked(facts, SymptomName.NOT_ON_GPU):
        yield from _on_gpu(facts, facts.target)
    yield from _failed_statements(facts)
    if _is_asked(facts, SymptomName.EVERYTHING):
        yield from _on_gpu(facts, facts.target)


def _failed_statements(facts: Facts) -> Iterator[Witness]:
    if facts.target is None:
        return
    for run in facts.runs:
        if run.failed and run.statement and not run.read_at:  # what was read in a program does not stand by itself
            yield _of_statement(facts.target, run.statement, run.folder)
    for name, framework in facts.frameworks.each() if facts.frameworks else ():
        if framework.imported is False or (framework.imported is None and _ended_early(facts, name)):
            yield _of_statement(facts.target, f"import {_module(facts, name)}", "")


def _on_gpu(facts: Facts, python: str) -> Iterator[Witness]:
    """The smallest computation of each framework that reaches no GPU, though there is one."""
    if _has_gpu(facts) and not any(run.command and not run.statement for run in facts.runs):
        for name, framework in facts.frameworks.each() if facts.frameworks else ():
            if gpu_statement(name) and _misses_gpu(framework):
                yield _of_statement(python, gpu_statement(name), "")


def _is_asked(facts: Facts, symptom: SymptomName) -> bool:
    return facts.symptom is not None and facts.symptom.name == symptom


def _has_gpu(facts: Facts) -> bool:
    """Whether there is one that the frameworks of the table serve: NVIDIA's, AMD's."""
    gpus = facts.machine.gpus if facts.machine else None
    return gpus is not None and bool(gpus.nvidia or gpus.of("1002"))


def _misses_gpu(framework: FrameworkFacts) -> bool:
    return framework.imported is True and not ran_on(framework, "cuda", "gpu", "rocm")


def _of_statement(python: str, statement: str, folder: str) -> Witness:
    return Witness((python, "-c", statement), folder, statement)


def _ended_early(facts: Facts, name: str) -> bool:
    """Whether the probe of a framework died before it was imported."""
    run = facts.probes.of(name) if facts.probes else None
    return run is not None and run.status == "crashed"


def _module(facts: Facts, name: str) -> str:
    if name != "litert":
        return name
    target = facts.target_interpreter
    return next(
        (module for package, module in _LITERT.items() if target and target.package(package)), "tensorflow.lite"
    )
