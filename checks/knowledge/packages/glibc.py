"""Which glibc and C++ runtime the releases of Linux distributions have, and which of them a wheel asks for."""

import re

from checks.facts.versions import release
from checks.knowledge import Row, Table

_PEP_600 = re.compile(r"manylinux_(\d{1,3})_(\d{1,3})_")
_SYMBOL = re.compile(r"(GLIBC|GLIBCXX)_([0-9.]+)")


class LegacyTag(Row):
    """A platform tag older than PEP 600."""

    tag: str
    glibc: str


class LinuxSystem(Row):
    """A release of a distribution, with its glibc and the highest GLIBCXX version of its libstdc++."""

    distribution: str
    release: str
    glibc: str
    glibcxx: str


class Glibc(Table):
    legacy_tag: tuple[LegacyTag, ...]
    system: tuple[LinuxSystem, ...]


def glibc_of_tags(tags: tuple[str, ...]) -> str | None:
    """The oldest glibc that a wheel with these tags runs on: "2.28"; None where no tag speaks of glibc.

    A wheel may carry several tags ("manylinux_2_17_x86_64.manylinux2014_x86_64"); the least demanding one counts.
    """
    text = " ".join(tags)
    found = [f"{major}.{minor}" for major, minor in _PEP_600.findall(text)]
    found += [row.glibc for row in Glibc.read().legacy_tag if f"{row.tag}_" in text]
    return min(found, key=release, default=None)


def first_systems_with(symbol: str) -> tuple[str, ...]:
    """The first release of each distribution that has a symbol version ("GLIBC_2.32"); () where that is not known."""
    found = _SYMBOL.fullmatch(symbol)
    if found is None:
        return ()
    first: dict[str, str] = {}
    for row in Glibc.read().system:
        has = row.glibc if found[1] == "GLIBC" else row.glibcxx
        if release(has) >= release(found[2]):
            first.setdefault(row.distribution, f"{row.distribution} {row.release}")
    return tuple(first.values())
