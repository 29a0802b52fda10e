"""The folders in which an interpreter finds packages, without starting it.

Follows Lib/site.py of CPython, Debian's and Fedora's changes to it, and the ._pth files of portable builds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from checks.interpreters.disk import is_folder, is_link, text_of
from checks.interpreters.finding.places import Places
from checks.interpreters.layout import STORE_FOLDER, Layout, Library


@dataclass(frozen=True)
class SearchPath:
    """``plain`` folders come first and have no .pth files; ``sites`` are site folders, in their order.

    ``user_site``: the user's folder is among them; None where nobody knows.
    """

    plain: tuple[Path, ...]
    sites: tuple[Path, ...]
    user_site: bool | None


def search_path(layout: Layout, places: Places) -> SearchPath:
    """Where this interpreter looks for packages when it is started in the environment of ``places``."""
    library = layout.library
    if library is None:
        return SearchPath((), (), None)
    portable = _portable_path(layout)
    if portable is not None:
        return portable

    plain = places.folders_of("PYTHONPATH")
    own = _sites(layout.prefix, library, venv=layout.config is not None)
    if layout.config is not None and layout.config.get("include-system-site-packages", "false").lower() != "true":
        return SearchPath(plain, own, user_site=False)
    user = _user_site(layout, library, places)
    users = (user,) if user is not None else ()
    if layout.config is None:
        return SearchPath(plain, users + own, user_site=bool(users))
    base = layout.origin
    return SearchPath(plain, own + users + _sites(base.prefix, library, venv=False), user_site=bool(users))


def _sites(prefix: Path, library: Library, *, venv: bool) -> tuple[Path, ...]:
    if library.windows:  # there the prefix is a site folder too
        return (prefix, prefix / "Lib" / "site-packages")
    name = library.folder.name
    if not venv and is_folder(prefix / "lib" / "python3" / "dist-packages"):  # Debian and its descendants
        return (
            prefix / "local" / "lib" / name / "dist-packages",
            prefix / "lib" / "python3" / "dist-packages",
            prefix / "lib" / name / "dist-packages",
        )
    libs = ("lib",) if is_link(prefix / "lib64") else ("lib64", "lib")  # venv links the one to the other
    found = [prefix / lib / name / "site-packages" for lib in libs]
    if not venv and library.folder.parent.name == "lib64":  # Fedora and its descendants
        found = [prefix / "local" / lib / name / "site-packages" for lib in libs] + found
    return tuple(found)


def _user_site(layout: Layout, library: Library, places: Places) -> Path | None:
    if places.variable("PYTHONNOUSERSITE"):
        return None
    folder = _user_folder(layout, library, places)
    return folder if is_folder(folder) else None


def _user_folder(layout: Layout, library: Library, places: Places) -> Path:
    base = places.variable("PYTHONUSERBASE")
    name = library.folder.name
    if library.windows:
        store = _store_package(layout.origin)
        tag = "Python" + library.minor.replace(".", "") + ("t" if library.free_threaded else "")
        if store is not None:  # packages of a Store application are redirected
            local = Path(places.variable("LOCALAPPDATA") or places.home / "AppData" / "Local")
            return local / "Packages" / store / "LocalCache" / "local-packages" / tag / "site-packages"
        roaming = Path(places.variable("APPDATA") or places.home / "AppData" / "Roaming")
        return Path(base or roaming / "Python") / tag / "site-packages"
    if any(part in ("Python.framework", "Python3.framework") for part in layout.origin.prefix.parts):
        return Path(base or places.home / "Library" / "Python" / library.minor) / "lib" / "python" / "site-packages"
    return Path(base or places.home / ".local") / "lib" / name / "site-packages"


def _store_package(layout: Layout) -> str | None:
    return layout.prefix.name if STORE_FOLDER.match(layout.prefix.name) else None


def _portable_path(layout: Layout) -> SearchPath | None:
    """The path that a ._pth file beside the program fixes; None where there is none."""
    library = layout.origin.library
    if library is None or not library.windows:
        return None
    folder = layout.origin.executable.parent
    for name in (f"python{library.minor.replace('.', '')}._pth", "python._pth"):
        text = text_of(folder / name)
        if text is None:
            continue
        lines = [line for raw in text.splitlines() if (line := raw.strip()) and not line.startswith("#")]
        plain = tuple(Path(os.path.normpath(folder / line)) for line in lines if not line.startswith("import"))
        sites = (folder / "Lib" / "site-packages",) if "import site" in lines else ()
        return SearchPath(plain, sites, user_site=False)
    return None
