"""What would be carried out in the user's own environment: all that a user is asked about, or why it is not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.facts import PackageChange, Proof
from checks.facts.case import Case
from checks.interpreters.disk import absolute
from checks.mending.make import New, new_of
from checks.mending.manifest import manifests_of, renamed
from checks.mending.permission import NotMended, check_permission
from checks.mending.tree import is_place
from checks.proof.candidates import candidates
from checks.proof.changes import (
    SETTINGS,
    Change,
    Installed,
    Managed,
    Moved,
    NewEnvironment,
    NotTriable,
    changes_in,
    changes_of,
)
from checks.proof.witness import Witness, others_of, witnesses_of
from checks.remedies.plan import plan_remedies


@dataclass(frozen=True)
class Proposal:
    """What would be done: all that a user is asked about. ``settings``: that have to be changed elsewhere, by hand.

    ``witness``: what was seen to fail, and to work with the remedy; ``others``: what else failed, and is started again
    as well. ``changes``: with the settings among them. ``manifests``: of a project, which its tool changes. ``new``:
    the environment that is made, at ``prefix``, where the user's own stays as it is.
    """

    proof: Proof
    witness: Witness
    title: str
    prefix: Path
    commands: tuple[str, ...]
    packages: tuple[PackageChange, ...]
    changes: tuple[Change, ...]
    settings: tuple[Change, ...]
    others: tuple[Witness, ...] = ()
    manifests: tuple[Path, ...] = ()
    new: New | None = None


def proposal(case: Case, language: str = "en") -> Proposal | None:
    """The proven remedy that can be carried out here; None: there is none, or it stands already.

    Raises:
        NotMended: there is one, and it may not; ``reason`` says why.
    """
    facts = case.facts
    proof = _shown_first(case)
    if not facts.here or proof is None or any(mending.stands for mending in facts.mendings):
        return None
    if proof.way == "new":
        return _proposal_of_new(case, proof, language)
    changes = changes_in(proof.commands, facts.target or "python")
    carried_out = tuple(change for change in changes if isinstance(change, Installed | Managed | Moved))
    if not carried_out and not any(isinstance(change, NewEnvironment) for change in changes):
        return None
    if any(isinstance(change, NewEnvironment) for change in changes):
        raise NotMended("new-environment")
    prefix = check_permission(facts.target_interpreter)
    own = own_moves(carried_out, prefix)
    if own and proof.way != "program":
        raise NotMended("outside", path=own[0].source)
    witness = _witness_of(case, proof)
    if witness is None:
        return None
    return Proposal(
        proof=proof,
        witness=witness,
        title=_title(case, proof, language),
        prefix=prefix,
        commands=tuple(dict.fromkeys(change.line for change in carried_out)),
        packages=proof.changes,
        changes=changes,
        settings=tuple(change for change in changes if isinstance(change, SETTINGS)),
        manifests=(*manifests_of(changes, witness.folder), *renamed(own)),
        others=others_of(facts, witness),
    )


def refused_from_the_start(case: Case) -> NotMended | None:
    """Why no remedy may be carried out here, known before any is tried; None: one of them may, or none is there."""
    changed = tuple(_changes_of_candidates(case))
    changes_files = any(isinstance(change, Installed | Managed | Moved) for change in changed)
    if not changes_files or any(isinstance(change, NewEnvironment) for change in changed):
        return None
    try:
        check_permission(case.facts.target_interpreter)
    except NotMended as why:
        return why
    return None


def _changes_of_candidates(case: Case) -> Iterator[Change]:
    for candidate in candidates(case):
        with contextlib.suppress(NotTriable):
            yield from changes_of(candidate.plan, case.facts.target or "python")


def _proposal_of_new(case: Case, proof: Proof, language: str) -> Proposal | None:
    witness = _witness_of(case, proof)
    if witness is None:
        return None
    try:
        new = new_of(proof, case.facts.target_interpreter, witness)
    except NotMended:
        raise
    except NotTriable as why:
        raise NotMended(why.reason, **why.values) from why
    return Proposal(
        proof=proof,
        witness=witness,
        title=_title(case, proof, language),
        prefix=new.folder,
        commands=new.commands,
        packages=(),
        changes=(new.change,),
        settings=(),
        manifests=(new.lock,),
        new=new,
    )


def _shown_first(case: Case) -> Proof | None:
    """Of the remedies that were seen to work, that of the finding which the report shows first."""
    places = {(finding.cause, finding.subject): place for place, finding in reversed(list(enumerate(case.findings)))}
    mended = [proof for proof in reversed(case.facts.proofs) if proof.mended]
    return min(mended, key=lambda proof: places.get((proof.cause, proof.subject), len(places)), default=None)


def _witness_of(case: Case, proof: Proof) -> Witness | None:
    """What the remedy was proven on."""
    statement = proof.run.statement if proof.run else ""
    witnesses = witnesses_of(case.facts)
    return next((one for one in witnesses if (one.statement, one.of_gpu) == (statement, proof.of_gpu)), None)


def _title(case: Case, proof: Proof, language: str) -> str:
    about = (proof.cause, proof.subject)
    finding = next((found for found in case.findings if (found.cause, found.subject) == about), None)
    plans = plan_remedies(finding, case.facts, language) if finding else ()
    return next((plan.title for plan in plans if plan.id == proof.remedy), proof.remedy)


def own_moves(changes: Iterable[Change], prefix: Path) -> tuple[Moved, ...]:
    """Those that give files another name which are no part of the environment."""
    moves = (change for change in changes if isinstance(change, Moved))
    return tuple(move for move in moves if not all(_is_kept(prefix, path) for path in (move.source, move.to)))


def _is_kept(prefix: Path, path: str) -> bool:
    """Whether it lies in the environment, at a place that is kept."""
    real, folder = absolute(os.path.realpath(path)), os.path.realpath(prefix)
    if not real.is_relative_to(folder):
        return False
    return is_place(os.fsencode(folder), os.fsencode(real.relative_to(folder).parts[0]))
