"""Many tickets as one document: what a human looks at first, groups that one answer fits, what is new, and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.desk.tickets import NotRead
from checks.desk.views import Counts, Filter, Group, Overview, Row, Views, is_named
from checks.knowledge.catalogue import cause_of
from wizard.report.content import blocks as b
from wizard.report.content.fact_sheet import label
from wizard.words import area, words

MOST_LISTED = 500  # of a report; the CSV and the JSON have all
_IN_A_CELL = 90  # characters
_MOST_GROUPS = 12
_MOST_NOT_READ = 50
_EVEN = 0.5  # what is less likely is named as a hint
_DAMAGED = "unread-damaged"  # of all that a reader says of a file that is not what it should be


@dataclass(frozen=True)
class Reading:
    """What was passed over when the tickets were read. ``answers``: mails of others; ``left_out``: files unlisted."""

    not_read: tuple[NotRead, ...] = ()
    left_out: int = 0
    answers: int = 0


def document_of_desk(views: Views, today: str, language: str, reading: Reading, only: Filter, sort: str) -> b.Document:
    """The whole report. ``today``: ISO 8601; ``only``, ``sort``: of the list."""
    overview = views.overview()
    writer = _Writer(language)
    sections = [
        writer.groups("human", views.needs_a_human(_MOST_GROUPS + 1), "open"),
        writer.groups("groups", views.groups(_MOST_GROUPS + 1), ""),
        writer.groups("new", views.new_groups(_MOST_GROUPS + 1), ""),
        writer.numbers(views),
        writer.listed(views.rows(only, sort, MOST_LISTED), views.count(only)),
        writer.not_read(reading),
    ]
    return b.Document(
        language=language,
        title=writer.say("title"),
        created=today,
        subtitle=today,
        verdict=writer.verdict(overview, today, reading),
        notes=(),
        questions=(),
        sections=tuple(section for section in sections if section is not None),
    )


def summary_of_desk(views: Views, today: str, language: str, reading: Reading) -> b.Document:
    """How many there are of what, and nothing more."""
    writer = _Writer(language)
    verdict = writer.verdict(views.overview(), today, reading)
    return b.Document(language, writer.say("title"), today, today, verdict, (), (), ())


def cause_words(cause: str, confidence: float, state: str, language: str) -> str:
    """The likely cause of a ticket, in words."""
    if state == "unread":
        return words("desk.cause-unread", language)
    if not is_named(cause):
        return words("desk.cause-open" if cause else "desk.cause-none", language)
    title = cause_title(cause, language)
    return title if confidence >= _EVEN else words("desk.cause-hint", language, title=title)


def cause_title(cause: str, language: str) -> str:
    """What a cause is called without the values of a case; the id of one that this version does not know."""
    try:
        return cause_of(cause).text_with({}, language).title
    except KeyError:
        return cause


def product_words(product: str, language: str) -> str:
    """A product as its maker writes it, where it is a framework."""
    return label(product, language) if product else ""


def list_document(views: Views, today: str, language: str, only: Filter, sort: str, most: int) -> b.Document:
    """The list alone, for a terminal."""
    writer = _Writer(language)
    rows, count = views.rows(only, sort, most), views.count(only)
    note = writer.say("list-cut", count=len(rows)) if count > len(rows) else ""
    table = writer.table_of(rows, title="", is_whole=True)
    sections = (b.Section(writer.say("heading-list"), (table,), note=note),) if rows else ()
    verdict = writer.verdict(views.overview(), today, Reading())
    return b.Document(language, writer.say("title"), today, today, verdict, (), (), sections)


class _Writer:
    def __init__(self, language: str) -> None:
        self._language = language

    def say(self, key: str, **values: object) -> str:
        return words(f"desk.{key}", self._language, **values)

    def verdict(self, overview: Overview, today: str, reading: Reading) -> b.Verdict:
        undecided = overview.count - overview.decided
        if not overview.count:
            sentence = self.say("verdict-empty")
        else:
            sentence = self.say("verdict", count=overview.count, decided=overview.decided, undecided=undecided)
        scope = [
            self.say("scope-span", first=overview.first, last=overview.last, new=overview.new, today=today)
            if overview.first
            else "",
            self.say("scope-undated", count=overview.undated) if overview.undated else "",
            self.say("scope-duplicates", count=overview.duplicates) if overview.duplicates else "",
            self.say("scope-mails", count=overview.mails) if overview.mails else "",
            self.say("scope-answers", count=reading.answers) if reading.answers else "",
            self.say("scope-not-read", count=len(reading.not_read) + reading.left_out) if reading.not_read else "",
        ]
        state = "incomplete" if undecided else "note"
        return b.Verdict(state, self.say("verdict-word"), b.SYMBOLS["note"], sentence, tuple(filter(None, scope)))

    def groups(self, key: str, groups: Sequence[Group], state: str) -> b.Section | None:
        """A table of the first groups; whether there are more of them is said."""
        if not groups:
            return None
        heads = ("count", "cause", "shown", "sure", "product", "language", "last", "example")
        rows = tuple(
            b.Row(
                (
                    str(group.count),
                    cause_words(
                        group.cause, group.confidence if group.is_decided else 0.0, group.state, self._language
                    ),
                    _short(next(iter(group.lines), group.title)),
                    f"{round(group.confidence * 100)} %" if is_named(group.cause) else "–",
                    self._products(group.products),
                    ", ".join(group.languages),
                    group.last or "–",
                    _short(group.example, 40),
                ),
                state,
            )
            for group in groups[:_MOST_GROUPS]
        )
        table = b.Table("", tuple(self.say(f"column-{head}") for head in heads), rows, numeric=(0, 3), is_whole=True)
        told = [
            self.say(f"intro-{key}"),
            *([self.say("groups-more", count=_MOST_GROUPS)] * (len(groups) > _MOST_GROUPS)),
        ]
        note = words("report.sentence-separator", self._language).join(told)
        return b.Section(self.say(f"heading-{key}"), (b.trimmed(table),), id=key, note=note)

    def _products(self, products: Sequence[str]) -> str:
        return ", ".join(product_words(product, self._language) for product in products[:3])

    def numbers(self, views: Views) -> b.Section | None:
        plots = [self._over_time(views.over_time())]
        plots += [self._bars(what, views.per(what)) for what in ("product", "driver")]
        shown = tuple(plot for plot in plots if plot is not None)
        return b.Section(self.say("heading-numbers"), shown, id="numbers") if shown else None

    def _over_time(self, counts: Counts) -> b.Plot | None:
        if len(counts.periods) < 2 or not counts.names:
            return None
        names = [cause_title(name, self._language) if name else self.say("plot-others") for name in counts.names]
        places = tuple(map(float, range(len(counts.periods))))
        series = tuple(
            b.Series(name, places, tuple(map(float, row))) for name, row in zip(names, counts.rows, strict=True)
        )
        ranked = sorted(zip(names, counts.rows, strict=True), key=lambda pair: -sum(pair[1]))
        most = self._counted((name, sum(row)) for name, row in ranked[:3])
        last = self._counted((name, row[-1]) for name, row in ranked if row[-1])
        unit = "plot-months" if counts.is_monthly else "plot-weeks"
        summary = self.say("plot-causes-summary", most=most, last=last or "–")
        x_label = self.say(unit, first=counts.periods[0])
        return b.Plot(self.say("plot-causes"), "lines", x_label, self.say("plot-count"), series, summary)

    def _bars(self, what: str, counts: Sequence[tuple[str, int, int]]) -> b.Plot | None:
        if not counts:
            return None
        names = tuple(
            _short(product_words(name, self._language) if what == "product" else name, 24) for name, *_ in counts
        )
        places = tuple(map(float, range(len(counts))))
        series = (
            b.Series(self.say("plot-decided"), places, tuple(float(decided) for _, _, decided in counts)),
            b.Series(self.say("plot-undecided"), places, tuple(float(count - decided) for _, count, decided in counts)),
        )
        named = self._counted((name, count) for name, (_, count, _) in zip(names, counts, strict=True))
        summary = self.say("plot-bars-summary", named=named)
        x_label = self.say(f"column-{what}")
        return b.Plot(self.say(f"plot-{what}s"), "bars", x_label, self.say("plot-count"), series, summary, names)

    def _counted(self, pairs: Iterator[tuple[str, int]]) -> str:
        separator = words("report.list-separator", self._language)
        return separator.join(self.say("counted", name=name, count=count) for name, count in pairs)

    def listed(self, rows: Sequence[Row], count: int) -> b.Section | None:
        if not rows:
            return None
        table = self.table_of(rows, title=self.say("list-title"))
        note = self.say("list-cut", count=len(rows)) if count > len(rows) else ""
        return b.Section(
            self.say("heading-list"), (table,), id="list", note=note, detail=b.Detail.FULL, place=b.Place.PAGE
        )

    def table_of(self, rows: Sequence[Row], *, title: str, is_whole: bool = False) -> b.Table:
        heads = ("ticket", "cause", "sure", "language", "product", "driver", "age", "count", "duplicate")
        cells = tuple(
            b.Row(
                (
                    _short(" ".join(filter(None, (row.number or row.source, row.title))), 60),
                    cause_words(row.cause, row.confidence, row.state, self._language),
                    f"{round(row.confidence * 100)} %" if is_named(row.cause) else "–",
                    row.language,
                    product_words(row.product, self._language),
                    row.driver,
                    "–" if row.age is None else str(row.age),
                    str(row.alike),
                    row.duplicate_of,
                ),
                "" if row.is_decided else "open",
            )
            for row in rows
        )
        columns = tuple(self.say(f"column-{head}") for head in heads)
        return b.trimmed(b.Table(title, columns, cells, numeric=(2, 6, 7), is_whole=is_whole))

    def not_read(self, reading: Reading) -> b.Section | None:
        if not reading.not_read:
            return None
        rows = tuple(
            b.Row(
                (problem.source, " ".join(filter(None, (self._reason(problem.reason), _short(problem.detail))))),
                "warning",
            )
            for problem in reading.not_read[:_MOST_NOT_READ]
        )
        table = b.Table("", (self.say("column-file"), self.say("column-reason")), rows, code=(0,), is_whole=True)
        more = len(reading.not_read) + reading.left_out - len(rows)
        note = words("measurements.rows-left-out", self._language, count=more) if more else ""
        return b.Section(self.say("heading-not-read"), (table,), id="not-read", note=note)

    def _reason(self, reason: str) -> str:
        return self.say(f"unread-{reason}" if f"unread-{reason}" in area("desk") else _DAMAGED)


def _short(text: str, most: int = _IN_A_CELL) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
