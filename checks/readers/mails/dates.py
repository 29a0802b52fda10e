"""When a ticket was written, as mails and trackers write it."""

from __future__ import annotations

import datetime as dt
import email.utils
import re

_ISO = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?)?")
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?:\s+(\d{1,2}):(\d\d))?")
_JIRA = re.compile(r"(\d{1,2})[/ -]([A-Za-z]{3})[/ -](\d{4}|\d\d)(?:,?\s+(\d{1,2}):(\d\d)(?:\s*([AP]M))?)?")
_NUMBERS = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?:,?\s+(\d{1,2}):(\d\d)(?::\d\d)?(?:\s*([AaPp][Mm]))?)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EARLIEST, _LATEST = 1970, 2200


def moment_of(text: str) -> str:
    """ISO 8601 in UTC, to the second; "" where the text names no day for sure.

    "03/04/2024" may be March or April: it tells a day only where one number is above 12, or where AM or PM stands
    behind it, as in the United States, where the month comes first.
    """
    text = text.strip()[:80]
    found = _iso(text) or _slashes(text) or _named_month(text) or _plain_numbers(text) or _mail(text)
    if found is None or not _EARLIEST <= found.year <= _LATEST:
        return ""
    return found.astimezone(dt.UTC).replace(tzinfo=None, microsecond=0).isoformat()


def _made(
    year: int, month: int, day: int, hour: str | None = None, minute: str | None = None, half: str | None = None
) -> dt.datetime | None:
    at = int(hour or 0)
    if half:
        at = at % 12 + (12 if half.lower() == "pm" else 0)
    if not _EARLIEST <= year <= _LATEST:  # before a zone moves it out of the calendar
        return None
    try:
        return dt.datetime(year, month, day, at, int(minute or 0), tzinfo=dt.UTC)
    except ValueError:
        return None


def _iso(text: str) -> dt.datetime | None:
    found = _ISO.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    made = _made(int(year), int(month), int(day or 1), hour, minute)
    if made is None:
        return None
    made += dt.timedelta(seconds=min(int(second or 0), 59))
    if zone and zone[0] in "+-":
        away = dt.timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        made += -away if zone[0] == "+" else away
    return made


def _slashes(text: str) -> dt.datetime | None:
    found = _YEAR_FIRST.match(text)
    return _made(int(found[1]), int(found[2]), int(found[3]), found[4], found[5]) if found else None


def _named_month(text: str) -> dt.datetime | None:
    found = _JIRA.match(text)
    if found is None or found[2].lower() not in _MONTHS:
        return None
    year = int(found[3]) if len(found[3]) == 4 else 2000 + int(found[3])
    return _made(year, _MONTHS.index(found[2].lower()) + 1, int(found[1]), found[4], found[5], found[6])


def _plain_numbers(text: str) -> dt.datetime | None:
    found = _NUMBERS.match(text)
    if found is None:
        return None
    first, second = int(found[1]), int(found[2])
    if found[6] or second > 12:
        return _made(int(found[3]), first, second, found[4], found[5], found[6])
    return _made(int(found[3]), second, first, found[4], found[5]) if first > 12 else None


def _mail(text: str) -> dt.datetime | None:
    try:
        found = email.utils.parsedate_to_datetime(text)
        return found if found.tzinfo else found.replace(tzinfo=dt.UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
