"""What is seen to fail before a remedy is tried, and run again behind it.

The user's program where it was started and failed; else a statement that failed alone; else the import of a framework
that cannot be imported. A statement is started once more before anything is tried: what does not fail proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.engine.processes.own_folder import own_folder
from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import Facts, ProgramRun

_LITERT = {"tflite-runtime": "tflite_runtime.interpreter", "ai-edge-litert": "ai_edge_litert.interpreter"}
_RESTORING = ("uv", "pixi", "hatch")  # what was installed in another way is gone behind their "run"
STATEMENT_SECONDS = 300.0  # importing a framework from a slow disk for the first time takes minutes


@dataclass(frozen=True)
class Witness:
    """A command and its folder.

    ``statement``: what it runs, where it is no program of the user's. ``run``: how it failed, where that was seen.
    """

    command: tuple[str, ...]
    folder: str
    statement: str = ""
    run: ProgramRun | None = None

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


def witness_of(facts: Facts) -> Witness | None:
    """What failed and can be run again; None where nothing did, or where a stranger's case names it."""
    if not facts.here:
        return None
    return next(_witnesses(facts), None)


def _witnesses(facts: Facts) -> Iterator[Witness]:
    failed = [run for run in facts.runs if run.failed and run.command]
    yield from (Witness(run.started or run.command, run.folder, run=run) for run in failed if not run.statement)
    if facts.target is None:
        return
    for run in failed:
        if run.statement:
            yield _of_statement(facts.target, run.statement, run.folder)
    for name, framework in facts.frameworks.each() if facts.frameworks else ():
        if framework.imported is False or (framework.imported is None and _ended_early(facts, name)):
            yield _of_statement(facts.target, f"import {_module(facts, name)}", "")


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
