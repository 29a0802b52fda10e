"""The settings that make results repeat or agree, as one block of code to paste, and whether any is needed. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from checks.analysis.numbers.settings_effect import Became, Changed
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import operation_name
from checks.knowledge.frameworks.settings_advice import Part
from checks.remedies.settings import AdvisedLine, Answer, Block, Cost, advise
from wizard.report.content.measured.line import framework_name
from wizard.report.content.measured.words import from_to
from wizard.report.text_columns import wrapped
from wizard.words import words

_SAME = 0.05  # a time that differs by less is the same: two measurements of one thing differ by that
_COLUMNS = 76  # of a comment: so much fits on a printed page
_MOST_NAMED = 5  # operations that are named; the table of what was measured has all


@dataclass(frozen=True)
class CodeView:
    """A block of code to paste, for whom it is, and what to know about it."""

    title: str
    code: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class AdviceView:
    """The advice in words: the plain question first, then the code; none where nothing is needed."""

    title: str
    sentences: tuple[str, ...]
    blocks: tuple[CodeView, ...]


def advice_view(case: Case, language: str) -> AdviceView | None:
    """The advice on a case in "en" or "ja"; None where there is none to give."""
    advice = advise(case.facts, case.answers.symptom, case.answers.exactness)
    if advice is None:
        return None
    return AdviceView(
        title=words("advice.title", language),
        sentences=(words(f"advice.answer-{advice.answer.value}", language),),
        blocks=tuple(_view(block, advice.answer, language) for block in advice.blocks),
    )


def _view(block: Block, answer: Answer, language: str) -> CodeView:
    name = framework_name(block.framework, language)
    notes = list(_notes(block, language))
    if answer is Answer.CLOSE:
        notes.insert(0, words("advice.close", language))
    return CodeView(words("advice.for", language, framework=name), program(block.lines, language), tuple(notes))


def program(lines: Sequence[AdvisedLine], language: str) -> str:
    """The lines as a program: what must come before the imports, the imports, and the rest, each with its reason."""
    early = [advised for advised in lines if advised.line.part is Part.ENVIRONMENT]
    late = [advised for advised in lines if advised.line.part is not Part.ENVIRONMENT]
    first = dict.fromkeys(module for line in early for module in line.line.imports)
    then = dict.fromkeys(module for line in late for module in line.line.imports if module not in first)
    parts = [
        _comment(words("advice.first", language)),
        *(["\n".join(first)] if first else []),
        *(_commented(advised, language) for advised in early),
        "\n".join(sorted(then, key=lambda line: line != "import random")),
        *(_commented(advised, language) for advised in late),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _commented(advised: AdvisedLine, language: str) -> str:
    comments = [advised.line.of(language), *([_cost(advised.cost, language)] if advised.cost else [])]
    return "\n".join([*map(_comment, comments), advised.code])


def _comment(text: str) -> str:
    """A comment whose lines no page breaks: a broken one no longer parses when it is copied from there."""
    return "\n".join(f"# {line}" for line in wrapped(text, _COLUMNS - len("# ")))


def _cost(cost: Cost, language: str) -> str:
    devices = words("report.list-separator", language).join(cost.devices)
    calls = from_to(cost.fewest, cost.most, language)
    measured = words("advice.cost-measured", language, devices=devices, count=cost.operations, calls=calls)
    text = words(
        f"advice.{_cost_key(cost)}",
        language,
        measured=measured,
        devices=devices,
        calls=calls,
        times=cost.times,
        worst=cost.worst,
        operation=operation_name(cost.operation, language),
    )
    return words("advice.cost-of-others", language, told=text) if cost.is_of_others else text


def _cost_key(cost: Cost) -> str:
    if cost.operations == 1:
        return "cost-one"
    if cost.times < 1 - _SAME:
        return "cost-faster"
    if cost.worst < 1 + _SAME:
        return "cost-none"
    return "cost-most" if cost.times < 1 + _SAME else "cost"


def _notes(block: Block, language: str) -> Iterator[str]:
    if block.scripts:
        names = words("report.list-separator", language).join(block.scripts)
        yield words("advice.of-scripts", language, names=names)
    if block.operations:
        yield words("advice.varying", language, count=len(block.operations))
        yield _became(block.operations, language, has_line=block.has_mode)
    if block.models:
        names = words("report.list-separator", language).join(model.name for model in block.models)
        yield words("advice.varying-models", language, names=names)
        yield _became(block.models, language, has_line=True)
    if block.refused:
        yield words("advice.refused", language, operations=_named(block.refused, language))
    if block.untouched:
        yield words("advice.untouched", language, count=block.untouched)
    asked = [line for line in block.lines if line.line.cost]
    if asked and not any(line.cost for line in asked):
        yield words("advice.cost-unknown", language)
    yield words("advice.hashes", language)


def _became(found: Sequence[Changed], language: str, *, has_line: bool) -> str:
    """How much of what changed the lines mend; ``has_line``: whether one of them could."""
    if not has_line:
        return words("advice.unaided", language)
    parts = []
    for became in Became:
        names = [changed.name for changed in found if changed.became is became]
        if names:
            named = _named(names, language)
            parts.append(words(f"advice.became-{became.value}", language, count=len(names), names=named))
    return words("advice.became", language, parts=words("advice.became-separator", language).join(parts))


def _named(operations: Iterable[str], language: str) -> str:
    names = [operation_name(operation, language) for operation in operations]
    listed = words("report.list-separator", language).join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return words("advice.and-more", language, listed=listed, count=more) if more > 0 else listed
