"""`--apply`: after a question, the proven remedy is carried out in the user's own environment."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from checks.visible import visible
from wizard.cli.arguments import UsageError
from wizard.cli.questions import can_ask, is_agreed
from wizard.cli.snapshots import history_folder
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts.case import Case
    from checks.mending.proposal import Proposal


def check_apply(chosen: argparse.Namespace) -> None:
    """Say what was left half done; and refuse before a minute of work what would be refused after it.

    Raises:
        UsageError: it is root who asks, or nobody can be asked.
    """
    tell_half_done(chosen)
    if not chosen.apply:
        return
    from checks.mending.permission import NotMended, is_administrator
    from wizard.report.content.remedies.mendings import refusal_words

    if is_administrator():
        raise UsageError(refusal_words(NotMended("root"), chosen.lang))
    if not chosen.yes and not can_ask():
        raise UsageError(words("mendings.needs-yes", chosen.lang))


def tell_half_done(chosen: argparse.Namespace) -> None:
    """Say what a process left that was killed in the middle of a change."""
    from checks.mending.journal import half_done
    from wizard.report.content.remedies.mendings import half_done_words

    for journal in half_done():
        _say(half_done_words(journal, chosen.lang))


def tell_refusal(case: Case, chosen: argparse.Namespace) -> None:
    """Say before the trials, which take minutes, that what they prove will not be carried out in this environment."""
    from checks.mending.proposal import refused_from_the_start
    from wizard.report.content.remedies.mendings import refusal_words

    why = refused_from_the_start(case)
    if why is not None:
        _say(refusal_words(why, chosen.lang))


def carried_out(case: Case, chosen: argparse.Namespace, cancelled: Callable[[], bool]) -> Case:
    """The case with what came of it."""
    from checks.mending.permission import NotMended
    from checks.mending.proposal import proposal
    from checks.mending.undo import with_undone
    from wizard.report.content.remedies.mendings import mending_words, moved_words, plan_words, refusal_words

    try:
        proposed = proposal(case, chosen.lang)
    except NotMended as why:
        return _told(case, refusal_words(why, chosen.lang))
    if proposed is None:
        is_proven = any(proof.mended for proof in case.facts.proofs)
        return _told(case, words(f"mendings.{'only-settings' if is_proven else 'nothing'}", chosen.lang))
    for line in plan_words(proposed, chosen.lang):
        _say(line)
    if not chosen.yes and not is_agreed(words("mendings.ask", chosen.lang), cancelled):
        return _told(case, words("mendings.declined", chosen.lang))
    case = _mended(case, proposed, chosen, cancelled)
    mending = case.facts.mendings[-1]
    _say(mending_words(mending, chosen.lang))
    if mending.is_refuted and (chosen.yes or is_agreed(words("mendings.ask-undo", chosen.lang), cancelled)):
        try:
            case = with_undone(case, mending.id)
        except (NotMended, OSError) as error:
            reason = refusal_words(error, chosen.lang) if isinstance(error, NotMended) else str(error)
            return _told(case, reason)
        mending = case.facts.mendings[-1]
        _say(mending_words(mending, chosen.lang))
    for line in moved_words(mending, chosen.lang):
        _say(line)
    return case


def _mended(case: Case, proposed: Proposal, chosen: argparse.Namespace, cancelled: Callable[[], bool]) -> Case:
    from checks.mending.mend import mend
    from checks.mending.undo import Impatient
    from wizard.report.content.remedies.mendings import doing_words, put_back_words

    seconds, history = getattr(chosen, "timeout", None) or 0.0, history_folder(chosen)
    steps = mend(case, proposed, seconds=seconds, cancelled=cancelled, history=history)
    try:
        while True:
            step = next(steps)
            if not chosen.quiet:
                _say(doing_words(step, chosen.lang))
    except StopIteration as ended:
        done: Case = ended.value
        return done
    except Impatient as stopped:
        for line in put_back_words(stopped, chosen.lang):
            _say(line)
        raise


def _told(case: Case, line: str) -> Case:
    _say(line)
    return case


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)
