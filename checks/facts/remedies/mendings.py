"""What came of carrying out a proven remedy in the user's own environment."""

from enum import StrEnum

import msgspec

from checks.facts.base import Fact
from checks.facts.installed import InstalledFiles
from checks.facts.programs.watched import ProgramRun
from checks.facts.python import InterpreterFacts
from checks.facts.remedies.proofs import PackageChange


class MendingResult(StrEnum):
    """What was seen; a case may hold others, of a newer version."""

    FIXED = "fixed"  # what failed before came to its end afterwards
    RUNS_LONGER = "runs-longer"  # it failed before, and still ran when the time of the check was over
    NEEDS_SETTING = "needs-setting"  # the same, with a variable that the user still has to change himself
    OTHER_FAILURE = "other-failure"  # the failure of before is gone, and another one is there
    DID_NOT_HELP = "did-not-help"  # it fails as before
    NOT_CHECKED = "not-checked"  # carried out; what failed could not be run again, ``reason`` says why
    MADE = "made"  # a new environment, in which what failed was seen to work; the one of before stays as it is
    NOT_APPLIED = "not-applied"  # a command failed; ``said`` is why; everything was put back
    NOT_DONE = "not-done"  # ``reason`` says why; nothing is changed


class SettingPlace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a variable is set that a remedy changes: a line of a file of the user's, 0: it has no lines.

    ``changed``: what the line would be; None: it goes. ``anew``: what has to be started again for it to count, behind
    "anew-" in resources/words/mendings.toml.
    """

    remedy: str
    variable: str
    path: str
    line: int = 0
    text: str
    changed: str | None = None
    anew: str = ""


class Mending(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One proven remedy of one finding, carried out here.

    ``id``: of what was saved before, by which it is undone; "" where nothing was. ``before``, ``after``: what failed,
    run before and afterwards in the user's environment. ``others``: what else had failed, as it ran afterwards.
    ``said``: by a command that failed. ``of_gpu``: what was wrong
    before was no failure, but that the program computed on the processor. ``left``, ``left_files``: the environment as
    it is now, where it is changed. ``moved_to``: the folder into which files
    were moved that may be the user's own work, when everything was put back; ``lost``: what could not be put back.
    """

    cause: str
    subject: str = ""
    remedy: str
    result: str
    of_gpu: bool = False
    reason: str = ""
    values: dict[str, str] = {}
    id: str = ""
    commands: tuple[str, ...] = ()
    changes: tuple[PackageChange, ...] = ()
    before: ProgramRun | None = None
    after: ProgramRun | None = None
    others: tuple[ProgramRun, ...] = ()
    said: str = ""
    saved_files: int = 0
    saved_bytes: int = 0
    left: InterpreterFacts | None = None
    left_files: InstalledFiles | None = None
    is_undone: bool = False
    moved_to: str = ""
    lost: tuple[str, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether the environment is changed by it."""
        return bool(self.id) and not self.is_undone

    @property
    def is_refuted(self) -> bool:
        """Whether it stands, and what failed was seen to fail all the same."""
        return self.stands and self.result in (MendingResult.DID_NOT_HELP, MendingResult.OTHER_FAILURE)

    @property
    def is_fixed(self) -> bool:
        """Whether what failed was seen to come to its end, here or where the case is from, and it was not undone."""
        return self.result == MendingResult.FIXED and not self.is_undone

    @property
    def mended(self) -> bool:
        """Whether what failed was seen not to fail afterwards, and it was not undone."""
        return self.stands and self.result in (MendingResult.FIXED, MendingResult.RUNS_LONGER)


def mending_of(mendings: tuple[Mending, ...], cause: str, subject: str, remedy: str) -> Mending | None:
    """What came last of carrying out this remedy for this finding."""
    wanted = (cause, subject, remedy)
    found = (one for one in reversed(mendings) if (one.cause, one.subject, one.remedy) == wanted)
    return next(found, None)


def fixed_by(mendings: tuple[Mending, ...]) -> Mending | None:
    """The last one, if it stands and what failed before it was seen to work after it."""
    last = mendings[-1] if mendings else None
    if last is None or not last.stands or last.result != MendingResult.FIXED:
        return None
    is_seen = last.before and (last.before.failed or last.of_gpu) and last.after and last.after.worked
    return last if is_seen else None


def left_by(mendings: tuple[Mending, ...]) -> Mending | None:
    """The last one, where the environment is as it left it and was read again; None: it is as it was examined."""
    last = mendings[-1] if mendings else None
    return last if last is not None and last.stands and last.left is not None else None


def as_seen_last(run: ProgramRun, fixed: Mending | None) -> ProgramRun:
    """A run of the case, or the same as it was seen to run behind what was fixed."""
    later = (fixed.after, *fixed.others) if fixed else ()
    return next((one for one in later if one is not None and _started(one) == _started(run)), run)


def _started(run: ProgramRun) -> object:
    """The same of the same statement, and of the same program in the same folder."""
    return run.statement or (run.started or run.command, run.folder)
