"""What changed on this machine: between two examinations, and as the logs of installers tell it."""

from enum import StrEnum

import msgspec

from checks.facts.base import Fact


class ChangeKind(StrEnum):
    """What it is that changed; a case may hold others, of a newer version."""

    PACKAGE = "package"  # a distribution of the examined Python
    PYTHON = "python"
    VARIABLE = "variable"
    SETTING = "setting"  # of a framework, in a file of the user's
    FILE = "file"  # of an installed package, against what was installed
    PROGRAM = "program"  # a file of the user's own program, or one that its command names
    MODEL = "model"
    MACHINE = "machine"  # "driver", "kernel", ...: an id of resources/words/history.toml
    SYSTEM_PACKAGE = "system-package"  # of the operating system


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is not as it was. None: it was or is not there; both None: nobody knows what it was.

    ``time``: when, UTC, where something tells. ``source``: the log that tells it ("apt", "conda", "pip"); "": two
    examinations that were compared.
    """

    kind: str
    name: str
    before: str | None = None
    after: str | None = None
    package: str = ""  # whose file it is
    time: str = ""
    source: str = ""


class History(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of the time before this examination.

    ``changes``: between the last examination at which it worked and the first at which it failed as it does now.
    ``later``: what changed since that first failure. ``logged``: what installers wrote down of the time for which
    there is no examination. ``requires``: what the packages that the failure passed through need, by their names.
    """

    number: int | None = None  # of the examination at which it worked
    worked: str = ""  # when that was; "": none is known
    what: str = ""  # what worked then and fails now: "import torch", the command; "": nothing was seen to fail
    failing_since: str = ""  # the first examination at which it failed as now
    changes: tuple[Change, ...] = ()
    later: tuple[Change, ...] = ()
    logged: tuple[Change, ...] = ()
    requires: dict[str, tuple[str, ...]] = {}
