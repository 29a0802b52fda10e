"""What is asked of the desk: the list, what a human looks at first, groups that one answer fits, counts over time.

Everything counts conversations, not mails, and is asked of DuckDB, so that a million tickets need no memory of ours.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import duckdb
import msgspec

from checks.desk.likeness import wording_in_common
from checks.knowledge.catalogue import UNKNOWN

WEEK = 7  # days that are new
_MOST_CAUSES = 6  # of a picture over time; the others are one line
_MOST_PERIODS = 60
_MOST_WORDINGS = 1000  # of the lines of one group
_MONTHLY = 200  # days from which on a period is a month, not a week


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which tickets; "" and 0: all. ``state``: "decided" or "undecided". ``since``: ISO 8601. ``group``: a number."""

    cause: str = ""
    product: str = ""
    language: str = ""
    driver: str = ""
    state: str = ""
    since: str = ""
    group: int = 0
    words: str = ""  # that stand in the title, the number or the lines

    @property
    def is_any(self) -> bool:
        """Whether it leaves any ticket out."""
        return self != Filter()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket of the list. ``age``: in days, None where nothing tells it. ``duplicate_of``: the number of another one.

    ``group``: a number; ``alike``: how many tickets it has.
    """

    id: int
    key: str
    source: str
    number: str
    title: str
    url: str
    created: str
    age: int | None
    language: str
    product: str
    driver: str
    cause: str
    state: str
    confidence: float
    is_decided: bool
    lines: tuple[str, ...]
    problem: str
    duplicate_of: str
    group: int
    alike: int


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Tickets that one answer fits: the same cause shown by the same lines, or nearly the same text.

    ``confidence``: of the least sure one of them. ``example``: its first ticket. ``first``, ``last``: ISO 8601, or "".
    """

    group: int
    cause: str
    state: str
    is_decided: bool
    count: int
    duplicates: int
    confidence: float
    lines: tuple[str, ...]
    languages: tuple[str, ...]
    products: tuple[str, ...]
    first: str
    last: str
    example: str
    title: str


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are. ``new``: of the last days. ``mails``: further ones of the same conversations."""

    count: int
    decided: int
    duplicates: int
    groups: int
    new: int
    undated: int
    unread: int
    mails: int
    first: str
    last: str


class Placed(msgspec.Struct, frozen=True):
    """Where a ticket stands, and how it is called. ``alike``: how many its group has."""

    source: str
    number: str
    language: str
    is_decided: bool
    alike: int


class Counts(msgspec.Struct, frozen=True):
    """How many tickets each period has, by what they are about. ``periods``: ISO 8601 days on which they begin."""

    periods: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]  # one for each name
    is_monthly: bool


_SORTS = {  # what a list is sorted by; "urgent": what a human has to look at first
    "newest": "created DESC NULLS LAST, id DESC",
    "oldest": "created ASC NULLS LAST, id",
    "sure": "confidence DESC, id",
    "unsure": "confidence ASC, id",
    "cause": "cause, confidence DESC, id",
    "product": "product, cause, id",
    "alike": "many DESC, alike, id",
    "urgent": "is_decided, many DESC, created DESC NULLS LAST, id",
}
SORTS = tuple(_SORTS)
_SHOWN = "FROM ticket WHERE is_shown"


class Views:
    """Asks a store. ``today``: the end of the day up to which it is asked, ISO 8601, for ages and what is new."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, today: str) -> None:
        self._connection = connection
        self._today = dt.datetime.fromisoformat(today[:10]) + dt.timedelta(days=1)
        self._since = self._today - dt.timedelta(days=WEEK)

    def _ask(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._connection.execute(query, list(values)).fetchall()

    def overview(self) -> Overview:
        """How many there are of what."""
        ((count, decided, duplicates, groups, new, undated, unread, first, last),) = self._ask(
            "SELECT count(*), count(*) FILTER (is_decided), count(*) FILTER (first != id), count(DISTINCT alike), "
            "count(*) FILTER (created >= ? AND created < ?), count(*) FILTER (created IS NULL), "
            f"count(*) FILTER (state = 'unread'), min(created), max(created) {_SHOWN}",
            (self._since, self._today),
        )
        ((mails,),) = self._ask("SELECT count(*) FROM ticket WHERE NOT is_shown")
        return Overview(
            count=count,
            decided=decided,
            duplicates=duplicates,
            groups=groups,
            new=new,
            undated=undated,
            unread=unread,
            mails=mails,
            first=_day(first),
            last=_day(last),
        )

    def rows(self, only: Filter = Filter(), sort: str = "newest", most: int = 100, behind: int = 0) -> list[Row]:  # noqa: B008 - never changes
        """The list. ``sort``: one of SORTS; ``behind``: after so many."""
        condition, values = _condition(only)
        found = self._ask(
            f"WITH chosen AS (SELECT * {_SHOWN} AND {condition}), "
            f"sizes AS (SELECT alike, count(*) AS many {_SHOWN} GROUP BY alike) "
            "SELECT id, key, source, number, title, url, created, language, product, driver, cause, state, confidence, "
            "is_decided, lines, problem, alike, many, first FROM chosen JOIN sizes USING (alike) "
            f"ORDER BY {_SORTS[sort]} LIMIT ? OFFSET ?",
            (*values, most, behind),
        )
        others = self._names([row[18] for row in found if row[18] != row[0]])
        return [
            Row(
                id=number,
                key=key,
                source=source,
                number=name,
                title=title,
                url=url,
                created=_moment(created),
                age=None if created is None else max(0, (self._today - created).days),
                language=language,
                product=product,
                driver=driver,
                cause=cause,
                state=state,
                confidence=confidence,
                is_decided=is_decided,
                lines=tuple(filter(None, lines.split("\n"))),
                problem=problem,
                duplicate_of=others.get(first, "") if first != number else "",
                group=alike,
                alike=many,
            )
            for (
                number, key, source, name, title, url, created, language, product, driver, cause, state, confidence,
                is_decided, lines, problem, alike, many, first,
            ) in found
        ]  # fmt: skip

    def count(self, only: Filter) -> int:
        """How many tickets a filter leaves."""
        condition, values = _condition(only)
        ((count,),) = self._ask(f"SELECT count(*) {_SHOWN} AND {condition}", values)
        return int(count)

    def needs_a_human(self, most: int = 10) -> list[Group]:
        """Groups without a cause: those of many tickets first, of as many the least sure, then the newest."""
        return self._groups("NOT is_decided", "many DESC, sure, last DESC NULLS LAST, example", most)

    def groups(self, most: int = 20) -> list[Group]:
        """Groups of several tickets whose cause is known, the largest first."""
        return self._groups("is_decided", "many DESC, sure DESC, example", most, "HAVING count(*) > 1")

    def new_groups(self, most: int = 10) -> list[Group]:
        """Groups whose first ticket is of the last days, the largest first."""
        having = "HAVING min(created) >= ? AND min(created) < ?"
        return self._groups("true", "many DESC, sure, example", most, having, (self._since, self._today))

    def group(self, number: int) -> Group | None:
        """One group."""
        return next(iter(self._groups("alike = ?", "many DESC", 1, "", (number,))), None)

    def _groups(self, where: str, order: str, most: int, having: str = "", values: Sequence[Any] = ()) -> list[Group]:
        found = self._ask(
            "WITH grouped AS (SELECT alike, count(*) AS many, count(*) FILTER (first != id) AS same, min(confidence) "
            "AS sure, min(created) AS earliest, max(created) AS last, min(id) AS example, bool_and(is_decided) AS "
            "decided, list_sort(list_distinct(list(language))) AS languages, list_sort(list_distinct(list(product))) "
            f"AS products {_SHOWN} AND {where} GROUP BY alike {having} ORDER BY {order} LIMIT ?) "
            "SELECT g.alike, t.cause, t.state, decided, many, same, sure, t.lines, languages, products, earliest, "
            "last, t.source, t.number, t.title FROM grouped g JOIN ticket t ON t.id = g.example "
            f"ORDER BY {order.replace('example', 'g.example')}",
            (*values, most),
        )
        return [
            Group(
                group=alike,
                cause=cause,
                state=state,
                is_decided=decided,
                count=many,
                duplicates=same,
                confidence=sure,
                lines=tuple(filter(None, lines.split("\n"))),
                languages=tuple(filter(None, languages)),
                products=tuple(filter(None, products)),
                first=_day(first),
                last=_day(last),
                example=" ".join(filter(None, (source, f"#{number.removeprefix('#')}" if number else ""))),
                title=title,
            )
            for (
                alike, cause, state, decided, many, same, sure, lines, languages, products, first, last, source, number,
                title,
            ) in found
        ]  # fmt: skip

    def shared_lines(self, group: int) -> tuple[str, ...]:
        """The lines that every ticket of a group has, so that they tell nothing of one alone; else what they share."""
        query = f"SELECT DISTINCT lines {_SHOWN} AND alike = ? LIMIT {_MOST_WORDINGS + 1}"
        found = [row[0].split("\n") for row in self._ask(query, (group,))]
        if not found or len(found) > _MOST_WORDINGS:
            return ()
        shared = tuple(line for line in found[0] if line and all(line in lines for lines in found[1:]))
        return shared or tuple(filter(None, (wording_in_common([lines[0] for lines in found]),)))

    def placed(self, keys: Sequence[str]) -> dict[str, Placed]:
        """Where tickets stand that stand for their conversation."""
        found = self._ask(
            "WITH asked AS (SELECT key, source, number, language, is_decided, alike "
            f"{_SHOWN} AND list_contains(?, key)) "
            "SELECT a.key, a.source, a.number, a.language, a.is_decided, count(*) FROM asked a JOIN ticket t "
            "ON t.alike = a.alike WHERE t.is_shown GROUP BY ALL",
            (list(keys),),
        )
        return {key: Placed(*placed) for key, *placed in found}

    def over_time(self) -> Counts:
        """How often each of the commonest causes came in which period; "" are all others."""
        ((first, last),) = self._ask(f"SELECT min(created), max(created) {_SHOWN}")
        if first is None:
            return Counts((), (), (), is_monthly=False)
        is_monthly = (last - first).days > _MONTHLY
        part = "month" if is_monthly else "week"
        common = [name for name, _ in self._most("cause", _MOST_CAUSES, "is_decided AND created IS NOT NULL")]
        found = self._ask(
            f"SELECT date_trunc('{part}', created) AS period, CASE WHEN is_decided AND list_contains(?, cause) THEN "
            f"cause ELSE '' END AS name, count(*) {_SHOWN} AND created IS NOT NULL GROUP BY ALL",
            (common,),
        )
        counts = {(period.isoformat()[:10], name): count for period, name, count in found}
        periods = _periods(min(period for period, *_ in found), max(period for period, *_ in found), is_monthly)
        names = (*common, *([""] if any(name == "" for _, name in counts) else []))
        rows = tuple(tuple(counts.get((period, name), 0) for period in periods) for name in names)
        return Counts(periods, names, rows, is_monthly)

    def per(self, what: str, most: int = 15) -> list[tuple[str, int, int]]:
        """The commonest values of "product", "cause" or "driver" (its branch), with all tickets and those decided."""
        column = {"product": "product", "cause": "cause", "driver": "split_part(driver, '.', 1)"}[what]
        found = self._ask(
            f"SELECT {column} AS name, count(*) AS many, count(*) FILTER (is_decided) {_SHOWN} "
            "GROUP BY name HAVING name != '' ORDER BY many DESC, name LIMIT ?",
            (most,),
        )
        return [(name, many, decided) for name, many, decided in found]

    def _most(self, column: str, most: int, where: str) -> list[tuple[str, int]]:
        query = f"SELECT {column}, count(*) AS many {_SHOWN} AND {where} GROUP BY 1 ORDER BY many DESC, 1 LIMIT ?"
        return self._ask(query, (most,))

    def _names(self, numbers: Sequence[int]) -> dict[int, str]:
        found = self._ask("SELECT id, source, number FROM ticket WHERE list_contains(?, id)", (list(numbers),))
        return {number: name or source for number, source, name in found}


def _condition(only: Filter) -> tuple[str, list[Any]]:
    parts, values = ["true"], []
    for column in ("cause", "product", "language"):
        if getattr(only, column):
            parts.append(f"{column} = ?")
            values.append(getattr(only, column))
    if only.driver:
        parts.append("(driver = ? OR split_part(driver, '.', 1) = ?)")
        values += [only.driver, only.driver]
    if only.state:
        parts.append("is_decided" if only.state == "decided" else "NOT is_decided")
    if only.since:
        parts.append("created >= ?")
        values.append(dt.datetime.fromisoformat(only.since[:10]))
    if only.group:
        parts.append("alike = ?")
        values.append(only.group)
    if only.words:
        parts.append("contains(lower(title || ' ' || number || ' ' || lines), ?)")
        values.append(only.words.lower())
    return " AND ".join(parts), values


def _periods(first: dt.datetime, last: dt.datetime, is_monthly: bool) -> tuple[str, ...]:
    """Every period from the first to the last, also those without a ticket; the latest where there are too many."""
    periods = []
    while first <= last:
        periods.append(first.isoformat()[:10])
        first = (first + dt.timedelta(days=32)).replace(day=1) if is_monthly else first + dt.timedelta(days=7)
    return tuple(periods[-_MOST_PERIODS:])


def _day(moment: dt.datetime | None) -> str:
    return moment.isoformat()[:10] if moment is not None else ""


def _moment(moment: dt.datetime | None) -> str:
    return moment.isoformat() if moment is not None else ""


def is_named(cause: str) -> bool:
    """Whether there is a cause to name."""
    return cause not in ("", UNKNOWN)
