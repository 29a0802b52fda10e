"""Versions as numbers: as text, "0.10" would be older than "0.3"."""

import re

_LONGEST = 200  # characters of a version that are looked at
# 18 digits hold a date with its time; Python itself refuses to convert thousands, as a stranger's metadata may have.
_RELEASE = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})*")


def release(version: str) -> tuple[int, ...]:
    """The release part of a version as a tuple: "2.7.1+cu128" -> (2, 7, 1), "R580" -> (580,).

    Trailing zeros are cut, so that "12.0" equals "12". An empty tuple where there is no number.
    """
    found = _RELEASE.search(version[:_LONGEST])
    if found is None:
        return ()
    numbers = [int(part) for part in found.group().split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def major_number(version: str) -> int:
    """The first number of a version: "12.8" -> 12; 0 where there is none."""
    return (*release(version), 0)[0]


def minor(version: str) -> str:
    """The first two numbers of a version: "2.7.1+cu128" -> "2.7"; "13" -> "13.0"."""
    numbers = (*release(version), 0, 0)
    return f"{numbers[0]}.{numbers[1]}"
