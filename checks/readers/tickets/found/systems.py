"""Operating systems as programs and people write them: "Ubuntu 22.04.3 LTS (x86_64)", platform.platform(), uname -a."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from checks.knowledge.tickets.words import SystemRow, TicketWords
from checks.readers.tickets.text import Statement, Text

FIRST_BUILD_OF_WINDOWS_11 = 22000  # https://learn.microsoft.com/windows/release-health/windows11-release-information

# platform.platform(): "Linux-5.15.0-86-generic-x86_64-with-glibc2.35", "Windows-10-10.0.26100-SP0", "macOS-15.1-arm64"
_PLATFORM = re.compile(
    r"\b(?P<system>Linux|Windows|macOS|Darwin)-(?P<first>[\w.+~]{1,40})(?P<rest>(?:-[\w.+~]{1,40}){0,12})"
)
_ARCHITECTURE = re.compile(r"\b(x86_64|aarch64|arm64|amd64|armv7l|ppc64le|riscv64|i[36]86)\b", re.IGNORECASE)
_GLIBC = re.compile(r"glibc[ -]?(\d\.\d{1,2})")
_NUMBER = re.compile(
    r"\s{0,2}(?:GNU/Linux|Linux|release|LTS|Enterprise|Server|Stream|Leap|Desktop"
    r"|v)?[ -]{0,2}(?:release )?v?(\d{1,3}(?:\.\d{1,3}){0,2})(?![\d.]*\s?GB)",
    re.IGNORECASE,
)
_WINDOWS_BUILD = re.compile(r"\b10\.0\.(\d{5})\b")
_WINDOWS = re.compile(r"\bwin(?:dows)?[ -]?(server )?(7|8\.1|8|10|11|2012|2016|2019|2022|2025)\b", re.IGNORECASE)
# "in WSL 2", "WSL version: 2.2.4", "Ubuntu 22.04 (WSL2)"; WSL 1 only where it is called so.
_IN_WSL = re.compile(
    r"\b(?:in|inside|under|on|within|via|using|of|from) (?:a |my |the |ubuntu |windows ){0,2}wsl ?-?(?P<old>1\b(?!\.))?"
    r"|\(?wsl ?2\)?|\bwsl[ -](?:version|\d\.\d)|microsoft-standard-wsl2|ubuntu on windows|windows subsystem for linux"
)
_WORKS_THERE = re.compile(
    r"(?:works?|worked|working|fine|ok|not|no|or|than|instead|try|unlike"
    r"|(?:please|should|could|can|to) use)[ a-z]{0,10}$"
)
# $ uname -a
_UNAME = re.compile(
    r"^Linux [\w.-]{1,64} (?P<kernel>\d\.\d{1,3}\.\d[\w.+~-]{0,60}) #.{0,160}? "
    r"(?P<architecture>x86_64|aarch64|armv7l|ppc64le)\b",
    re.MULTILINE,
)
_OS_RELEASE = re.compile(r"^(ID|ID_LIKE|VERSION_ID|PRETTY_NAME)=\"?([^\"\n]{1,80})\"?$", re.MULTILINE)
_OS_RELEASE_FACTS = {
    "ID": "distribution", "ID_LIKE": "distribution_like", "VERSION_ID": "version", "PRETTY_NAME": "name",
}  # fmt: skip


def read_wsl(text: Text) -> Iterator[Statement]:
    """That the program runs in WSL, where a text says so: the Windows around it is then not its system."""
    if not text.has("wsl", "ubuntu on windows", "windows subsystem for linux"):
        return
    for found in _IN_WSL.finditer(text.lower):
        before = text.lower[max(found.start() - 30, 0) : found.start()]
        if not _WORKS_THERE.search(before):
            wsl = 1 if found["old"] else 2
            yield Statement("machine.os", {"system": "Linux", "wsl": wsl}, text.at(found))
            return


def read_systems(text: Text) -> Iterator[Statement]:
    """What uname, /etc/os-release, ver and platform.platform() printed, wherever it stands."""
    if text.has("linux ") and "#" in text.whole:
        for found in _UNAME.finditer(text.whole):
            facts = {"system": "Linux", "kernel": found["kernel"], "architecture": found["architecture"]}
            if "microsoft" in found["kernel"].lower():
                facts["wsl"] = _wsl_of(found["kernel"])
            yield Statement("machine.os", facts, text.at(found), "uname")
    if "VERSION_ID=" in text.whole or "PRETTY_NAME=" in text.whole:
        yield from _os_release(text)
    if text.has("linux-", "windows-", "macos-", "darwin-"):
        for found in _PLATFORM.finditer(text.whole):
            facts = platform_facts(found.group(0))
            if facts:
                yield Statement("machine.os", facts, text.at(found), "Python's platform")
    if text.has("[version 10.0."):
        found_build = _WINDOWS_BUILD.search(text.whole)
        if found_build:
            yield Statement(
                "machine.os",
                _windows(text.lines[text.index_at(found_build.start())].text),
                text.at(found_build),
                "ver",
            )
    if text.has("[msc v."):  # Python's own banner, built by Microsoft's compiler
        offset = text.lower.index("[msc v.")
        yield Statement("machine.os", {"system": "Windows"}, text.at(offset), "Python")


def system_facts(words: str) -> dict[str, Any]:
    """The fields of OsFacts in a description of a system; empty where no system is named."""
    platform = _PLATFORM.search(words)
    if platform is not None:
        return platform_facts(platform.group(0))
    lower = words.lower()
    named = named_system(lower)
    facts: dict[str, Any] = {}
    if named is None:
        if re.search(r"\blinux\b", lower):
            facts["system"] = "Linux"
    elif named[0].system == "Windows":
        facts = _windows(words)
    else:
        row, _, end = named
        version = _NUMBER.match(words[end:])
        if version and row.distribution == "debian" and version[1].count(".") > 1:
            version = None  # that of its kernel: "#1 SMP Debian 6.1.0-13"
        facts = {"system": row.system, "name": f"{row.name} {version[1]}" if version else row.name}
        if version:
            facts["version"] = version[1]
        if row.distribution:
            facts |= {"distribution": row.distribution, "distribution_like": row.like}
    if not facts:
        return {}
    architecture = _ARCHITECTURE.search(words)
    if architecture:
        facts["architecture"] = architecture[1]
    if "wsl" in lower:
        facts["wsl"] = 1 if re.search(r"wsl ?1\b", lower) else 2
        if facts["system"] == "Windows":  # the program runs in the Linux below
            facts = {"system": "Linux", "wsl": facts["wsl"]}
    return facts


def platform_facts(platform: str) -> dict[str, Any]:
    """The fields of OsFacts in Python's platform.platform()."""
    found = _PLATFORM.search(platform)
    if found is None:
        return {}
    system, whole = found["system"], found.group(0)
    if system == "Windows":
        return _windows(whole)
    facts: dict[str, Any] = {"system": "Darwin" if system == "macOS" else system}
    architecture = _ARCHITECTURE.search(whole)
    if architecture:
        facts["architecture"] = architecture[1]
    if system == "macOS":
        return facts | {"name": f"macOS {found['first']}", "version": found["first"]}
    if system == "Linux" and found["first"][:1].isdigit():
        before, _, _ = whole.removeprefix("Linux-").partition(f"-{architecture[1]}" if architecture else "-with")
        facts["kernel"] = before
        if "microsoft" in before.lower():
            facts["wsl"] = _wsl_of(before)
        libc = _GLIBC.search(whole)
        if libc:
            facts |= {"libc": "glibc", "libc_version": libc[1]}
    return facts


@functools.cache
def _all_words() -> re.Pattern[str]:
    words = (re.escape(word) for row in TicketWords.read().system for word in row.words)
    return re.compile(rf"(?<![a-z0-9~.])(?:{'|'.join(words)})(?![a-z])")


def named_system(lower: str) -> tuple[SystemRow, int, int] | None:
    """The first operating system that a text in lower case names, and where its name begins and ends."""
    found = _all_words().search(lower)
    if found is None:
        return None
    return next(row for row in TicketWords.read().system if found.group(0) in row.words), found.start(), found.end()


def _windows(words: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"system": "Windows"}
    build, named = _WINDOWS_BUILD.search(words), _WINDOWS.search(words)
    if build:
        facts["version"] = build.group(0)
    if named and named[1]:
        facts["name"] = f"Windows Server {named[2]}"
    elif build:  # Windows 11 calls itself "10" before programs
        is_11 = int(build[1]) >= FIRST_BUILD_OF_WINDOWS_11
        facts["name"] = "Windows 11" if is_11 else f"Windows {named[2] if named else '10'}"
    elif named:
        facts["name"] = f"Windows {named[2]}"
    return facts


def _wsl_of(kernel: str) -> int:
    """1 or 2: the kernel of WSL 2 is built by Microsoft ("-microsoft-standard-WSL2"), WSL 1 pretends ("-Microsoft")."""
    return 2 if "standard" in kernel.lower() or "wsl2" in kernel.lower() else 1


def _os_release(text: Text) -> Iterator[Statement]:
    facts: dict[str, Any] = {"system": "Linux"}
    numbers = []
    for found in _OS_RELEASE.finditer(text.whole):
        name = _OS_RELEASE_FACTS[found[1]]
        facts.setdefault(name, tuple(found[2].split()) if found[1] == "ID_LIKE" else found[2])
        numbers.append(text.number_at(found.start()))
    if "name" in facts or "distribution" in facts:
        yield Statement("machine.os", facts, tuple(numbers), "os-release")
