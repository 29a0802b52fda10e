"""The answer to paste back into a ticket: the cause, what shows it, what to do, how to verify it, what to send next.

It is Markdown of the same blocks as the whole report (wizard/report/content/findings/sections.py).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from checks.engine.portable.command import command
from checks.knowledge.catalogue import UNKNOWN
from checks.readers.tickets.language import ENGLISH, JAPANESE
from checks.readers.tickets.language import language_of as written_in
from wizard.report.content.blocks import Block, Code, Look, Paragraph, Quote
from wizard.report.content.findings.sections import cause_blocks, explanation_blocks, items, remedy_section
from wizard.report.content.report import FindingView, Report
from wizard.report.prints.markdown import blocks_as_markdown
from wizard.words import words

_LIKELY = 0.5  # from here on the cause is named as the likely one, as in the verdict
_REMEDIES = 2  # the best one, and another way
_FENCE = re.compile(r"^(```+)\w*\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(  # a character that is itself, code, an address, bold text, and what keeps names from being links
    r"\\([\\`*_{}\[\]()#+\-.!|<>~$&])|(`+) ?(.+?) ?\2(?!`)|<(https?://[^>\s]+)>|\*\*|\u200b"
)


def to_reply(report: Report, *, is_told: bool = False) -> str:
    """The answer, in the language of the report. ``is_told``: the customer sent more than the report quotes."""
    return blocks_as_markdown(_reply(report, is_told=is_told), report.language)


def _reply(report: Report, *, is_told: bool) -> Iterator[Block]:
    def say(key: str, **values: object) -> str:
        return words(f"report.reply-{key}", report.language, **values)

    has_text = is_told or any(section.text.strip() for section in report.facts)
    yield Paragraph(say("thanks" if has_text else "empty"))
    best = next(iter(report.findings), None)
    is_known = best is not None and best.cause != UNKNOWN
    if best is not None and is_known:
        yield from _cause(best, say("cause" if best.confidence >= _LIKELY else "perhaps", title=best.title), report)
        for finding in report.findings[1:]:
            if finding.is_apart:
                yield from _cause(finding, say("another", title=finding.title), report)
    else:
        yield from [Paragraph(say("unknown"))] if has_text else []
        yield from [Paragraph(best.numbers)] if best is not None and best.numbers else []
        yield from _seen(report)
    if report.questions:
        yield Paragraph(say("ask" if is_known else "ask-first"))
        yield items(report.questions)
    if report.questions and not is_known:
        yield Paragraph(say("probe"))
        yield Code(command(computes=False))


def _seen(report: Report) -> Iterator[Block]:
    """What checks saw in a text that does not tell the cause: it need not be that, but is so."""
    seen = [finding for finding in report.shown[1:] if finding.proven]
    if seen:
        yield Paragraph(words("report.reply-seen", report.language))
        origins = (finding.proven[0].origin for finding in seen)
        yield items(
            f"{finding.why} ({origin})" if origin else finding.why
            for finding, origin in zip(seen, origins, strict=True)
        )


def _cause(finding: FindingView, sentence: str, report: Report) -> Iterator[Block]:
    yield Paragraph(sentence, Look.STRONG)
    for block in cause_blocks(finding, report.language):
        if isinstance(block, Quote):
            key = "shown-by" if finding.confidence >= _LIKELY else "lines"
            yield Paragraph(words(f"report.reply-{key}", report.language))
        yield block
    yield from explanation_blocks(finding)
    for number, remedy in enumerate(finding.remedies[:_REMEDIES]):
        yield remedy_section(remedy, report.language, is_other=number > 0)


def plain(markdown: str) -> str:
    """An answer as a mail shows it: without the marks of Markdown, its code set in by four columns."""
    parts, end = [], 0
    for found in _FENCE.finditer(markdown):
        parts += [_unmarked(markdown[end : found.start()]), textwrap.indent(found[2], "    ")]
        end = found.end()
    return "".join((*parts, _unmarked(markdown[end:])))


def _unmarked(text: str) -> str:
    return _MARKS.sub(lambda found: found[1] or found[3] or found[4] or "", text)


def language_of(ticket: str, otherwise: str) -> str:
    """The language in which somebody wrote: Japanese where there is kana; else English, of no text the user's own."""
    if not ticket.strip():
        return otherwise
    return JAPANESE if written_in(ticket) == JAPANESE else ENGLISH
