"""Where the frozen application begins: packaging/application makes it of this.

There sys.executable is this program and no Python that takes a script, so it runs our own probes itself. What its
starter put into the environment is taken back before anything else starts a process.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import MutableMapping, Sequence
from pathlib import Path

# PyInstaller's starter leads the loader to our libraries, and keeps the user's value beside it. The loader read it when
# this process began; with it a program of the user (a browser, conda) would load our libraries for its own.
# https://pyinstaller.org/en/stable/runtime-information.html#ld-library-path-libpath-considerations
_LED = "LD_LIBRARY_PATH"
_KEPT = "LD_LIBRARY_PATH_ORIG"
_STARTERS = "_PYI_"  # how the starter tells a process of the same application; another frozen program is none


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the window, a command, or one of our own probes; the exit status."""
    give_back(os.environ)
    if sys.platform == "win32":
        _search_no_libraries_here()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) == 1 and Path(given[0]).is_absolute() and Path(given[0]).is_file():  # "open with" names it alone
        given = ["open", *given]
    from checks.engine.scripts import HOST, OWN_PROBE

    if given[:1] == [OWN_PROBE]:
        sys.argv[:] = [str(HOST), *given[1:]]
        runpy.run_path(str(HOST), run_name="__main__")
        return 0
    from wizard.__main__ import main as start

    return start(given)


def give_back(variables: MutableMapping[str, str]) -> None:
    """Take what the starter put there out of the environment, and give the user's own value back."""
    for name in [name for name in variables if name.startswith(_STARTERS)]:
        del variables[name]
    if sys.platform.startswith("linux"):
        before = variables.pop(_KEPT, None)
        variables.pop(_LED, None)
        if before is not None:
            variables[_LED] = before


def _search_no_libraries_here() -> None:
    """Windows hands the folder that the starter added to the search for DLLs on to every program that we start."""
    import ctypes

    ctypes.windll.kernel32.SetDllDirectoryW(None)  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
