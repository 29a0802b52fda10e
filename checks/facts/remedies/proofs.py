"""What came of trying a remedy in a throw-away copy, before anybody was told to paste it."""

from enum import StrEnum

import msgspec

from checks.facts.base import Fact
from checks.facts.programs.watched import ProgramRun


class ProofResult(StrEnum):
    """What was seen; a case may hold others, of a newer version."""

    PROVEN = "proven"  # it failed before and came to its end afterwards; of a GPU: it computed on one afterwards
    CONFLICTS = "conflicts"  # the same, but packages that are there do not get what they require any more
    RUNS_LONGER = "runs-longer"  # it failed before, and still ran when the time of the trial was over
    OTHER_FAILURE = "other-failure"  # the failure of before is gone, and another one is there
    DID_NOT_HELP = "did-not-help"  # it fails as before
    NOT_APPLIED = "not-applied"  # a command of the remedy failed; ``said`` is why
    NOT_TRIED = "not-tried"  # ``reason`` says why


MENDED = (ProofResult.PROVEN, ProofResult.RUNS_LONGER)
HELPED = (*MENDED, ProofResult.CONFLICTS)
REFUTED = (ProofResult.DID_NOT_HELP, ProofResult.NOT_APPLIED)


class PackageChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A distribution that the remedy changed in the copy, None: it was or is not there."""

    name: str
    version_before: str | None = None
    version_after: str | None = None


class Proof(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One remedy of one finding, tried here.

    ``commands``: what was applied, as the user would paste it. ``reason`` and ``values``: why, where
    it was not tried. ``run``: what came of it, without what was in memory; ``others``: what else had failed, and worked
    in the same place. ``of_gpu``: what was wrong before was no
    failure, but that the program computed on the processor.
    """

    cause: str
    subject: str = ""
    remedy: str
    result: str
    of_gpu: bool = False
    reason: str = ""
    values: dict[str, str] = {}
    commands: tuple[str, ...] = ()
    then: tuple[str, ...] = ()  # remedies of the failures that came to light behind the first, applied in the same copy
    changes: tuple[PackageChange, ...] = ()
    releases: tuple[str, ...] = ()  # all that was in a new environment in which it works: "six==2.0"
    conflicts: tuple[str, ...] = ()  # requirements that were met before and are not any more, as pip tells them
    run: ProgramRun | None = None
    others: tuple[ProgramRun, ...] = ()
    said: str = ""  # by the command that failed
    way: str = ""  # "copy": a copy of the environment; "overlay": packages in front of it; "new": a new one
    copied_bytes: int | None = None
    seconds: float | None = None

    @property
    def mended(self) -> bool:
        """Whether the program was seen not to fail afterwards, and nothing else is worse than before."""
        return self.result in MENDED

    @property
    def helped(self) -> bool:
        """Whether the program was seen not to fail afterwards."""
        return self.result in HELPED

    @property
    def refuted(self) -> bool:
        """Whether the remedy was seen not to mend it."""
        return self.result in REFUTED


def proof_of(proofs: tuple[Proof, ...], cause: str, subject: str, remedy: str) -> Proof | None:
    """What was tried last of this remedy for this finding."""
    wanted = (cause, subject, remedy)
    return next((proof for proof in reversed(proofs) if (proof.cause, proof.subject, proof.remedy) == wanted), None)
