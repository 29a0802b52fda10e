"""`--prove`: the remedies are tried in throw-away copies, and a line says what happens. `--apply` comes behind it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from checks.facts.case import Case
from checks.visible import visible
from wizard.cli.follow import Then
from wizard.words import words


def proven(chosen: argparse.Namespace) -> Then:
    """What tries the remedies of a case."""

    def then(case: Case, cancelled: Callable[[], bool]) -> Case:
        from checks.proof.prove import is_worth_trying, prove
        from checks.proof.trial import Trying
        from wizard.report.content.remedies.proofs import result_words, stage_words

        if not is_worth_trying(case) and not chosen.quiet:
            print(words("proofs.nothing", chosen.lang), file=sys.stderr)
        if chosen.apply:
            from wizard.cli.mending import tell_refusal

            tell_refusal(case, chosen)
        seconds = getattr(chosen, "timeout", None) or 0.0
        steps = prove(
            case, seconds=seconds, cancelled=cancelled, language=chosen.lang, offline=getattr(chosen, "offline", False)
        )
        try:
            while True:
                step = next(steps)
                title = step.candidate.plan.title
                if isinstance(step, Trying):
                    line = stage_words(step, chosen.lang)
                else:
                    line = words("proofs.line", chosen.lang, title=title, result=result_words(step.proof, chosen.lang))
                if not chosen.quiet:
                    print(visible(line), file=sys.stderr, flush=True)
        except StopIteration as ended:
            judged: Case = ended.value
        if chosen.apply and not cancelled():
            from wizard.cli.mending import carried_out

            return carried_out(judged, chosen, cancelled)
        return judged

    return then
