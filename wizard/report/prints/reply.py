"""The answer to paste back into a ticket: the cause, what shows it, what to do, how to verify it, what to send next.

Markdown, in which every value is escaped as in the whole report (wizard/report/prints/markdown.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.knowledge.catalogue import UNKNOWN
from wizard.report.content.report import FindingView, Report
from wizard.report.prints.markdown import code_block, escaped, prose, remedy_blocks
from wizard.words import words

_LIKELY = 0.5  # from here on the cause is named as the likely one, as in the verdict
_LINES = 3  # quoted lines
_REMEDIES = 2  # the best one, and another way


def to_reply(report: Report) -> str:
    """The answer, in the language of the report."""
    return "\n".join(_blocks(report)).rstrip() + "\n"


def _blocks(report: Report) -> Iterator[str]:
    language = report.language

    def say(key: str, **values: object) -> str:
        return words(f"report.reply-{key}", language, **values)

    has_text = any(section.text.strip() for section in report.facts)
    yield say("thanks" if has_text else "empty") + "\n"
    best = next(iter(report.findings), None)
    is_known = best is not None and best.cause != UNKNOWN
    if best is not None and is_known:
        yield from _cause(best, say("cause" if best.confidence >= _LIKELY else "perhaps", title=best.title), language)
        for finding in report.findings[1:]:
            if finding.is_apart:
                yield from _cause(finding, say("another", title=finding.title), language)
    else:
        yield from [say("unknown") + "\n"] if has_text else []
        yield from _seen(report)
    if report.questions:
        yield say("ask" if is_known else "ask-first") + "\n"
        yield from (f"- {prose(question)}" for question in report.questions)


def _seen(report: Report) -> Iterator[str]:
    """What checks saw in a text that does not tell the cause: it need not be that, but is so."""
    seen = [each for each in report.shown[1:] if each.proven]
    if seen:
        yield words("report.reply-seen", report.language) + "\n"
        for each in seen:
            origin = each.proven[0].origin
            yield f"- {prose(each.why)}" + (f" ({prose(origin)})" if origin else "")
        yield ""


def _cause(finding: FindingView, sentence: str, language: str) -> Iterator[str]:
    yield f"**{escaped(sentence)}** {prose(finding.why)}\n"
    shown = finding.quoted[:_LINES]
    if shown:
        key = "shown-by" if finding.confidence >= _LIKELY else "lines"
        yield words(f"report.reply-{key}", language) + "\n"
        yield code_block("\n".join(shown)) + "\n"
    yield f"{prose(finding.explanation)}\n"
    for number, remedy in enumerate(finding.remedies[:_REMEDIES]):
        yield from remedy_blocks(remedy, "remedy-other" if number else "remedy", language)
