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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from checks.mending.installed_files import is_bytecode, of_installers
from checks.mending.tree import Entry, Tree, differing, entry_at, is_place, read_tree
from checks.prepared import prepared
from checks.proof.copies.environment_copy import KEPT
from checks.sharing.files import write_whole

_FICLONE = 0x40049409  # Linux: ioctl_ficlone(2)
_IN_PLACE = (b".pth", b".cfg", b".egg-link", b".json", b"history", b"RECORD", b"INSTALLER", b"METADATA")
_SMALL = 1 << 18  # bytes
_BEAT = "alive"  # a file: its time is when the change was last seen to go on

Cancelled = Callable[[], bool]


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """Somebody asked to end."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What was there before. ``files``: the name under which the content of a file is kept.

    ``after``: what was there when the change was over, None while it is not. Then both hold only what differs, and
    ``folders`` the times of the folders in which that lies, before and after. ``unclaimed``: what of it no installer
    lists, so it may be the user's.
    """

    before: Tree
    files: dict[bytes, str]
    copied: set[str]  # of the names, those that are no second link
    after: Tree | None = None
    folders: dict[bytes, tuple[int, int]] = {}
    unclaimed: frozenset[bytes] = frozenset()


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
        return msgspec.msgpack.decode((store / "kept").read_bytes(), type=prepared(Kept))
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
        unclaimed=frozenset(_unclaimed(os.fsencode(prefix), changed, after, kept.before)),
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


def to_move_aside(prefix: Path, store: Path, kept: Kept, *, is_interrupted: bool = False) -> tuple[str, ...]:
    """What may be the user's own work, and stands where something is put back or taken away.

    ``is_interrupted``: the change was left half done; what was written after that may be of the user, too, or of an
    installer that lived on.

    Raises:
        OSError: the environment cannot be read.
    """
    root = os.fsencode(prefix)
    return tuple(map(os.fsdecode, _to_move_aside(root, store, kept, read_tree(root), is_interrupted=is_interrupted)))


def _to_move_aside(root: bytes, store: Path, kept: Kept, now: Tree, *, is_interrupted: bool) -> Iterator[bytes]:
    files = os.fsencode(store / "files")
    there = _half_done(root, store, kept, now, is_interrupted) if kept.after is None else _done(kept, kept.after, now)
    for path in sorted(set(there)):
        then = kept.before.get(path)
        if then is None or not then.is_file or _whole(files, kept, path):
            yield path


def _half_done(root: bytes, store: Path, kept: Kept, now: Tree, is_interrupted: bool) -> Iterator[bytes]:
    changed = {path for path in differing(kept.before, now) if path in now and not _is_back(path, now, kept)}
    beat = store / _BEAT
    last = (beat if beat.exists() else store / "kept").stat().st_ctime_ns
    for path in changed:
        if is_interrupted and not now[path].is_folder and os.lstat(os.path.join(root, path)).st_ctime_ns > last:
            yield path
    yield from _unclaimed(root, changed, now, kept.before)


def _done(kept: Kept, after: Tree, now: Tree) -> Iterator[bytes]:
    """What is neither as it was before the change nor as the change left it, or is in nobody's list."""
    new_folders = {path for path, entry in after.items() if entry.is_folder and path not in kept.before}
    for path, entry in now.items():
        if entry.is_folder or is_bytecode(path) or _is_back(path, now, kept):
            continue
        left = after.get(path)
        is_new = left is None and (path in kept.before or not new_folders.isdisjoint(_folders_above(path)))
        if is_new or path in kept.unclaimed or (left is not None and not entry.is_like(left)):
            yield path


def _is_back(path: bytes, now: Tree, kept: Kept) -> bool:
    """Whether what was there is there again; a file that was copied has another number then."""
    then = kept.before.get(path)
    return then is not None and (now[path].is_like(then) or (then.is_file and now[path].is_copy_of(then)))


def _folders_above(path: bytes) -> Iterator[bytes]:
    while path := os.path.dirname(path):
        yield path


def _unclaimed(root: bytes, changed: Iterable[bytes], now: Tree, before: Tree) -> set[bytes]:
    """What nobody knows to be an installer's work. Of an environment that is new, all of it is."""
    if not before:
        return set()
    there = {path for path in changed if path in now and not now[path].is_folder}
    return there - of_installers(root, there, now, before)


def _move_aside(root: bytes, store: Path, path: bytes) -> None:
    """Move it out of the way; twice the same path, where it was interrupted, is two files."""
    to = os.path.join(os.fsencode(aside_of(store)), path)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    while os.path.lexists(to):
        to += b"~"
    os.rename(os.path.join(root, path), to)


def hindrances(prefix: Path, kept: Kept) -> tuple[str, ...]:
    """What was changed since by others, which would be lost: paths inside of the environment."""
    return tuple(dict.fromkeys(map(os.fsdecode, _hindrances(os.fsencode(prefix), kept))))


def _hindrances(root: bytes, kept: Kept) -> Iterator[bytes]:
    after = kept.after
    if after is None:  # it was interrupted: what is there now is what it left
        return
    changed = kept.before.keys() | after.keys()
    yield from sorted(folder for folder in set(map(os.path.dirname, changed)) if _leads_away(root, folder))
    for path in sorted(changed - kept.unclaimed):  # that is moved aside
        if is_bytecode(path):
            continue
        now, then = entry_at(os.path.join(root, path)), after.get(path)
        is_back = path in kept.before and now is not None and now.is_like(kept.before[path])
        if (now is None) is not (then is None) or (now and then and not now.is_like(then)):
            is_gone = now is None and path not in kept.before
            if not is_back and not is_gone:
                yield path
        elif now is not None and now.is_folder and path not in kept.before:
            yield from (name for name in _strangers(root, path, after))


def _leads_away(root: bytes, folder: bytes) -> bool:
    """Whether a link stands now where a folder was: behind it nothing is written."""
    return any(os.path.islink(os.path.join(root, path)) for path in (folder, *_folders_above(folder)))


def _strangers(root: bytes, folder: bytes, after: Tree) -> Iterator[bytes]:
    """What others put into a folder that came with the change; Python's own bytecode does not count."""
    with contextlib.suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
        for entry in entries:
            path = os.path.join(folder, entry.name)
            if path not in after and not is_bytecode(path):
                yield path


def put_back(prefix: Path, store: Path, kept: Kept, *, is_interrupted: bool = False) -> tuple[str, ...]:
    """Make the environment what it was; returns what is not as it was, which is nothing as a rule.

    It may be interrupted, and done again from its start. What may be somebody's work is moved aside, and not removed.
    ``is_interrupted``: the change was left half done.

    Raises:
        OSError: the environment cannot be written.
    """
    root = os.fsencode(prefix)
    kept = msgspec.structs.replace(
        kept, before={path: entry for path, entry in kept.before.items() if is_place(root, path.split(b"/", 1)[0])}
    )
    found = read_tree(root)
    aside = tuple(_to_move_aside(root, store, kept, found, is_interrupted=is_interrupted))
    for path in aside:
        _move_aside(root, store, path)
    now = read_tree(root) if aside else found
    wanted = _wanted(now, kept)
    for path in sorted(now.keys() - wanted.keys(), reverse=True):  # what lies in a folder before the folder
        _remove(root, store, path, now[path])
    for path in differing({path: entry for path, entry in now.items() if path in wanted}, wanted):
        entry, to = wanted[path], os.path.join(root, path)
        there = entry_at(to)
        if there is not None and (path not in now or not there.is_like(now[path])) and not there.is_folder:
            _move_aside(root, store, path)  # it was written this moment
        elif there is not None and (entry.is_folder is not there.is_folder or entry.target):
            _remove(root, store, path, there)
        if entry.is_folder:
            with contextlib.suppress(FileExistsError):
                os.mkdir(to)
            os.chmod(to, stat.S_IMODE(entry.mode))
        elif entry.target:
            os.symlink(entry.target, to)
            os.utime(to, ns=(entry.modified, entry.modified), follow_symlinks=False)
        elif entry.is_file:
            _put_file(os.fsencode(store / "files"), kept, path, to)
    _restore_times(root, found, kept)
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
    if name != b"__pycache__" and not (is_bytecode(path) and os.path.basename(folder) == b"__pycache__"):
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


def _remove(root: bytes, store: Path, path: bytes, entry: Entry) -> None:
    """Remove what is known; what came in its place or into it this moment is moved aside."""
    full = os.path.join(root, path)
    there = entry_at(full)
    if there is None:
        return
    if not there.is_like(entry):
        _move_aside(root, store, path)
    elif not entry.is_folder:
        os.unlink(full)
    else:
        try:
            os.rmdir(full)
        except OSError:
            if all(map(is_bytecode, os.listdir(full))):
                shutil.rmtree(full)
            else:
                _move_aside(root, store, path)


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
    """Forget what is kept; of a new environment in which nothing is left, the folder goes, too.

    ``modified``: the time of the environment's folder before it was.
    """
    holder = store.parent
    if holder.name != KEPT or holder.is_symlink() or store.is_symlink() or not store.is_dir():
        return
    before = holder.parent.stat().st_mtime_ns
    shutil.rmtree(store, ignore_errors=True)
    with contextlib.suppress(OSError):
        if {path.name for path in holder.iterdir()} <= {".gitignore"}:
            shutil.rmtree(holder)
    _set_time(holder.parent, before if modified is None else modified)
    with contextlib.suppress(OSError):
        holder.parent.rmdir()
