"""The files of installed packages, compared with what their installer wrote down.

Only what is not as it was installed is listed: a healthy environment has none of it.
"""

from enum import StrEnum

import msgspec

from checks.facts.base import Fact


class FileState(StrEnum):
    """How a file differs from its record; a case may hold others, of a newer version."""

    MISSING = "missing"
    EMPTY = "empty"  # 0 bytes where there were some
    ZEROS = "zeros"  # nothing but zero bytes
    CUT = "cut"  # a library whose own header speaks of more bytes than it has
    SIZE = "size"  # another size: edited, stripped, or of another release
    CONTENT = "content"  # the size, but not the content that was recorded


DAMAGED = frozenset((FileState.MISSING, FileState.EMPTY, FileState.ZEROS, FileState.CUT))


class ChangedFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One file that is not as it was installed. ``path``: below the folder that holds the package, with "/"."""

    path: str
    state: str
    size: int | None = None
    recorded: int | None = None


class ForeignModule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A compiled module that this Python cannot load, by its name or header: "cp310", "macOS", "aarch64"."""

    path: str
    built_for: str


class InstalledPackage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One distribution of which something is not as it was installed.

    Counted are the files that a program may need: no tests, headers, texts or compiled Python. ``damaged`` are missing,
    empty, zeroed or cut; ``changed`` have another size or content, which may be an edit of the user's.
    """

    name: str  # normalised: "opencv-python"
    version: str
    location: str
    installer: str | None = None
    modules: tuple[str, ...] = ()  # what of it is affected, as imported: "cv2"
    gone: tuple[str, ...] = ()  # those of them of which no code is left
    listed: int = 0
    damaged: int = 0
    changed: int = 0
    files: tuple[ChangedFile, ...] = ()  # the first of them, the damaged ones before the others
    foreign: tuple[ForeignModule, ...] = ()
    on_pythonpath: bool = False  # its folder is searched because PYTHONPATH names it
    # "charset_normalizer.constant.IANA": what its modules import from a changed one that does not have it
    unmet: tuple[str, ...] = ()
    project: str = ""  # the folder that it was installed from to be edited there, which is not there any more


class SharedModule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A module of which several installed distributions bring files of their own that differ."""

    module: str  # "cv2"
    location: str
    packages: tuple[str, ...]  # "opencv-python 4.11.0.86", those whose files are there first
    overwritten: int = 0  # files of which only one distribution's can be there


class InstalledTwice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two releases of one distribution in one folder. ``version_of_files``: whose files are there; "": mixed.

    ``stale``: the metadata folders of the others, where one release fits the files.
    """

    name: str
    location: str
    versions: tuple[str, ...]
    version_of_files: str = ""
    stale: tuple[str, ...] = ()


class Leftover(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an interrupted installation or removal left.

    ``kind``: "renamed" (pip's "~orch"), "no-metadata" (a metadata folder that names no release), "unowned" (a known
    module that no distribution lists), "shell" (a known module's folder without any code).
    """

    path: str
    kind: str
    module: str = ""


class InstalledFiles(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What was seen of the installed files of one interpreter."""

    packages: tuple[InstalledPackage, ...] = ()
    shared: tuple[SharedModule, ...] = ()
    twice: tuple[InstalledTwice, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    examined: int = 0  # distributions whose files were compared
    unlisted: int = 0  # distributions without a list of files: Debian's, some of conda's
    files: int = 0
    hashed: tuple[str, ...] = ()  # distributions whose content was compared, too
    is_complete: bool = True  # False: there were too many files, or no time

    def of(self, *names: str) -> InstalledPackage | None:
        """What is wrong with the first of these distributions (normalised names); None: nothing was seen."""
        return next((package for package in self.packages if package.name in names), None)
