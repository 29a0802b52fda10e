"""What came of trying a remedy here, in words and as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from checks.facts import PackageChange, ProgramRun, Proof, ProofResult
from wizard.report.content.blocks import Code, Item, Items, Step
from wizard.words import words

if TYPE_CHECKING:  # loaded when a remedy is tried, not with every report
    from checks.proof.trial import Trying

_MARKS = {
    ProofResult.PROVEN: ("✓", "clear"),
    ProofResult.CONFLICTS: ("!", "warning"),
    ProofResult.OTHER_FAILURE: ("!", "warning"),
    ProofResult.DID_NOT_HELP: ("×", "blocking"),
    ProofResult.NOT_APPLIED: ("×", "blocking"),
}
# What is said in other words of a program that stayed on the processor.
_SEEN = (
    ProofResult.PROVEN,
    ProofResult.RUNS_LONGER,
    ProofResult.CONFLICTS,
    ProofResult.OTHER_FAILURE,
    ProofResult.DID_NOT_HELP,
)
_WAYS = ("copy", "overlay", "new", "program")
_OPEN = ("?", "open")
_MOST_CHANGES = 8  # packages that are named
_LONGEST = 300  # characters of what a program or an installer said


def result_step(proof: Proof, language: str) -> Step:
    """What came of it."""
    mark, state = _MARKS.get(ProofResult(proof.result), _OPEN) if _is_known(proof) else _OPEN
    return Step(mark, result_words(proof, language), state=state)


def proven_commands(proof: Proof, language: str) -> Step | None:
    """The commands that were proven, where they are others than the remedy's own steps."""
    if not proof.helped or not proof.commands or not (proof.then or proof.way == "new"):
        return None
    return Step("", words("proofs.together", language), code=Code("\n".join(proof.commands), "sh"))


def proven_releases(proof: Proof, language: str) -> Step | None:
    """What was in the new environment, as a file that makes the same one again."""
    if not proof.releases:
        return None
    text = words("proofs.releases", language, count=len(proof.releases))
    return Step("", text, code=Code("\n".join(proof.releases), ""))


def proof_details(proof: Proof, language: str) -> Items | None:
    """Where it was tried, what it changes, and what it breaks."""
    details = tuple(Item(text) for text in _details(proof, language))
    return Items(details, "–", "open") if details else None


def stage_words(step: Trying, language: str) -> str:
    """What happens while a remedy is tried."""
    key = "overlaying" if step.stage == "copying" and not step.size else step.stage
    return words(f"proofs.stage-{key}", language, title=step.candidate.plan.title, size=megabytes(step.size))


def proofs_in_short(proofs: Sequence[Proof], language: str) -> Iterator[str]:
    """What a reader shall know of them at once."""
    tried = [proof for proof in proofs if proof.result != ProofResult.NOT_TRIED]
    of_gpu = "-gpu" if any(proof.of_gpu for proof in tried) else ""
    if any(proof.result == ProofResult.PROVEN for proof in tried):
        yield words(f"proofs.in-short-proven{of_gpu}", language)
    elif any(proof.mended for proof in tried):
        yield words(f"proofs.in-short-runs-longer{of_gpu}", language)
    elif any(proof.helped for proof in tried):
        yield words("proofs.in-short-conflicts", language)
    elif not of_gpu and any(proof.result == ProofResult.OTHER_FAILURE for proof in tried):
        yield words("proofs.in-short-other-failure", language)
    elif tried:
        yield words(f"proofs.in-short-none{of_gpu}", language, count=len(tried))


def result_words(proof: Proof, language: str) -> str:
    """One sentence."""
    if not _is_known(proof):
        return words("proofs.not-tried", language, reason=proof.result)
    reason = _reason(proof, language)
    of_gpu = "-gpu" if proof.of_gpu and proof.result in _SEEN else ""
    return words(
        f"proofs.{proof.result}{of_gpu}",
        language,
        seconds=words("runs.seconds", language, seconds=proof.run.seconds or 0.0) if proof.run else "",
        what=(proof.run and proof.run.statement) or words("proofs.program", language),
        failure=failure_words(proof.run) if proof.run else "",
        said=short(proof.said),
        reason=reason,
    )


def _reason(proof: Proof, language: str) -> str:
    """Why it was not tried; a case of a newer version may hold reasons that have no sentence here."""
    try:
        return words(f"proofs.reason-{proof.reason}", language, **proof.values) if proof.reason else ""
    except KeyError:
        return proof.reason


def _is_known(proof: Proof) -> bool:
    """A case of a newer version may hold other results."""
    return proof.result in set(ProofResult)


def failure_words(run: ProgramRun) -> str:
    """With what it ended, in its own words."""
    raised = run.raised
    if raised is not None:
        return short(f"{raised.type}: {raised.message}" if raised.message else raised.type)
    lines = [line for line in (run.errors or run.output).splitlines() if line.strip()]
    return short(lines[-1] if lines else run.signal or f"exit code {run.exit_code}")


def short(text: str) -> str:
    """One line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + " ..."


def _details(proof: Proof, language: str) -> Iterator[str]:
    if proof.then and not proof.commands:
        yield words("proofs.more-elsewhere", language, count=len(proof.then))
    if proof.way in _WAYS:
        yield words(f"proofs.where-{proof.way}", language, bytes=megabytes(proof.copied_bytes or 0))
    if proof.others:
        worked = words("report.list-separator", language).join(run.statement for run in proof.others)
        yield words("proofs.others", language, worked=worked)
    if proof.changes:
        yield changed_words(proof.changes, language)
    if proof.conflicts:
        yield words("proofs.broken", language, conflicts="; ".join(proof.conflicts[:_MOST_CHANGES]))


def changes_in_words(changes: Sequence[PackageChange], language: str) -> str:
    """The distributions that change, of many the first ones."""
    shown = [_change(change, language) for change in changes[:_MOST_CHANGES]]
    if len(changes) > _MOST_CHANGES:
        shown.append(words("proofs.changed-more", language, count=len(changes) - _MOST_CHANGES))
    return words("report.list-separator", language).join(shown)


def changed_words(changes: Sequence[PackageChange], language: str) -> str:
    """The distributions that are not as they were; of many the first ones."""
    return words("proofs.changed", language, changes=changes_in_words(changes, language))


def megabytes(size: int) -> str:
    """A size."""
    return f"{size // 10**6:,} MB"


def _change(change: PackageChange, language: str) -> str:
    before, after = change.version_before, change.version_after
    kind = "added" if before is None else "removed" if after is None else "again" if before == after else "other"
    values = {"name": change.name, "before": change.version_before or "", "after": change.version_after or ""}
    return words(f"proofs.change-{kind}", language, **values)
