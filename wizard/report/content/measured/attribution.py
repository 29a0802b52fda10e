"""Which suspect makes two runs differ, in words: what was changed, and what brought the same bits back."""

from __future__ import annotations

from collections.abc import Sequence

from checks.analysis.numbers.attribution import Attribution, attributions
from checks.facts.case import Case
from checks.knowledge.frameworks.computations import operation_name, setting_name
from wizard.report.content.blocks import MeasuredSection, Row, Table
from wizard.report.content.measured.words import joined, place_words, relative, size_words, state_of
from wizard.words import words


def attribution_section(case: Case, language: str) -> MeasuredSection | None:
    """All pairs of runs of a case."""
    found = attributions(case.facts.measurements)
    if not found:
        return None
    apart = [attribution for attribution in found if attribution.differs]
    return MeasuredSection(
        id="attribution",
        title=words("measurements.attribution-title", language),
        sentences=tuple(_sentences(found, apart, language)),
        tables=(_table(apart, language),) if apart else (),
    )


def _sentences(found: Sequence[Attribution], apart: Sequence[Attribution], language: str) -> list[str]:
    restored = [attribution for attribution in apart if attribution.restored_by or attribution.closer]
    rounding = [attribution for attribution in apart if attribution.is_rounding]
    sentences = [
        words("measurements.attribution-counts", language, pairs=len(found), apart=len(apart), restored=len(restored))
    ]
    if apart:
        sentences.append(words("measurements.attribution-rounding", language, rounding=len(rounding), apart=len(apart)))
    return sentences


def _table(apart: Sequence[Attribution], language: str) -> Table:
    columns = ("operation", "runs", "difference", "size", "restored", "tried", "exact")
    return Table(
        title=words("measurements.attribution-table", language),
        columns=tuple(words(f"measurements.attribution-column-{column}", language) for column in columns),
        rows=tuple(_row(attribution, language) for attribution in apart),
        numeric=(2,),
        note=words("measurements.attribution-note", language),
    )


def _row(found: Attribution, language: str) -> Row:
    exact = "–" if found.is_rounding is None else words(f"measurements.attribution-{found.exact_word}", language)
    place = place_words(found.framework, found.device, language)
    first, second = (setting_name(setting, language) for setting in found.pair)  # a device keeps its own name
    runs = words("measurements.attribution-runs", language, first=first, second=second)
    restored, operation = _restored(found, language), operation_name(found.operation, language)
    apart, size = relative(found.before, language), size_words(found.before, language)
    is_more = found.before.is_more_than_rounding
    is_plain = bool(found.restored_by) and found.is_rounding is True and not is_more
    without = joined((setting_name(setting, language) for setting in found.without_effect), language) or "–"
    brief = {"operation": operation, "apart": apart, "restored": restored, "without": without}
    key = "attribution-brief" if found.without_effect else "attribution-brief-restored"
    group = {"place": place, "runs": runs, "size": size}
    return Row(
        (f"{operation}, {place}", runs, apart, size, restored, without, exact),
        state_of(found.before) if is_more else ("clear" if found.restored_by else "open"),
        brief=words(f"measurements.{key}", language, **brief) if is_plain else "",
        group=words("measurements.attribution-group", language, **group) if is_plain else "",
    )


def _restored(found: Attribution, language: str) -> str:
    whole = [setting_name(setting, language) for setting in found.restored_by]
    part = [
        words("measurements.attribution-closer", language, setting=setting_name(setting, language))
        for setting in found.closer
    ]
    return joined((*whole, *part), language) or "–"
