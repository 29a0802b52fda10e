"""One copy of an environment for several trials: between them what a trial changed is brought over again.

The copy of a large environment takes most of the time of a trial. Where it cannot be made what it was (a file of the
user's own has changed meanwhile, or a link was replaced), it goes, and the next trial gets a new one.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from checks.facts import InterpreterFacts
from checks.proof.copies.environment_copy import EnvironmentCopy, bytes_to_copy, copied, relocate, room_for
from checks.proof.copies.place import trial_folder

_State = tuple[int, int, int, int, str]  # mode, size, time of change, number, and where a link leads
_Tree = dict[str, _State]  # by the path inside of the folder


class ReusedCopy:
    """The copy of one environment; its place goes with :meth:`drop`.

    ``is_seen_to_fail``: the program was seen to fail in it as it does in the user's own, before anything was changed.
    """

    def __init__(self, target: InterpreterFacts, cancelled: Callable[[], bool]) -> None:
        self._target, self._cancelled = target, cancelled
        self._stack = ExitStack()
        self._made: EnvironmentCopy | None = None
        self._before: _Tree = {}
        self.is_seen_to_fail = False

    def again(self) -> EnvironmentCopy | None:
        """The copy of the trial before, as it was when it was made; None: there is none, or it cannot be."""
        if self._made is not None and not self._restored(self._made):
            self.drop()
        return self._made

    def size(self) -> int | None:
        """Of :func:`bytes_to_copy`."""
        return bytes_to_copy(self._target)

    def make(self, size: int | None) -> EnvironmentCopy:
        """A new copy, or an overlay, which is not used again.

        Raises:
            NotTriable: it cannot be made, or there is no room for it.
            Cancelled: somebody asked to end.
            OSError: there is no place for temporary files.
        """
        self.drop()
        place = self._stack.enter_context(trial_folder(room_for(size), near=self._target.prefix))
        made = copied(self._target, place, size, self._cancelled)
        if not made.is_overlay:
            self._made, self._before = made, _tree(made.folder)
        return made

    def drop(self) -> None:
        """Remove it."""
        self._stack.close()
        self._made, self._before, self.is_seen_to_fail = None, {}, False

    def _restored(self, made: EnvironmentCopy) -> bool:
        """Whether everything is as it was behind this."""
        prefix, folder = Path(self._target.prefix or ""), made.folder
        for beside in folder.parent.iterdir():
            if beside != folder:
                shutil.rmtree(beside, ignore_errors=True) if beside.is_dir() else beside.unlink()
        try:
            now = _tree(folder)
            changed = [path for path in self._before.keys() | now.keys() if self._before.get(path) != now.get(path)]
            for path in sorted(changed, reverse=True):  # what lies in a folder before the folder
                _remove(folder / path, now.get(path), self._before.get(path))
            for path in sorted(changed):
                if path in self._before and not _brought_back(prefix / path, folder / path, self._before[path], made):
                    return False
            self._before |= {path: _state(folder / path) for path in changed if path in self._before}
            return self._before == _tree(folder)
        except OSError:
            return False


def _tree(folder: Path) -> _Tree:
    return {os.path.relpath(path, folder): _state(path) for path in _below(folder)}


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        yield from (Path(root, name) for name in (*folders, *files))


def _state(path: Path) -> _State:
    state = path.lstat()
    if stat.S_ISDIR(state.st_mode):  # what lies in it changes its time, and is compared by itself
        return state.st_mode, 0, 0, 0, ""
    target = str(path.readlink()) if stat.S_ISLNK(state.st_mode) else ""
    return state.st_mode, state.st_size, state.st_mtime_ns, state.st_ino, target


def _remove(path: Path, now: _State | None, before: _State | None) -> None:
    if now is None:
        return
    if not stat.S_ISDIR(now[0]):
        path.unlink()
    elif before is None or not stat.S_ISDIR(before[0]):
        path.rmdir()


def _brought_back(original: Path, path: Path, before: _State, made: EnvironmentCopy) -> bool:
    """Bring one path over again; returns whether it is what it was."""
    mode, size, modified, _, target = before
    if stat.S_ISDIR(mode):
        path.mkdir(exist_ok=True)
        path.chmod(stat.S_IMODE(mode))
    elif target:
        path.symlink_to(target)
    elif not original.is_file() or original.is_symlink():
        return False
    else:
        shutil.copy2(original, path)
        relocate(path, made)
        found = path.stat()
        is_same_time = original.stat().st_mtime_ns == modified or found.st_mtime_ns != original.stat().st_mtime_ns
        return (found.st_mode, found.st_size) == (mode, size) and is_same_time
    return True
