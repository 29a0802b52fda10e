"""`naosu`: the window without arguments, else a headless command."""

from __future__ import annotations

import gc
import importlib
import os
import site
import sys
from collections.abc import Sequence

# What the window imports without Qt. Once Qt is there, it reads the source of whatever is imported: this comes first.
BEFORE_QT = (
    "socket",
    "checks.sharing.files",
    "wizard.evidence_files",
    "wizard.flow",
    "wizard.run_state",
    "wizard.stop_signals",
    "wizard.words",
)
_GARBAGE = (20_000, 20, 50)  # objects: with Python's own numbers to look for garbage takes a twentieth of a command


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the window or a command; the exit status: 0 fine, 1 something found, 2 wrong usage."""
    from wizard.cli.streams import guard_streams

    guard_streams()
    gc.set_threshold(*_GARBAGE)
    given = list(sys.argv[1:] if arguments is None else arguments)
    language = _language_alone(given)
    if given and language is None:
        from wizard.cli.command_line import run_command

        return run_command(given)
    gc.disable()  # until the window is painted: nothing that a start makes is garbage, and to look takes a tenth
    try:
        for module in BEFORE_QT:
            importlib.import_module(module)
        from wizard.desktop.display import no_window

        trouble = no_window()
        if trouble is None:
            from wizard.window.app import run_window

            return run_window(language=language)
    finally:
        gc.enable()
    from checks.visible import visible
    from wizard.cli.command_line import run_command
    from wizard.words import system_language, words

    language = language or system_language()
    print(visible(words(f"commands.{trouble.reason}", language, detail=trouble.detail)), file=sys.stderr)
    return run_command(["check", "--lang", language])


def _language_alone(given: Sequence[str]) -> str | None:
    """The language of `naosu --lang ja`, which means the window; None for every other command line."""
    from checks.languages import LANGUAGES

    match given:
        case ["--lang", language] if language in LANGUAGES:
            return language
        case [joined] if joined.startswith("--lang=") and joined[7:] in LANGUAGES:
            return joined[7:]
    return None


def _leave_the_surroundings() -> None:
    """Take the current folder and PYTHONPATH off our search path: they are for the programs that are examined.

    For `python -m wizard`; packaging/run and the installed command begin with -I, which comes before all imports.
    """
    if sys.flags.isolated:
        return
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    own = {root, os.path.dirname(os.__file__), site.getusersitepackages(), *site.getsitepackages()}
    given = {os.path.abspath(folder) for folder in ("", *os.environ.get("PYTHONPATH", "").split(os.pathsep))}
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) not in given - own]


if __name__ == "__main__":
    _leave_the_surroundings()
    from wizard.loader_settings import put_aside

    put_aside()
    sys.exit(main())
