"""The smallest part of the user's model that still shows a difference, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from checks.analysis.models.repeats import name_of_path
from checks.analysis.models.runs import telling_line
from checks.facts import ArrayDifference, MinimalGraph
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import setting_name
from wizard.report.content.blocks import MeasuredSection, Row, Table
from wizard.report.content.fact_sheet import size
from wizard.report.content.measured.reasons import why_words
from wizard.report.content.measured.words import joined
from wizard.words import known, words

_KINDS_NAMED = 6  # operators in one sentence
_COMPUTED = ("beyond", "rounding")  # kinds of which the size of the difference tells something


def minimal_section(case: Case, language: str) -> MeasuredSection | None:
    """All parts that were looked for."""
    found = [measured for measured in case.facts.measurements if isinstance(measured, MinimalGraph)]
    if not found:
        return None
    return MeasuredSection(
        id="minimal",
        title=_words("title", language),
        sentences=tuple(sentence for part in found for sentence in _sentences(part, language)),
        tables=tuple(table for part in found if not part.reason for table in _tables(part, language)),
    )


def _words(key: str, language: str, /, **values: object) -> str:
    return words(f"graphs.minimal-{key}", language, **values)


def in_short(part: MinimalGraph, language: str) -> str:
    """What came of it in a line: what the part shows against the whole and how often, or why there is none."""
    return " ".join(_found(part, language))


def _sentences(part: MinimalGraph, language: str) -> Iterator[str]:
    yield from _found(part, language)
    if part.reason:
        return
    if part.nodes_after > 1:
        yield _words("least" if part.is_least else "not-least", language)
    if part.folder:
        yield _words("folder", language, folder=part.folder, size=size(part.model_bytes, language))
        yield holds_words(part, language)


def _found(part: MinimalGraph, language: str) -> Iterator[str]:
    model = name_of_path(part.path)
    if part.reason:
        yield _words("not", language, model=model, why=why_words(part, language))
        return
    common = {"model": model, "where": _where(part, language), "shows": shows_words(part, language)}
    if part.nodes_after < part.nodes_before:
        operators = _operators(part, language)
        yield _words("found", language, after=part.nodes_after, before=part.nodes_before, operators=operators, **common)
    else:
        yield _words("whole", language, tried=part.tried, **common)
    sizes = [_relative(apart) for apart in (part.difference_after, part.difference_before)]
    if part.shows in _COMPUTED and all(sizes):
        yield _words("size", language, after=sizes[0], before=sizes[1])
    yield _words("again", language, again=part.again, checks=part.checks)


def holds_words(part: MinimalGraph, language: str) -> str:
    """What the folder holds of the user's own."""
    key = "holds-drawn" if part.inputs_from == "drawn" else "holds"
    return _words(key, language, weights=part.weights)


def shows_words(part: MinimalGraph, language: str) -> str:
    """What the part shows, with the error where it is one."""
    text = known(f"graphs.shows-{part.shows}", part.shows, language)
    line = telling_line(part)
    return words("report.with-detail", language, text=text, detail=line) if line else text


def _where(part: MinimalGraph, language: str) -> str:
    first = _side(part.device, part.setting, language)
    if not part.other_device:
        return _words("under", language, first=first)
    second = _side(part.other_device, part.other, language)
    if (part.device, part.setting) == (part.other_device, part.other):
        return _words("versions", language, first=part.version, second=part.other_version)
    return _words("between", language, first=first, second=second)


def _side(device: str, setting: str, language: str) -> str:
    return _words("side", language, device=device, setting=setting_name(setting, language))


def _operators(part: MinimalGraph, language: str) -> str:
    """The operators, the first of each kind, with their number: "Add, LayerNormalization"."""
    counts = Counter(node.op for node in part.nodes)
    named = [f"{op} × {count}" if count > 1 else op for op, count in counts.items()]
    more = [f"+{len(named) - _KINDS_NAMED}"] if len(named) > _KINDS_NAMED else []
    return joined([*named[:_KINDS_NAMED], *more], language)


def _relative(apart: ArrayDifference | None) -> str:
    if apart is None or not apart.max_abs or not apart.scale:
        return ""
    return f"{apart.max_abs / apart.scale:.1e}"


def _tables(part: MinimalGraph, language: str) -> Iterator[Table]:
    rows = (Row((node.name, _kind(node.domain, node.op), ", ".join(node.attributes))) for node in part.nodes)
    columns = tuple(words(f"graphs.column-{column}", language) for column in ("node", "operator", "attributes"))
    yield Table(_words("table", language, model=name_of_path(part.path)), columns, tuple(rows), code=(0, 1, 2))
    lines = [line for line in part.printed.splitlines() if line.strip()]
    if lines:
        printed = tuple(Row((str(number), line)) for number, line in enumerate(lines, 1))
        columns = (_words("line", language), _words("printed", language))
        yield Table(_words("printed", language), columns, printed, code=(1,))


def _kind(domain: str, op: str) -> str:
    return f"{domain}.{op}" if domain and domain != "ai.onnx" else op
