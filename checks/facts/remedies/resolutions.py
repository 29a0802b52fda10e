"""What the package index says about a remedy before anybody is told to paste it: resolved, and nothing installed."""

from enum import StrEnum

from checks.facts.base import Fact
from checks.facts.remedies.proofs import PackageChange


class ResolutionResult(StrEnum):
    """What came of it; a case may hold others, of a newer version."""

    RESOLVED = "resolved"  # there are packages for this Python and machine that fit; ``changes`` says which
    NOTHING_TO_DO = "nothing-to-do"  # what it would install is there
    NO_SOLUTION = "no-solution"  # there are none; ``said`` says why
    SOURCE_ONLY = "source-only"  # there is source code alone, which would have to be compiled here
    UNREACHABLE = "unreachable"  # the index did not answer, or not in time
    NOT_RESOLVED = "not-resolved"  # ``reason`` says why


FAILED = (ResolutionResult.NO_SOLUTION, ResolutionResult.SOURCE_ONLY, ResolutionResult.NOTHING_TO_DO)


class Resolution(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One remedy of one finding, resolved for the examined Python, its platform and its index.

    ``commands``: the installers' calls that were resolved. ``download_bytes``: of the packages whose size the index
    tells; ``unsized``: how many it does not. ``conflicts``: requirements that are met now and would not be any more.
    """

    cause: str
    subject: str = ""
    remedy: str
    result: str
    tool: str = ""  # that resolved it: "uv", "pip", "conda"
    commands: tuple[str, ...] = ()
    changes: tuple[PackageChange, ...] = ()
    download_bytes: int | None = None
    unsized: int = 0
    conflicts: tuple[str, ...] = ()
    said: str = ""
    reason: str = ""
    values: dict[str, str] = {}
    seconds: float | None = None
    lacks_pip: bool = False  # its commands call the pip of an environment that has none

    @property
    def failed(self) -> bool:
        """Whether the remedy, as it stands, does not install what it names here."""
        return self.result in FAILED

    @property
    def is_clean(self) -> bool:
        """Whether it resolves, and every package that is there keeps what it requires."""
        return self.result == ResolutionResult.RESOLVED and not self.conflicts


def resolution_of(resolutions: tuple[Resolution, ...], cause: str, subject: str, remedy: str) -> Resolution | None:
    """What is known of this remedy for this finding."""
    wanted = (cause, subject, remedy)
    return next((one for one in reversed(resolutions) if (one.cause, one.subject, one.remedy) == wanted), None)
