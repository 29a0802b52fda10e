"""The report as Markdown, for a ticket.

Values come from outside. They must neither leave their table cell or code fence, nor start HTML, nor notify people or
link issues of the place where the ticket is pasted (``@name``, ``#12``).
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator

from checks.remedies.plan import PlannedStep, RemedyPlan
from wizard.report.content.advice import AdviceView
from wizard.report.content.compared_models import ComparisonRow, ComparisonView
from wizard.report.content.measured.blocks import FEW_ROWS, SYMBOLS, MeasuredSection
from wizard.report.content.measured.line import left_out_line
from wizard.report.content.model_files import ModelView, table_notes
from wizard.report.content.report import FindingView, Report
from wizard.report.content.step_labels import is_address, step_label, step_numbers, step_text
from wizard.words import words

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~$&])")
_STARTS_BLOCK = re.compile(r"^([#+=-]|\d+[.)])")
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
    r"|(?<![\w`])-{0,2}[\w.]*\w_\w[\w.]*(?:\([^()\s]{0,60}\)|=[\w.:-]*\w)?|(?<![\w`])[\w.]*__\w+__",
    re.ASCII,  # Japanese is written right beside a name
)
_BREAK = "\u200b"  # zero width space: what is written stays readable, but is no reference any more


def to_markdown(report: Report) -> str:
    """The whole report; the facts are folded away."""
    return "\n".join(_blocks(report)).rstrip() + "\n"


def escaped(text: str) -> str:
    """A sentence as one line of Markdown that shows exactly this text."""
    line = escaped_within(" ".join(text.split()))
    return _STARTS_BLOCK.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", line)


def escaped_within(text: str) -> str:
    """A part of a line, for which it does not matter where the line begins."""
    return _REFERENCE.sub(lambda found: found[0] + _BREAK, _SPECIAL.sub(r"\\\1", text))


def escaped_html(text: str) -> str:
    """A part of a line within a tag, where Markdown's own marks mean nothing to some readers and much to others."""
    return escaped_within(html.escape(" ".join(text.split())))


def prose(text: str) -> str:
    """A sentence of the catalogue in Markdown: its commands and names as code, so that they are copied as they are."""
    parts, end = [], 0
    line = " ".join(text.split())
    for found in _CODE.finditer(line):
        parts.append(escaped_within(line[end : found.start()]))
        parts.append(f"<{found['address']}>" if found["address"] else _span(found[found.lastgroup or 0]))
        end = found.end()
    parts.append(escaped_within(line[end:]))
    return _STARTS_BLOCK.sub(lambda start: f"{start[0][:-1]}\\{start[0][-1]}", "".join(parts))


def code_span(text: str) -> str:
    """A value as a code span that also fits into a table cell; "" for nothing."""
    return _span(text).replace("|", "\\|")


def _span(text: str) -> str:
    line = " ".join(text.split())
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


def _blocks(report: Report) -> Iterator[str]:
    language, verdict = report.language, report.verdict

    def heading(key: str) -> str:
        return _heading(key, language)

    yield f"# {escaped(report.title)}\n"
    yield f"**{verdict.symbol} {escaped(verdict.word)}** — {escaped(verdict.sentence)}\n"
    yield from (f"{escaped(line)}\n" for line in verdict.scope)
    for note in report.notes:
        yield f"> {escaped(note)}\n"
    if report.questions:
        yield heading("questions")
        yield from _items(map(prose, report.questions))
    yield from _table(("", ""), ((escaped(name), escaped(value)) for name, value in report.meta))
    if report.exactness:
        yield heading("exactness")
        yield escaped(report.exactness) + "\n"
    yield from _models(report)
    for section in report.asked:
        yield f"## {escaped(section.title)}\n"
        yield from _measured(section, report.language)
    yield from _findings(report)
    yield from _advice(report.advice)
    yield from _all_measured(report)
    if report.fine:
        yield heading("fine")
        yield from _items(f"✓ {escaped(each)}" for each in report.fine)
    if report.undecided:
        yield heading("undecided") + "\n" + words("report.intro-undecided", language) + "\n"
        yield from _items(f"{escaped(each.statement)} — {escaped(each.reason)}" for each in report.undecided)
    for applies, key in ((True, "not-run"), (False, "no-need")):
        groups = [each for each in report.not_run if each.applies is applies]
        if groups:
            yield heading(key)
        for group in groups:
            yield f"{escaped(group.reason)}:\n"
            yield from _items(map(escaped, group.statements))
    if report.crashed:
        yield heading("crashed") + "\n" + words("report.intro-crashed", language) + "\n"
        yield from _items(f"{code_span(each.cause)}: {code_span(each.reason)}" for each in report.crashed)
    yield from _facts(report)


def _heading(key: str, language: str) -> str:
    return f"## {words(f'report.heading-{key}', language)}\n"


def _findings(report: Report) -> Iterator[str]:
    if report.findings:
        yield _heading("findings", report.language)
    for finding in report.shown:
        yield from _finding(finding, report.language)


def _advice(advice: AdviceView | None) -> Iterator[str]:
    """The settings to paste."""
    if advice is None:
        return
    yield f"## {escaped(advice.title)}\n"
    yield from (f"{prose(sentence)}\n" for sentence in advice.sentences)
    for block in advice.blocks:
        yield f"**{escaped(block.title)}**\n"
        yield code_block(block.code, "python") + "\n"
        yield from _items(map(prose, block.notes))


def _all_measured(report: Report) -> Iterator[str]:
    if report.measured:
        yield _heading("measured", report.language)
    for section in report.measured:
        yield f"### {escaped(section.title)}\n"
        yield from _measured(section, report.language)


def _models(report: Report) -> Iterator[str]:
    """The table of the model files, and each of them folded away."""
    language = report.language
    if not report.models:
        return
    yield f"## {words('models.heading', language)}\n"
    keys = ("name", "format", "writer", "size", "dependence", "verdict")
    columns = tuple(words(f"models.column-{key}", language) for key in keys)
    yield from _table(
        columns,
        (
            (
                code_span(each.path),
                escaped(f"{each.format} {each.version}".strip()),
                escaped(each.writer),
                escaped(each.size),
                escaped(each.dependence),
                escaped(f"{each.symbol} {each.word}"),
            )
            for each in report.models
        ),
    )
    if len(report.models) > 1:
        yield from (f"{escaped(note)}\n" for note in table_notes(report.models, language))
    for model in report.models:
        yield from _model(model, language)
    for comparison in report.comparisons:
        yield from _compared(comparison, language)


def _model(model: ModelView, language: str) -> Iterator[str]:
    if model.problem:
        yield f"{code_span(model.path)}: {escaped(model.problem)}\n"
    columns = tuple(words(f"models.column-{key}", language) for key in ("runtime", "verdict", "because"))
    if model.verdicts:
        yield f"**{code_span(model.name)}: {words('models.heading-verdicts', language)}**\n"
    yield from _table(
        columns,
        (
            (escaped(verdict.runtime), escaped(f"{verdict.symbol} {verdict.word}"), escaped(verdict.detail))
            for verdict in model.verdicts
        ),
    )
    if model.sections:
        yield f"<details><summary>{escaped_html(model.name)}</summary>\n"
        for section in model.sections:
            yield f"#### {escaped(section.title)}\n"
            yield from _table(("", ""), ((escaped(row.label), code_span(row.value)) for row in section.rows))
        yield "</details>\n"


def _compared(comparison: ComparisonView, language: str) -> Iterator[str]:
    """Two model files side by side."""

    def table(rows: tuple[ComparisonRow, ...], *columns: str) -> Iterator[str]:
        yield from _table(columns, ((code_span(row.what), code_span(row.first), code_span(row.second)) for row in rows))

    title = words("models.heading-compared", language, first=comparison.first, second=comparison.second)
    yield f"## {escaped(title)}\n"
    yield f"{escaped(comparison.sentence)}\n"
    yield from table(
        comparison.rows, words("models.column-what", language), escaped(comparison.first), escaped(comparison.second)
    )
    yield f"{escaped(comparison.weights)}\n"
    yield from table(
        comparison.tensors, *(words(f"models.column-{key}", language) for key in ("tensor", "difference", "face"))
    )


def _measured(section: MeasuredSection, language: str) -> Iterator[str]:
    """What was measured: of plots the sentence that says what they show; long tables folded away."""
    yield from (f"{prose(sentence)}\n" for sentence in section.sentences)
    for plot in section.plots:
        yield f"**{escaped(plot.title)}**: {escaped_within(plot.summary)}\n"
    for table in section.tables:
        is_long = len(table.printed) > FEW_ROWS
        if is_long:
            count = words("measurements.rows", language, count=len(table.printed))
            yield f"<details><summary>{escaped_html(table.title)} ({count})</summary>\n"
        elif table.title:
            yield f"**{escaped(table.title)}**\n"
        heads = [*[""] * table.has_states, *map(escaped, table.columns)]
        rows = [
            (*[SYMBOLS[row.state]] * table.has_states, *(escaped_within(cell) for cell in row.cells))
            for row in table.printed
        ]
        numeric = {column + table.has_states for column in table.numeric}
        yield from _table(tuple(heads), rows, numeric)
        for line in (left_out_line(table, language), table.note):
            if line:
                yield f"{prose(line)}\n"
        if is_long:
            yield "</details>\n"


def _finding(finding: FindingView, language: str) -> Iterator[str]:
    yield f"### {finding.symbol} {escaped(finding.severity_word)}: {escaped(finding.title)}\n"
    yield f"{prose(finding.why)}\n"
    yield f"{prose(finding.explanation)}\n"
    confidence = f"{words('report.confidence-label', language)}: {escaped(finding.confidence_words)}"
    yield f"{confidence} · {code_span(finding.cause)}\n"
    for number, remedy in enumerate(finding.remedies):
        yield from remedy_blocks(remedy, "remedy-other" if number else "remedy", language)
    if not finding.remedies and not finding.is_hint:
        yield words("report.no-remedy", language) + "\n"
    if finding.evidence:
        yield f"**{words('report.heading-evidence', language)}**\n"
        columns = tuple(words(f"report.column-{each}", language) for each in ("what", "value", "origin"))
        yield from _table(
            columns,
            (
                (
                    escaped(each.label),
                    code_span(each.value),
                    " ".join(filter(None, (escaped(each.origin), _source(each.source)))),
                )
                for each in finding.evidence
            ),
        )
    if finding.questions:
        yield f"**{words('report.heading-questions', language)}**\n"
        yield from _items(map(prose, finding.questions))
    if finding.sources:
        yield f"{words('report.sources', language)}: {', '.join(map(_source, finding.sources))}\n"


def remedy_blocks(remedy: RemedyPlan, heading: str, language: str) -> Iterator[str]:
    """One remedy with its steps and its verification."""
    yield f"**{words(f'report.heading-{heading}', language)}: {escaped(remedy.title)}**\n"
    if remedy.risk:
        yield f"{words('report.heading-risk', language)}: {prose(remedy.risk)}\n"
    for number, step in zip(step_numbers(remedy.steps), remedy.steps, strict=True):
        yield from _step(step, number, language)
    yield prose(words("report.verify", language, expect=remedy.verify.expect)) + "\n"
    if remedy.verify.code:
        yield code_block(remedy.verify.code, remedy.verify.language) + "\n"


def _step(step: PlannedStep, number: str, language: str) -> Iterator[str]:
    head = escaped_within(" ".join(filter(None, (number, step_label(step, language)))))
    text = " ".join(filter(None, (f"**{head}**" if head else "", prose(step_text(step, language)))))
    if text:
        yield text + "\n"
    if step.code:
        yield code_block(step.code, step.language) + "\n"


def _source(source: str) -> str:
    return f"<{source}>" if is_address(source) else escaped(source)


def _facts(report: Report) -> Iterator[str]:
    yield f"<details><summary>{words('report.heading-facts', report.language)}</summary>\n"
    if report.probes:
        columns = tuple(
            words(f"report.column-{each}", report.language) for each in ("probe", "status", "seconds", "detail")
        )
        rows = ((escaped(row.name), escaped(row.status), row.seconds, code_span(row.detail)) for row in report.probes)
        yield from _table(columns, rows)
    for section in report.facts:
        yield f"#### {escaped(section.title)}\n"
        yield from _table(("", ""), ((escaped(row.label), code_span(row.value)) for row in section.rows))
        if section.text:
            yield code_block(section.text) + "\n"
    yield "</details>"


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], numeric: Collection[int] = ()) -> Iterator[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        yield f"| {' | '.join(columns)} |"
        yield f"|{''.join(' ---: |' if column in numeric else ' --- |' for column in range(len(columns)))}"
        yield from lines
        yield ""


def _items(items: Iterable[str]) -> Iterator[str]:
    yield from (f"- {item}" for item in items)
    yield ""
