"""Every file of an environment is kept while it is changed, and afterwards those that were: to put them back exactly.

A file is kept as a further hard link, which costs no room: installers remove a file before they write it anew, so the
old one stays whole. Where the file system shares blocks (Btrfs, XFS) it is cloned, and where it can do neither, copied.
What is written in place, as scripts and lists of paths are by hand, is small and always copied.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from checks.mending.tree import PLACES, Entry, Tree, differing, entry_at, read_tree
from checks.proof.environment_copy import KEPT
from checks.sharing.files import write_whole

_FICLONE = 0x40049409  # Linux: ioctl_ficlone(2)
_IN_PLACE = (b".pth", b".cfg", b".egg-link", b".json", b"history", b"RECORD", b"INSTALLER", b"METADATA")
_SMALL = 1 << 18  # bytes
_BYTECODE = (b".pyc", b".pyo")
_BEAT = "alive"  # a file: its time is when the change was last seen to go on

Cancelled = Callable[[], bool]


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """Somebody asked to end."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What was there before. ``files``: the name under which the content of a file is kept.

    ``after``: what was there when the change was over, None while it is not. Then both hold only what differs, and
    ``folders`` the times of the folders in which that lies, before and after.
    """

    before: Tree
    files: dict[bytes, str]
    copied: set[str]  # of the names, those that are no second link
    after: Tree | None = None
    folders: dict[bytes, tuple[int, int]] = {}


def save(prefix: Path, store: Path, cancelled: Cancelled = lambda: False) -> Kept:
    """Keep all files of an environment in a new folder.

    Raises:
        OSError: there is no room, or a file cannot be read.
        Stopped: somebody asked to end.
    """
    files = store / "files"
    files.mkdir(parents=True)
    (store.parent / ".gitignore").write_text("*\n")
    root = os.fsencode(prefix)
    before = read_tree(root)
    names: dict[bytes, str] = {}
    copied: set[str] = set()
    for number, (path, entry) in enumerate(before.items()):
        if not entry.is_file:
            continue
        if cancelled():
            raise Stopped
        name = names[path] = f"{number:x}"
        if not _keep(os.path.join(root, path), os.fsencode(files / name), entry):
            copied.add(name)
    kept = Kept(before=before, files=names, copied=copied)
    _write(kept, store)
    return kept


def _keep(path: bytes, to: bytes, entry: Entry) -> bool:
    """Keep one file; returns whether both are one file now."""
    is_written_in_place = entry.size <= _SMALL and (
        path.endswith(_IN_PLACE) or os.path.basename(os.path.dirname(path)) in (b"bin", b"Scripts", b"conda-meta")
    )
    if not is_written_in_place:
        with contextlib.suppress(OSError):
            os.link(path, to, follow_symlinks=False)
            return True
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError), open(path, "rb") as read, open(to, "xb") as written:
            fcntl.ioctl(written.fileno(), _FICLONE, read.fileno())
            shutil.copystat(path, to)
            return False
    shutil.copy2(path, to)
    return False


def read_kept(store: Path) -> Kept | None:
    """What was kept there; None: it was not written to its end, or cannot be read."""
    try:
        return msgspec.msgpack.decode((store / "kept").read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(kept: Kept, store: Path) -> None:
    write_whole(store / "kept", msgspec.msgpack.encode(kept))


def finish(prefix: Path, store: Path, kept: Kept) -> Kept:
    """The change is over: only what it changed is kept from now on.

    Raises:
        OSError: the environment cannot be read, or there is no room.
    """
    after = read_tree(os.fsencode(prefix))
    changed = set(differing(kept.before, after))
    folders = {
        path: (entry.modified, after[path].modified)
        for path, entry in kept.before.items()
        if entry.is_folder and path in after and entry.modified != after[path].modified
    }
    finished = Kept(
        before={path: entry for path, entry in kept.before.items() if path in changed},
        files={path: name for path, name in kept.files.items() if path in changed},
        copied=kept.copied,
        after={path: entry for path, entry in after.items() if path in changed},
        folders=folders,
    )
    _write(finished, store)
    prune(store, finished)
    return finished


def prune(store: Path, kept: Kept) -> None:
    """Remove what is kept of files that did not change."""
    wanted = set(kept.files.values())
    for path in (store / "files").iterdir():
        if path.name not in wanted:
            path.unlink(missing_ok=True)


def size_of(store: Path) -> tuple[int, int]:
    """How many files are kept, and their bytes."""
    sizes = [path.stat().st_size for path in (store / "files").iterdir()]
    return len(sizes), sum(sizes)


def touch(store: Path) -> None:
    """Note that the change goes on: what is written after the last note is not known to be its work."""
    with contextlib.suppress(OSError):
        (store / _BEAT).touch()


def aside_of(store: Path) -> Path:
    """Where things are moved that were written after an interruption: beside what is kept, and it stays."""
    return store.with_name(f"{store.name}-moved-aside")


def written_since(prefix: Path, store: Path, kept: Kept) -> tuple[str, ...]:
    """What was written after a change was interrupted, by the user or by an installer that lived on.

    Raises:
        OSError: the environment cannot be read.
    """
    root = os.fsencode(prefix)
    return tuple(os.fsdecode(path) for path in _written_since(root, store, kept, read_tree(root)))


def _written_since(root: bytes, store: Path, kept: Kept, now: Tree) -> Iterator[bytes]:
    if kept.after is not None:
        return
    beat = store / _BEAT
    last = (beat if beat.exists() else store / "kept").stat().st_ctime_ns
    for path in differing(kept.before, now):
        entry, then = now.get(path), kept.before.get(path)
        if entry is None or entry.is_folder or os.lstat(os.path.join(root, path)).st_ctime_ns <= last:
            continue
        can_be_put_back = then is None or not then.is_file or _whole(os.fsencode(store / "files"), kept, path)
        if can_be_put_back and not (then and entry.is_copy_of(then)):
            yield path


def _move_aside(root: bytes, store: Path, paths: tuple[bytes, ...]) -> None:
    """Move them out of the way; twice the same path, where it was interrupted, is two files."""
    for path in paths:
        to = os.path.join(os.fsencode(aside_of(store)), path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        while os.path.lexists(to):
            to += b"~"
        os.rename(os.path.join(root, path), to)


def hindrances(prefix: Path, kept: Kept) -> tuple[str, ...]:
    """What was changed since by others, which would be lost: paths inside of the environment."""
    return tuple(os.fsdecode(path) for path in _hindrances(os.fsencode(prefix), kept))


def _hindrances(root: bytes, kept: Kept) -> Iterator[bytes]:
    after = kept.after
    if after is None:  # it was interrupted: what is there now is what it left
        return
    for path in sorted(kept.before.keys() | after.keys()):
        if path.endswith(_BYTECODE):
            continue
        now, then = entry_at(os.path.join(root, path)), after.get(path)
        is_back = path in kept.before and now is not None and now.is_like(kept.before[path])
        if (now is None) is not (then is None) or (now and then and not now.is_like(then)):
            is_gone = now is None and path not in kept.before
            if not is_back and not is_gone:
                yield path
        elif now is not None and now.is_folder and path not in kept.before:
            yield from (name for name in _strangers(root, path, after))


def _strangers(root: bytes, folder: bytes, after: Tree) -> Iterator[bytes]:
    """What others put into a folder that came with the change; Python's own bytecode does not count."""
    with contextlib.suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
        for entry in entries:
            path = os.path.join(folder, entry.name)
            if path not in after and not path.endswith(_BYTECODE) and entry.name != b"__pycache__":
                yield path


def put_back(prefix: Path, store: Path, kept: Kept, *, is_interrupted: bool = False) -> tuple[str, ...]:
    """Make the environment what it was; returns what is not as it was, which is nothing as a rule.

    It may be interrupted, and done again from its start. ``is_interrupted``: the change was left half done, and what
    was written after that is moved aside.

    Raises:
        OSError: the environment cannot be written.
    """
    root, files = os.fsencode(prefix), os.fsencode(store / "files")
    kept = msgspec.structs.replace(
        kept, before={path: entry for path, entry in kept.before.items() if path.split(b"/", 1)[0] in PLACES}
    )
    if is_interrupted:
        _move_aside(root, store, tuple(_written_since(root, store, kept, read_tree(root))))
    now = read_tree(root)
    wanted = _wanted(now, kept)
    for path in sorted(now.keys() - wanted.keys(), reverse=True):  # what lies in a folder before the folder
        _remove(os.path.join(root, path), now[path])
    for path in differing({path: entry for path, entry in now.items() if path in wanted}, wanted):
        entry, to = wanted[path], os.path.join(root, path)
        if path in now and (entry.is_folder is not now[path].is_folder or entry.target):
            _remove(to, now[path])
        if entry.is_folder:
            with contextlib.suppress(FileExistsError):
                os.mkdir(to)
            os.chmod(to, stat.S_IMODE(entry.mode))
        elif entry.target:
            os.symlink(entry.target, to)
            os.utime(to, ns=(entry.modified, entry.modified), follow_symlinks=False)
        elif entry.is_file:
            _put_file(files, kept, path, to)
    _restore_times(root, now, kept)
    return tuple(map(os.fsdecode, _not_as_before(read_tree(root), wanted)))


def _not_as_before(now: Tree, wanted: Tree) -> Iterator[bytes]:
    """The paths at which there is something else. A file that was copied and put back has another number."""
    for path in differing(now, wanted):
        found, entry = now.get(path), wanted.get(path)
        if not (found and entry and entry.is_file and found.is_copy_of(entry)):
            yield path


def _wanted(now: Tree, kept: Kept) -> Tree:
    """What shall be there."""
    if kept.after is None:
        return kept.before
    new = kept.after.keys() - kept.before.keys()
    rest = {path: entry for path, entry in now.items() if path not in new and not _is_bytecode_of(path, kept)}
    return {**rest, **kept.before}


def _is_bytecode_of(path: bytes, kept: Kept) -> bool:
    """Whether Python compiled it since then from a file that is about to go, or lies in a folder that is."""
    if path in kept.before or kept.after is None:
        return False
    folder, name = os.path.split(path)
    holder = folder if name == b"__pycache__" else os.path.dirname(folder)
    if name != b"__pycache__" and not (path.endswith(_BYTECODE) and os.path.basename(folder) == b"__pycache__"):
        return False
    if holder in kept.after and holder not in kept.before:
        return True
    source = os.path.join(holder, name.split(b".", 1)[0] + b".py")
    return name != b"__pycache__" and (source in kept.after or source in kept.before)


def _put_file(files: bytes, kept: Kept, path: bytes, to: bytes) -> None:
    """Put a file back, unless an undo that was interrupted has done it.

    A second link holds whatever was written into the first one: then it is not what was there, and its time tells.
    """
    entry = kept.before[path]
    if source := _whole(files, kept, path):
        os.chmod(source, stat.S_IMODE(entry.mode))
        os.replace(source, to)


def _whole(files: bytes, kept: Kept, path: bytes) -> bytes:
    """The file that holds what was at this path; "" where none does."""
    entry, name = kept.before[path], kept.files.get(path, "")
    source = os.path.join(files, os.fsencode(name))
    found = entry_at(source) if name else None
    return source if found is not None and (found.size, found.modified) == (entry.size, entry.modified) else b""


def _remove(path: bytes, entry: Entry) -> None:
    with contextlib.suppress(FileNotFoundError):
        if entry.is_folder and os.path.basename(path) == b"__pycache__":
            shutil.rmtree(path)
        elif entry.is_folder:  # what came into it this moment is nobody's to delete
            os.rmdir(path)
        else:
            os.unlink(path)


def _restore_times(root: bytes, now: Tree, kept: Kept) -> None:
    """Give folders the time of their last change that they had, where nobody else has changed them since."""
    times = {path: entry.modified for path, entry in kept.before.items() if entry.is_folder}
    for path, (before, after) in kept.folders.items():
        if path in now and now[path].modified == after:
            times[path] = before
    for path, modified in sorted(times.items(), reverse=True):
        _set_time(os.path.join(root, path), modified)


def _set_time(path: bytes | Path, modified: int) -> None:
    with contextlib.suppress(OSError):
        os.utime(path, ns=(os.lstat(path).st_atime_ns, modified))


def discard(store: Path, modified: int | None = None) -> None:
    """Forget what is kept. ``modified``: the time of the environment's folder before it was."""
    holder = store.parent
    if holder.name != KEPT or holder.is_symlink() or store.is_symlink() or not store.is_dir():
        return
    before = holder.parent.stat().st_mtime_ns
    shutil.rmtree(store, ignore_errors=True)
    with contextlib.suppress(OSError):
        if {path.name for path in holder.iterdir()} <= {".gitignore"}:
            shutil.rmtree(holder)
    _set_time(holder.parent, before if modified is None else modified)
