"""The report as Markdown, for a ticket.

Values come from outside. They must neither leave their table cell or code fence, nor start HTML, nor notify people or
link issues of the place where the ticket is pasted (``@name``, ``#12``).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from checks.visible import visible_markdown
from wizard.report.content import blocks as b
from wizard.report.content.document import document_of
from wizard.report.content.measured.line import left_out_line
from wizard.report.content.remedies.step_labels import is_address
from wizard.report.content.report import Report
from wizard.words import words

# "numpy<2" and ">= 1.24" begin no markup, and stay readable where nobody renders it.
_SPECIAL = re.compile(r"([\\`*_{}\[\]|~$&]|[<>](?!=? ?\d))")
_STARTS_BLOCK = re.compile(r"^([#+=>-]|\d+[.)])")
_REFERENCE = re.compile(r"([@#!])(?=\w)|\b(GH-)(?=\d)", re.IGNORECASE)
_COMMAND = (
    r"(?:python|pip|conda|uv|nvidia-smi|nvcc|ls|lsmod|lspci|dmesg|docker|wsl|uname|ldd|echo|cat|rocminfo|git|sudo|apt|set"
    r"|export|ollama|trtexec|vulkaninfo|journalctl|systemctl|free|df|env|where|which|file|head)\b"
)
# What is code in a sentence: an address, a quoted command, a one-line program, a name with an underscore.
_CODE = re.compile(
    r"(?P<address>https?://[^\s<>\"'|、。)]+)"
    rf"|\"(?P<quoted>{_COMMAND}[^\"]*)\"|「(?P<bracketed>{_COMMAND}[^」]*)」"
    r"|\bpip install \"[^\"]*\"|\bpython3? -[cm] (?:\"[^\"]*\"|[\w.-]+(?: -{1,2}[\w-]+)*)"
    r"|(?<![\w`])-{0,2}[\w.]*\w_\w(?:[\w.]*\w)?(?:\([^()\s]{0,60}\)|=[\w.:=/-]*\w)?|(?<![\w`])[\w.]*__\w+__",
    re.ASCII,  # Japanese is written right beside a name
)
_NO_LINK = re.compile(r"[\s<>]")  # what ends an address in angle brackets
_BREAK = "\u200b"  # zero width space: what is written stays readable, but is no reference any more


def to_markdown(report: Report) -> str:
    """The whole report; what is only looked up is folded away."""
    return document_as_markdown(document_of(report))


def document_as_markdown(document: b.Document) -> str:
    """Any document; what is only looked up is folded away."""
    return visible_markdown("\n".join(_Writer(document.language).document(document)).rstrip() + "\n")


def blocks_as_markdown(blocks: Iterable[b.Block], language: str) -> str:
    """Some blocks in Markdown, with headings in bold."""
    return visible_markdown("\n".join(_Writer(language).blocks(blocks, _IN_TEXT)).rstrip() + "\n")


def escaped(text: str) -> str:
    """A sentence as one line of Markdown that shows exactly this text."""
    return _STARTS_BLOCK.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", escaped_within(text))


def escaped_within(text: str) -> str:
    """A part of a line, for which it does not matter where the line begins."""
    return _escaped_marks(_one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped_marks(text: str) -> str:
    return _REFERENCE.sub(lambda found: found[0] + _BREAK, _SPECIAL.sub(r"\\\1", text))


def escaped_html(text: str) -> str:
    """A part of a line within a tag, where Markdown's own marks mean nothing to some readers and much to others."""
    return escaped_within(html.escape(text))


def prose(text: str) -> str:
    """A sentence of the catalogue in Markdown: its commands and names as code, so that they are copied as they are."""
    parts, end = [], 0
    line = _one_line(text)
    for found in _CODE.finditer(line):
        parts.append(_escaped_marks(line[end : found.start()]))
        parts.append(f"<{found['address']}>" if found["address"] else _span(found[found.lastgroup or 0]))
        end = found.end()
    parts.append(_escaped_marks(line[end:]))
    return _STARTS_BLOCK.sub(lambda start: f"{start[0][:-1]}\\{start[0][-1]}", "".join(parts))


def code_span(text: str) -> str:
    """A value as a code span that also fits into a table cell; "" for nothing."""
    return _span(text).replace("|", "\\|")


def _span(text: str) -> str:
    line = _one_line(text)
    if not line:
        return ""
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def code_block(text: str, language: str = "") -> str:
    """Text in a fence that it cannot close."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


_IN_TEXT = 5  # the level from which on titles are bold text rather than headings


class _Writer:
    """Blocks as lines of Markdown, with an empty line behind each block."""

    def __init__(self, language: str) -> None:
        self._language = language

    def document(self, document: b.Document) -> Iterator[str]:
        """The verdict, the questions, the sections; those of the appendix behind them, folded away."""
        verdict = document.verdict
        yield f"# {escaped(document.title)}\n"
        yield f"**{verdict.symbol} {escaped(verdict.word)}** — {escaped(verdict.sentence)}\n"
        yield from (f"{escaped(line)}\n" for line in verdict.scope)
        yield from (f"> {escaped(note)}\n" for note in document.notes)
        read, looked_up = apart((*document.questions, *document.sections))
        yield from self.blocks(read, 2)
        for section in looked_up:
            yield f"<details><summary>{escaped_html(section.title)}</summary>\n"
            yield from self.blocks(section.blocks, 4)
            yield "</details>\n"

    def blocks(self, blocks: Iterable[b.Block], level: int) -> Iterator[str]:  # noqa: C901 - one case for each kind
        """Blocks below each other. ``level``: of the headings among them."""
        for block in blocks:
            match block:
                case b.Section():
                    yield from self._section(block, level) if b.in_whole(block) else ()
                case b.Paragraph(text, look):
                    yield f"**{prose(text)}**\n" if look is b.Look.STRONG else f"{prose(text)}\n"
                case b.Items(items, mark):
                    sign = "" if mark in _LIST_MARKS else f"{mark} "
                    yield from _items(
                        f"{sign}{prose(item.text)}" + (f" — {prose(item.detail)}" if item.detail else "")
                        for item in items
                    )
                case b.Quote(lines):
                    yield code_block("\n".join(lines)) + "\n"
                case b.Code(text, language):
                    yield code_block(text, language) + "\n"
                case b.Risk(label, text):
                    yield f"**{escaped(label)}:** {prose(text)}\n"
                case b.Step():
                    yield from _step(block)
                case b.Table():
                    yield from self._table(block)
                case b.Plot():
                    yield f"**{escaped(block.title)}**: {escaped_within(block.summary)}\n"
                case b.Pairs():
                    yield from _pairs(block)
                case b.FactSheet(sections):
                    for title, pairs in sections:
                        yield f"{'#' * level} {escaped(title)}\n"
                        yield from _pairs(pairs)
                case b.Sources(label, sources):
                    yield f"{escaped(label)}: {', '.join(map(_source, sources))}\n"
                case b.SentText(_, text):
                    yield code_block(text) + "\n"
                case b.Files(_, table, notes, pages):
                    yield from self._table(table)
                    yield from (f"{escaped(note)}\n" for note in notes)
                    yield from self.blocks(pages, level)

    def _section(self, section: b.Section, level: int) -> Iterator[str]:
        badge = section.badge
        title = escaped(section.title)
        if section.label:
            title = f"{escaped(section.label)}: {title}"
        if badge is not None:
            title = " ".join(filter(None, (badge.symbol, f"{escaped(badge.word)}:" if badge.word else "", title)))
        if section.title:
            is_in_text = level >= _IN_TEXT or bool(section.label)
            yield f"**{title}**\n" if is_in_text else f"{'#' * level} {title}\n"
        if badge is not None and badge.note:
            yield f"{escaped(badge.note)} · {code_span(badge.id)}\n"
        if section.note:
            yield f"{prose(section.note)}\n"
        inner = min(level + 1, _IN_TEXT) if section.title else level
        if not section.title and section.title_apart:  # a page of its own on paper
            yield f"<details><summary>{escaped_html(section.title_apart)}</summary>\n"
        yield from self.blocks(section.blocks, _IN_TEXT if badge is not None else inner)
        if not section.title and section.title_apart:
            yield "</details>\n"

    def _table(self, table: b.Table) -> Iterator[str]:
        is_long = table.is_long and len(table.printed) > b.FEW_ROWS
        if is_long:
            count = words("measurements.rows", self._language, count=len(table.printed))
            yield f"<details><summary>{escaped_html(table.title)} ({count})</summary>\n"
        elif table.title:
            yield f"**{escaped(table.title)}**\n"
        signs = int(table.has_states)
        heads = [*[""] * signs, *map(escaped, table.columns)]
        shown = [code_span if column in table.code else escaped_within for column in range(len(table.columns))]
        rows = (
            (*[b.SYMBOLS[row.state]] * signs, *(show(cell) for show, cell in zip(shown, row.full_cells, strict=True)))
            for row in table.printed
        )
        yield from _table(heads, rows, [column + signs for column in table.numeric])
        yield from (f"{prose(line)}\n" for line in (left_out_line(table, self._language), table.note) if line)
        if is_long:
            yield "</details>\n"


_LIST_MARKS = ("–", "?")  # which a list of Markdown needs not


def apart(sections: Iterable[b.Section]) -> tuple[list[b.Section], list[b.Section]]:
    """What is read, and what is looked up: the sections that paper sets apart, also where a section holds them."""
    read: list[b.Section] = []
    looked_up: list[b.Section] = []
    for section in sections:
        if section.place is not b.Place.INLINE:
            looked_up.append(section)
            continue
        inner = [block for block in section.blocks if isinstance(block, b.Section) and block.card is not None]
        looked_up += [block for block in inner if block.place is not b.Place.INLINE]
        kept = tuple(block for block in section.blocks if block not in looked_up)
        if kept:
            read.append(replace(section, blocks=kept))
    return read, looked_up


def _step(step: b.Step) -> Iterator[str]:
    head = escaped_within(" ".join(filter(None, ("" if step.mark == "✓" else step.mark, step.label))))
    text = " ".join(filter(None, (f"**{head}**" if head else "", prose(step.text))))
    if text:
        yield text + "\n"
    if step.code:
        yield code_block(step.code.text, step.code.language) + "\n"


def _pairs(pairs: b.Pairs) -> Iterator[str]:
    has_origin = any(row.origin for row in pairs.rows)
    value = escaped if pairs.are_words else code_span
    cells = ((escaped(row.label), value(row.value), escaped(row.origin)) for row in pairs.rows)
    width = 3 if has_origin else 2
    yield from _table(pairs.heads[:width], (row[:width] for row in cells))


def _source(source: str) -> str:
    return f"<{source}>" if is_address(source) and not _NO_LINK.search(source) else escaped(source)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> Iterator[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        yield f"| {' | '.join(columns)} |"
        yield f"|{''.join(' ---: |' if column in numeric else ' --- |' for column in range(len(columns)))}"
        yield from lines
        yield ""


def _items(items: Iterable[str]) -> Iterator[str]:
    yield from (f"- {item}" for item in items)
    yield ""
