"""`naosu`: the window without arguments, else a headless command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the window or a command; the exit status as in DESIGN: 0 fine, 1 something found, 2 wrong usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given:
        from wizard.commands import run_command

        return run_command(given)
    if not has_display():
        from wizard.commands import run_command
        from wizard.words import system_language, words

        print(words("commands.no-display", system_language()), file=sys.stderr)
        return run_command(["check"])
    try:
        from wizard.app import run_window
    except ImportError as error:  # a library of the system that Qt needs is missing
        from wizard.commands import run_command
        from wizard.words import system_language, words

        print(words("commands.no-qt", system_language(), detail=error), file=sys.stderr)
        return run_command(["check"])
    return run_window()


def has_display() -> bool:
    """Whether a window can be shown: always on Windows and macOS, on Linux where a display server is named."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


if __name__ == "__main__":
    sys.exit(main())
