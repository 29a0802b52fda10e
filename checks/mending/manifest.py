"""The files of a project that change with the environment: kept beside what is kept of that, and put back.

They are few and small, and are copied. Whoever changed one of them since is not overruled: an undo refuses then, and
what was left half done is moved aside where it is neither as before nor known to be the tool's work.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from checks.mending.permission import NotMended
from checks.prepared import prepared
from checks.proof.changes import Change, Managed, Moved
from checks.proof.managed import FILES, project_of
from checks.sharing.files import write_whole

_PLACE = "project"  # the folder of a store for the copies
_LIST = "project.json"


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes of the files by their paths, None: it was not there. ``after``: None while the change goes on."""

    before: dict[str, str | None]
    after: dict[str, str | None] | None = None


def manifests_of(changes: Iterable[Change], folder: str) -> tuple[Path, ...]:
    """The files that the tools of these changes may write. ``folder``: where the program was started.

    Raises:
        NotMended: one of them, or its folder, is not the user's own, or is a link.
        NotTriable: there is no project.
    """
    managed = (change for change in changes if isinstance(change, Managed) and change.tool != "pipx")
    projects = {project_of(change, folder) for change in managed}
    found = tuple(project / name for project in sorted(projects) for name in FILES)
    for path in (*projects, *found):
        if path.is_symlink():
            raise NotMended("linked", path=str(path))
        if path.exists() and hasattr(os, "geteuid") and path.stat().st_uid != os.geteuid():
            raise NotMended("of-another", path=str(path), owner="?")
    return found


def renamed(moves: Iterable[Moved]) -> tuple[Path, ...]:
    """Files of the user's own program, and the names that they get.

    Raises:
        NotMended: one of them, or its folder, is not the user's own, or is a link; or there is something of that name.
    """
    found: list[Path] = []
    for move in moves:
        source, to = Path(move.source), Path(move.to)
        if not source.is_file() or source.is_symlink() or source.parent != to.parent:
            raise NotMended("linked", path=move.source)
        if os.path.lexists(to):
            raise NotMended("place-taken", path=move.to)
        for path in (source, source.parent):
            if hasattr(os, "geteuid") and path.stat().st_uid != os.geteuid():
                raise NotMended("of-another", path=str(path), owner="?")
        found += (source, to)
    return tuple(found)


def save(paths: Iterable[Path], store: Path) -> None:
    """Keep them.

    Raises:
        OSError: there is no room, or a file cannot be read.
    """
    before: dict[str, str | None] = {}
    for number, path in enumerate(paths):
        before[str(path)] = _hash(path)
        if path.exists():
            (store / _PLACE).mkdir(exist_ok=True)
            shutil.copy2(path, store / _PLACE / str(number))
    if before:
        _write(_Kept(before=before), store)


def finish(store: Path) -> None:
    """The change is over: note how it left them."""
    if kept := _read(store):
        _write(msgspec.structs.replace(kept, after={path: _hash(Path(path)) for path in kept.before}), store)


def hindrances(store: Path) -> tuple[str, ...]:
    """Those that somebody changed since, which would be lost."""
    kept = _read(store)
    if kept is None or kept.after is None:
        return ()
    return tuple(path for path, after in kept.after.items() if _hash(Path(path)) not in (after, kept.before[path]))


def to_move_aside(store: Path) -> tuple[str, ...]:
    """Those of a change that was left half done which are not as before it."""
    kept = _read(store)
    if kept is None or kept.after is not None:
        return ()
    return tuple(path for path, before in kept.before.items() if _hash(Path(path)) not in (None, before))


def put_back(store: Path, aside: Path) -> None:
    """Put them back; what is to be moved aside is, into that folder. It may be interrupted, and done again.

    Raises:
        OSError: one cannot be written.
    """
    for path in map(Path, to_move_aside(store)):
        (aside / _PLACE).mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, aside / _PLACE / path.name)
    kept = _read(store)
    for number, (name, before) in enumerate(kept.before.items() if kept else ()):
        path = Path(name)
        if _hash(path) == before:
            continue
        if before is None:
            path.unlink(missing_ok=True)
        else:
            beside = path.with_name(f".{path.name}.naosu")
            shutil.copy2(store / _PLACE / str(number), beside)
            beside.replace(path)


def _hash(path: Path) -> str | None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return None


def _read(store: Path) -> _Kept | None:
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((store / _LIST).read_bytes(), type=prepared(_Kept))
    return None


def _write(kept: _Kept, store: Path) -> None:
    write_whole(store / _LIST, msgspec.json.encode(kept))
