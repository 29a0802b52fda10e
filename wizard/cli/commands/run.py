"""`naosu run`: start the user's own program, watch it, and examine what it ran in.

The program's streams are its own, unchanged; what we have to say goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from checks.visible import visible
from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError, add_outputs, seconds
from wizard.cli.mending import check_apply
from wizard.cli.outputs import check_outputs, streams
from wizard.cli.snapshots import history_folder
from wizard.cli.target import check_target, with_its_python
from wizard.flow import SYMPTOMS
from wizard.words import words

if TYPE_CHECKING:
    from checks.engine.processes.tree import ProcessTree
    from checks.engine.watch.command import Command
    from checks.engine.watch.connection import Inherited
    from checks.facts import ProgramRun, SentFile

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
ENDED_EARLY = 130
_LONGEST = 300  # characters of a command that is named in a line
_ENDING = ("SIGTERM", "SIGHUP")


def add_arguments(parser: Parser, text: Text) -> None:
    """Its options, and the command behind them."""
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help=text("help-run-command"))
    parser.add_argument("--timeout", type=_seconds_or_none, default=None, metavar="SECONDS", help=text("help-timeout"))
    parser.add_argument("--prove", action="store_true", help=text("help-prove"))
    parser.add_argument("--offline", action="store_true", help=text("help-offline"))
    parser.add_argument("--apply", action="store_true", help=text("help-apply"))
    parser.add_argument("--process", metavar="PID|NAME", help=text("help-process"))
    parser.add_argument("--cwd", metavar="FOLDER", help=text("help-cwd"))
    parser.add_argument("--target", metavar="PYTHON", help=text("help-run-target"))
    parser.add_argument("--yes", action="store_true", help=text("help-yes"))
    parser.add_argument("--symptom", choices=SYMPTOMS, help=text("help-symptom"))
    parser.add_argument("--no-history", action="store_true", help=text("help-no-history"))
    add_outputs(parser, text)


def _seconds_or_none(text: str) -> float:
    return 0.0 if text == "0" else seconds(text)


_seconds_or_none.__name__ = "seconds"  # argparse names it where a value is none


def run(chosen: argparse.Namespace) -> int:
    """Run the program, then examine."""
    from checks.engine.processes.surroundings import probe_environment
    from checks.engine.watch.command import CommandError, python_of, understood
    from checks.facts import ProgramEnd
    from checks.facts.question import SymptomName

    chosen.words = (*chosen.words, *chosen.behind)
    check_target(chosen)
    check_outputs(chosen)
    check_apply(chosen)
    if chosen.process is not None:
        return _running(chosen)
    chosen.symptom = chosen.symptom or SymptomName.DOES_NOT_START.value
    folder = Path(chosen.cwd or Path.cwd())
    _spare(chosen, folder)
    variables = probe_environment("")
    try:
        command = understood(chosen.words, folder.absolute(), variables)
        if command.script is not None:
            command = with_its_python(command, chosen)
    except CommandError as error:
        raise UsageError(
            visible(f"naosu: {words(f'commands.run-{error.key}', chosen.lang, **error.values)}")
        ) from error
    if not chosen.quiet:
        line = words("commands.run-starts", chosen.lang, command=_shown(command.words), folder=str(command.folder))
        print(visible(line), file=sys.stderr, flush=True)
    watched, ending = _watched(command, chosen)
    if ending is not None:  # somebody wants us to be gone, too
        return 128 + ending
    target = watched.interpreter or chosen.target
    if watched.end == ProgramEnd.NOT_STARTED and target is None:
        target = python_of(command.words, command.folder, variables)
    code = _examined(watched, target, command.folder, chosen, _scripts_of(command, chosen))
    return ENDED_EARLY if watched.end == ProgramEnd.CANCELLED else code


def _spare(chosen: argparse.Namespace, folder: Path) -> None:
    """Refuse to write a report over what is to be started."""
    named = {(folder / word).resolve() for word in chosen.words}
    for path in filter(None, (chosen.json, chosen.markdown, chosen.pdf)):
        if path != STANDARD_STREAM and Path(path).resolve() in named:
            raise UsageError(visible(f"naosu: {words('commands.run-overwrites', chosen.lang, path=path)}"))


def _running(chosen: argparse.Namespace) -> int:
    """Look at a program that runs already, then examine."""
    from checks.engine.watch.running import SECONDS, NotRunning, look_at, named
    from checks.facts.question import SymptomName
    from checks.knowledge.packages.gpu_modules import computing

    if chosen.words or chosen.cwd or chosen.prove or chosen.apply:
        raise UsageError(visible(f"naosu: {words('commands.run-process-alone', chosen.lang)}"))
    seconds_of_looking = SECONDS if chosen.timeout is None else chosen.timeout
    try:
        pid = named(chosen.process)
        if not chosen.quiet:
            line = words("commands.run-looks", chosen.lang, process=pid, seconds=f"{seconds_of_looking:.0f}")
            print(visible(line), file=sys.stderr, flush=True)
        seen = look_at(pid, seconds_of_looking)
    except NotRunning as error:
        raise UsageError(
            visible(f"naosu: {words(f'commands.run-{error.key}', chosen.lang, **error.values)}")
        ) from error
    about_gpu = computing(module.name for python in seen.pythons for module in python.modules)
    chosen.symptom = chosen.symptom or (SymptomName.NOT_ON_GPU if about_gpu else SymptomName.DOES_NOT_START).value
    target = chosen.target or (seen.interpreter if chosen.yes or not _is_of_another(seen.interpreter) else None)
    return _examined(seen, target, Path(seen.folder or Path.home()), chosen)


def _is_of_another(path: str | None) -> bool:
    """Whether the Python of a running program is another user's, which is started only by its name."""
    from checks.interpreters import is_of_another, read_interpreter

    return path is not None and is_of_another(read_interpreter(path))


def _shown(command: tuple[str, ...]) -> str:
    """In one line that is not too long."""
    text = " ".join((subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)).split())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


def _watched(command: Command, chosen: argparse.Namespace) -> tuple[ProgramRun, int | None]:
    """The program's run; and the number of the signal that asked both of us to end."""
    from checks.engine.watch.connection import Inherited
    from checks.engine.watch.program import ProgramTask, watch_program

    sys.stdout.flush()
    sys.stderr.flush()
    connection = Inherited(stdout=2 if streams(chosen) else 1)
    signals = _Signals(connection)
    variables = None if chosen.cwd is None else {**os.environ, "PWD": str(command.folder)}
    task = ProgramTask(
        command=command.words,
        folder=command.folder,
        seconds=chosen.timeout or 0.0,
        named=chosen.words,
        variables=variables,
    )
    with signals.heeded():
        watched = watch_program(task, connection, cancelled=signals.impatient, on_start=signals.started)
    return signals.told(watched), signals.ending


def _scripts_of(command: Command, chosen: argparse.Namespace) -> tuple[SentFile, ...]:
    """The program itself, to be read, where it is asked why its results change or differ."""
    from checks.facts.question import ABOUT_RESULTS
    from wizard.cli.inputs import sent_file

    if chosen.symptom not in ABOUT_RESULTS:
        return ()
    named = (command.folder / word for word in command.words if word.endswith((".py", ".ipynb")))
    script = next((path for path in named if path.is_file()), None)
    return () if script is None else (sent_file(str(script), "script", chosen.lang),)


def _examined(
    watched: ProgramRun,
    target: str | None,
    folder: Path,
    chosen: argparse.Namespace,
    scripts: tuple[SentFile, ...] = (),
) -> int:
    from checks.engine.request import Request
    from checks.facts.case import Answers
    from checks.knowledge.packages.ai_programs import program_of_command
    from wizard.cli.follow import examined
    from wizard.cli.proving import proven

    request = Request(
        answers=Answers(symptom=chosen.symptom),
        target=target,
        near=folder,
        # Where no Python ran, none is chosen in its stead: there is nothing to say about one.
        interpreters=() if target is None else None,
        runs=(watched,),
        scripts=scripts,
        history=history_folder(chosen),
        program=program_of_command(watched.command) or "",
    )
    return examined(request, chosen, proven(chosen) if chosen.prove or chosen.apply else None)


class _Signals:
    """What is sent to us is meant for the program, too."""

    def __init__(self, connection: Inherited) -> None:
        self._connection = connection
        self._tree: ProcessTree | None = None
        self._asked = 0
        self._interrupted = False
        self.ending: int | None = None

    def started(self, tree: ProcessTree) -> None:
        """The program runs."""
        self._tree = tree

    def impatient(self) -> bool:
        """Whether we were asked to end more than once: then the program is ended, whatever it does."""
        return self._asked > 1

    def told(self, watched: ProgramRun) -> ProgramRun:
        """The run, which the user has ended where it ended by Ctrl+C."""
        import msgspec

        from checks.facts import ProgramEnd

        if (self._interrupted or self._connection.interrupted) and watched.failed and not watched.detail:
            return msgspec.structs.replace(watched, end=ProgramEnd.CANCELLED.value)
        return watched

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """Pass on what comes in the meantime. What we ignore (nohup), the program ignores by itself."""
        numbers = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)]
        before = {
            number: signal.signal(number, self._pass_on)
            for number in numbers
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        if hasattr(signal, "SIGWINCH"):
            before[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, lambda *_: self._connection.resize())
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _pass_on(self, number: int, _frame: object) -> None:
        name = signal.Signals(number).name
        if name == "SIGINT":
            self._interrupted = True
        if name in _ENDING:
            self._asked += 1
            self.ending = number
        if sys.platform == "win32":  # the program is on the same console, and hears it itself
            return
        from checks.engine.watch.terminal import is_in_front

        shares_group = not self._connection.place.own_session
        reached = name in {"SIGINT", "SIGQUIT"} and shares_group and is_in_front(0, 1, 2)
        if self._tree is not None and not reached and self._tree.process.returncode is None:
            with contextlib.suppress(OSError):
                os.kill(self._tree.process.pid, number)
