"""What an examination is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from checks.facts import InterpreterFacts, OtherMachine, ProgramRun, SentFile
from checks.facts.case import Answers


@dataclass(frozen=True)
class Request:
    """What to examine. Without ``interpreters`` they are searched.

    Without ``target`` the likely one is taken of those that are active, on PATH or Naosu's own.
    ``near``: a folder whose environments are the likely ones. ``exports``: ids of the exporters to try on the
    models; (): those that fit; None: none. ``inputs``: the models' input, an .npz or a picture. ``repeat``: whether
    the models are run again and compared; None: where the symptom asks for it. ``load``: seconds of the load test
    of each device; None: what the effort gives it. ``compute``: whether to check everything means to compute as
    well. ``others``: examinations to compare this one with. ``runs``: of the user's own program, which were watched
    before. ``history``: the folder of the snapshots that examinations leave; None: it looks back at none, and
    leaves none. ``program``: one with a runtime of its own that is asked about, by its name ("Ollama").
    """

    answers: Answers = field(default_factory=Answers)
    target: str | None = None
    near: Path | None = None
    interpreters: tuple[InterpreterFacts, ...] | None = None
    logs: tuple[SentFile, ...] = ()
    scripts: tuple[SentFile, ...] = ()
    models: tuple[Path, ...] = ()
    exports: tuple[str, ...] | None = None
    inputs: Path | None = None
    repeat: bool | None = None
    load: float | None = None
    compute: bool = True
    others: tuple[OtherMachine, ...] = ()
    runs: tuple[ProgramRun, ...] = ()
    history: Path | None = None
    program: str = ""
