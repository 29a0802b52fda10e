"""Where the target's modules come from: the folders that are searched, and what in them hides something else."""

from enum import StrEnum

import msgspec

from checks.facts.base import Fact


class SearchPlace(StrEnum):
    """Why a folder is searched; a case may hold others, of a newer version."""

    SCRIPT = "script-folder"  # the program lies there
    PROJECT = "project-folder"  # the user named it as the target
    CURRENT = "current-folder"
    PYTHONPATH = "pythonpath"
    SITE = "site"
    USER_SITE = "user-site"
    PTH = "pth"  # a .pth file names it


class SearchedFolder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One folder, in the order in which they are searched. ``python``: whose packages it holds by its name: "3.9"."""

    path: str
    place: str
    python: str = ""


class HidingFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file or folder of the user's that is imported instead of a module of Python's or of a package."""

    module: str
    path: str
    place: str
    hidden: str  # the path that would be imported without it
    package: str = ""  # "torch 2.13.0"; "" for a module of Python itself
    is_beside_program: bool = False  # another program or notebook lies in the same folder
    is_unbuilt: bool = False  # the source of that package, without its compiled part


class OwnModule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A module that the program did not find, and that lies near it. ``is_beside_program``: in the very same folder."""

    module: str  # the first part of the import
    folder: str  # that holds it
    is_beside_program: bool = False


class StrayScript(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A command of the environment whose first line names another Python than the environment's own."""

    path: str
    interpreter: str
    is_gone: bool = False


class SearchedFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What was seen of the search path of one interpreter, in the user's folders and surroundings."""

    folders: tuple[SearchedFolder, ...] = ()
    hiding: tuple[HidingFile, ...] = ()
    own_modules: tuple[OwnModule, ...] = ()
    stray_scripts: tuple[StrayScript, ...] = ()
    scripts: int = 0  # commands of the environment that were read
    made_as: str | None = None  # the folder that the environment's "activate" names; None: unread
