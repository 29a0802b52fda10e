"""Try the remedies of a case one after the other, each in a throw-away copy, until one is seen to work.

What failed is what is run again, in the user's folder. The user's environment is read and never written. Where the
program leaves the copy, because it names its Python in another way, nothing is concluded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from checks.engine.processes.surroundings import probe_environment
from checks.facts import ProgramEnd, ProgramRun, Proof
from checks.facts.case import Case
from checks.judgement.judge import judged
from checks.proof.candidates import Candidate, can_be_tried, candidates, in_order, needs_index, not_tried
from checks.proof.changes import Change, Installed, NewEnvironment, NotTriable, changes_of
from checks.proof.copies.environment_copy import Cancelled, trial_variables
from checks.proof.copies.reused_copy import ReusedCopy
from checks.proof.managed import check_tools
from checks.proof.resolving.pip_settings import from_here
from checks.proof.resolving.resolve import OFFLINE
from checks.proof.trial import Surroundings, Trial, Trying
from checks.proof.witness import STATEMENT_SECONDS, Witness, witnesses_of

MOST_TRIED = 5  # remedies that are carried out for one case
PATIENCE = 120.0  # seconds for a program that failed sooner
STOPPED = "stopped"  # the reason of what was not tried because somebody asked to end
_CHANGED = "changed-since-it-worked"
_SLOWER = 3  # times the seconds to its failure that it gets at least


@dataclass(frozen=True)
class Tried:
    """A remedy was tried, or could not be."""

    candidate: Candidate
    proof: Proof


def is_worth_trying(case: Case) -> bool:
    """Whether there is a remedy that can be carried out in a copy, and none that was seen to work."""
    if not witnesses_of(case.facts) or any(proof.mended for proof in case.facts.proofs):
        return False
    return any(can_be_tried(candidate, case.facts) for candidate in candidates(case))


def prove(
    case: Case,
    variables: Mapping[str, str] = os.environ,
    seconds: float = 0.0,
    cancelled: Callable[[], bool] = lambda: False,
    language: str = "en",
    *,
    offline: bool = False,
) -> Generator[Trying | Tried, None, Case]:
    """Try the remedies until one mends it; returns the case with all proofs, judged again.

    ``variables``: of the user. ``seconds``: how long the program was watched, 0: to its end. ``language``: of the plans
    that are handed over. ``offline``: nothing is downloaded.

    Raises:
        OSError: there is no place for temporary files.
    """
    proofs = list(case.facts.proofs)
    witnesses = witnesses_of(case.facts) if is_worth_trying(case) else ()
    target = case.facts.target_interpreter
    users = from_here(probe_environment("", variables), target.prefix if target else None)
    failing = tuple(_failing(witnesses, users, cancelled))
    for number, (witness, before) in enumerate(failing):
        if witness.statement and any(other.statement == witness.statement for other in _served(proofs)):
            continue
        around = Surroundings(
            case,
            witness,
            before,
            users,
            seconds_for(before, seconds),
            cancelled,
            offline=offline or bool(variables.get(OFFLINE)),
            others=tuple(other for other, _ in failing[number + 1 :]),
        )
        yield from tried_until_mended(around, language, -(-MOST_TRIED // len(witnesses)), proofs)
    facts = msgspec.structs.replace(case.facts, proofs=tuple(proofs))
    return judged(facts, case.answers, created=case.created, complete=case.complete)


def _failing(
    witnesses: Iterable[Witness], variables: Mapping[str, str], cancelled: Callable[[], bool]
) -> Iterator[tuple[Witness, ProgramRun]]:
    """Those that are seen to fail, and how; where somebody asked to end, all of them."""
    for witness in witnesses:
        before = witness.run or seen_now(witness, variables, cancelled)
        if before is not None and (witness.is_wrong(before) or cancelled()):
            yield witness, before


def _served(proofs: Iterable[Proof]) -> Iterator[ProgramRun]:
    """What a trial for another failure was seen to mend, too."""
    for proof in proofs:
        yield from proof.others if proof.mended else ()


def seen_now(witness: Witness, variables: Mapping[str, str], cancelled: Callable[[], bool]) -> ProgramRun | None:
    """How a statement fails, seen now, in the user's environment, into which nothing is compiled."""
    plain = trial_variables(None, variables)
    run = witness.started(witness.command, plain, STATEMENT_SECONDS, cancelled)
    return run if run.end in (ProgramEnd.ENDED, ProgramEnd.CANCELLED) else None


def seconds_for(before: ProgramRun, chosen: float) -> float:
    """How long what failed is run again at most. ``chosen``: by the user; 0: to its end.

    Of a program that had not ended while it was watched, that is as long as it was watched.
    """
    watched = before.seconds or 0.0
    if before.end == ProgramEnd.WATCHED:
        return chosen or watched
    return max(chosen, PATIENCE, _SLOWER * watched)


def tried_until_mended(around: Surroundings, language: str, most: int, proofs: list[Proof]) -> Iterator[Trying | Tried]:
    """One after the other, until one mends it; first what mended another witness.

    Where it was seen to work before something changed, the way back is tried besides: whoever knows that it worked
    yesterday wants to know whether it would again. Where somebody asked to end, what would have been tried is named,
    too. ``proofs``: those that there are, and more.
    """
    helped = frozenset(_key(proof) for proof in proofs if proof.helped)
    target = around.target
    around.copy = ReusedCopy(target, around.cancelled) if target is not None else None
    number, is_mended = 0, False
    try:
        for candidate in in_order(around.case, language, helped):
            if is_mended and not _is_way_back(candidate, around.case):
                continue
            if number >= most and not is_mended:
                return
            try:
                changes = changes_of(candidate.plan, around.case.facts.target or "python")
                _check_kept(changes, around)
            except NotTriable as why:
                proof = not_tried(candidate, why)
                is_last = False
            else:
                number += 1
                proof = yield from _tried(Trial(around, candidate, changes, number))
                is_last = is_mended or (proof.mended and _is_way_back(candidate, around.case))
            known = {_key(other) for other in proofs if other.result != proof.result}
            if candidate.key not in helped and not (proof.reason == STOPPED and candidate.key in known):
                proofs[:] = [*(other for other in proofs if _key(other) != candidate.key), proof]
                yield Tried(candidate, proof)
            if is_last:
                return
            is_mended = is_mended or proof.mended
    finally:
        if around.copy is not None:
            around.copy.drop()


def _is_way_back(candidate: Candidate, case: Case) -> bool:
    """Whether it brings back what was there when it was seen to work."""
    history = case.facts.history
    return candidate.finding.cause == _CHANGED and history is not None and bool(history.worked)


def _tried(trial: Trial) -> Generator[Trying, None, Proof]:
    if trial.around.cancelled():
        return not_tried(trial.candidate, NotTriable(STOPPED))
    try:
        return (yield from trial.proof())
    except Cancelled:
        return not_tried(trial.candidate, NotTriable(STOPPED))
    except OSError as error:
        return not_tried(trial.candidate, NotTriable("copy-failed", detail=str(error)))


def _check_kept(changes: tuple[Change, ...], around: Surroundings) -> None:
    """Refuse what the user's own command would undo, and what would be downloaded where nothing may be.

    Raises:
        NotTriable: it restores the packages of a lock file, or nobody wants the network to be asked.
    """
    check_tools(changes)
    tool = around.witness.restoring_tool
    if tool and any(_is_undone(change, around) for change in changes):
        raise NotTriable("restored", tool=tool)
    if around.offline and needs_index(changes):
        raise NotTriable("offline")


def _is_undone(change: Change, around: Surroundings) -> bool:
    """Whether it is not what the lock file names; a release that is only put in place again is."""
    target = around.target
    there = {f"{package.name}=={package.version}" for package in (target.packages if target else None) or ()}
    if isinstance(change, Installed):
        return not there.issuperset(word for word in change.arguments if not word.startswith("-"))
    return isinstance(change, NewEnvironment)


def _key(proof: Proof) -> tuple[str, str, str]:
    return proof.cause, proof.subject, proof.remedy
