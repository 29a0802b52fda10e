"""The machine as it is read: files, commands, and what the running process knows of itself."""

import glob
import os
import platform

from . import system_log

TEXT_LIMIT = 200000  # characters read of one file; every file read here is far smaller on a sane machine


class Source:
    """The machine as it is read: files below a root, commands, and what the running process knows of itself."""

    def __init__(self, argument):
        self.root = argument.get("root") or "/"
        self.recorded = argument.get("recorded")
        self.system = self.ask("system", platform.system)

    def path(self, path):
        """Where an absolute path of the machine lies here."""
        return path if self.root == "/" else os.path.join(self.root, path.lstrip("/"))

    def text(self, path, unread=None):
        """The text of a file, stripped; None where it is absent (not noted) or unreadable (noted in ``unread``)."""
        content = self._read(path, unread, TEXT_LIMIT, encoding="utf-8", errors="replace")
        return None if content is None else content.strip("\0\n\t ")

    def data(self, path, unread=None):
        """The first bytes of a file as numbers; None as in :meth:`text`."""
        content = self._read(path, unread, 64, mode="rb")
        return None if content is None else list(content)

    def _read(self, path, unread, limit, **options):
        try:
            with open(self.path(path), **options) as file:
                return file.read(limit)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if unread is not None:
                unread[path] = type(error).__name__
            return None

    def names(self, path):
        """The sorted names in a folder; none where it is not there."""
        try:
            return sorted(os.listdir(self.path(path)))
        except OSError:
            return []

    def exists(self, path):
        """Whether a path is there."""
        return os.path.exists(self.path(path))

    def find(self, pattern):
        """Paths of the machine that match a pattern."""
        found = sorted(glob.glob(self.path(pattern)))
        return found if self.root == "/" else ["/" + os.path.relpath(match, self.root) for match in found]

    def link(self, path):
        """The last part of a link's target ("nvidia" of a driver link); "" where there is none."""
        try:
            return os.path.basename(os.readlink(self.path(path)))
        except OSError:
            return ""

    def real(self, path):
        """A path with all links followed, as the machine names it."""
        if self.root == "/":
            return os.path.realpath(path)
        real = os.path.realpath(self.path(path))
        inside = os.path.relpath(real, os.path.realpath(self.root))
        return path if inside.startswith("..") else "/" + inside

    def ask(self, name, function):
        """What the process knows of itself; None where that fails."""
        if self.recorded is not None:
            return self.recorded.get("answers", {}).get(name)
        try:
            return function()
        except Exception:
            return None

    def run(self, arguments, limit=system_log.LIMIT):
        """Run a command: {"code", "stdout", "stderr"}, or {"error"} where it could not be run or took too long."""
        if self.recorded is not None:
            commands = self.recorded.get("commands", {})
            names = (" ".join(arguments[:count]) for count in (len(arguments), 3, 1))
            return next((commands[name] for name in names if name in commands), {"error": "FileNotFoundError"})
        return system_log.run(arguments, limit)


def fields(text, separator):
    """Lines of "name : value" as a dict; the first of a name counts."""
    fields = {}
    for line in text.splitlines():
        name, found, value = line.partition(separator)
        if found:
            fields.setdefault(name.strip(), value.strip())
    return fields
