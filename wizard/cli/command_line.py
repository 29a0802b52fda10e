"""Run one headless command. Exit status: 0 fine, 1 something found (or an error of ours), 2 wrong usage.

Each command is a module here with ``add_arguments(parser, text)`` and ``run(chosen)``. What a command needs beside its
arguments is imported when it runs: `naosu --help` wants to answer at once.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence

from checks.visible import visible
from wizard.cli.arguments import UsageError, language_asked, parser_of
from wizard.cli.commands import (
    check,
    compare,
    desk,
    diagnose,
    diff,
    envs,
    fleet,
    history,
    inspect,
    mcp,
    open,
    probe,
    programs,
    run,
    scan,
    served,
    show,
    undo,
)
from wizard.cli.streams import guard_streams
from wizard.words import words

COMMANDS = {
    "run": run,
    "check": check,
    "compare": compare,
    "diagnose": diagnose,
    "desk": desk,
    "inspect": inspect,
    "scan": scan,
    "served": served,
    "history": history,
    "diff": diff,
    "show": show,
    "probe": probe,
    "fleet": fleet,
    "undo": undo,
    "envs": envs,
    "programs": programs,
    "open": open,
    "mcp": mcp,
}

_STREAM_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run_command(arguments: Sequence[str]) -> int:
    """Run one headless command and return its exit status."""
    guard_streams()
    arguments, behind = _of_a_program(arguments)
    try:
        given = argparse.Namespace(given=tuple(arguments), behind=behind)
        adders = {name: command.add_arguments for name, command in COMMANDS.items()}
        chosen = parser_of(language_asked(arguments), adders).parse_args(arguments, given)
        status: int = COMMANDS[chosen.command].run(chosen)
        sys.stdout.flush()
    except UsageError as error:
        print(visible(str(error)), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130  # as shells count a Ctrl+C: 128 + SIGINT
    except BrokenPipeError:  # `naosu check | head`: the reader has what it wanted
        _leave_stdout()
        return 0
    except OSError as error:
        if error.errno not in _STREAM_FULL:
            raise
        print(words("commands.output-full", language_asked(arguments), detail=error.strerror), file=sys.stderr)
        _leave_stdout()
        return 2
    return status


def _of_a_program(arguments: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """Our own arguments, and what stands behind the "--" of `naosu run` and `naosu scan`: options of a program."""
    if "--" not in arguments or not {"run", "scan"} & {*arguments[: arguments.index("--")]}:
        return arguments, ()
    here = arguments.index("--")
    return arguments[:here], tuple(arguments[here + 1 :])


def _leave_stdout() -> None:
    """Point standard output at nothing: Python's own last flush must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
