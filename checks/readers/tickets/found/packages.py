"""Lists of packages: pip list, pip freeze, pip show, conda list, uv pip list, poetry show, and collect_env's own.

Such a list in a ticket is seldom complete: a package that it lacks may well be installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from checks.facts import Package
from checks.knowledge.packages.ai_packages import examined_names
from checks.knowledge.tickets.words import package_of_word
from checks.readers.tickets.text import Statement, Text

MOST = 2000  # packages of one text
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}"
_VERSION = r"\d[A-Za-z0-9._!-]{0,40}(?:\+[A-Za-z0-9.]{1,40})?"
# [pip3] torch==2.1.0   |   [conda] pytorch 1.13.1 py3.8_cuda11.7_cudnn8.5.0_0 pytorch
_COLLECTED = re.compile(
    rf"^\s*\[(?P<tool>pip|pip3|conda|pixi|uv)\]\s{{1,4}}(?P<name>{_NAME})(?:==|\s{{1,40}})(?P<version>{_VERSION})"
    r"(?:\s{1,40}(?P<build>\S{1,60})(?:\s{1,40}(?P<channel>\S{1,60}))?)?\s*$"
)
_FROZEN = re.compile(
    rf"^\s*(?P<name>{_NAME})(?:\[[\w,.-]{{0,60}}\])?==(?P<version>{_VERSION})\s*(?:;.{{0,120}}|#.{{0,120}}|\\)?$"
)
_ROW = re.compile(
    rf"^\s{{0,8}}(?P<name>{_NAME})(?: \(!\))?\s{{1,60}}(?P<version>{_VERSION})(?:\s{{1,40}}"
    rf"(?P<build>\S{{1,60}})(?:\s{{1,40}}(?P<channel>\S{{1,60}}))?)?(?P<rest>\s.{{0,120}})?$"
)
_HEADER = re.compile(r"^\s{0,8}#?\s{0,4}(?:Package|Name|package)\s{1,60}Version\b")
_HEADER_CONDA = re.compile(r"^\s{0,8}#\s{1,4}Name\s{1,60}Version\s{1,60}Build")
_RULE = re.compile(r"^[\s─━-]{4,}$")
_POETRY = re.compile(rf"^(?P<name>{_NAME})\s{{1,60}}(?:\(!\)\s)?(?P<version>{_VERSION})\s{{2,60}}[A-Z][^\n]{{8,300}}$")
_CONDA_BUILD = re.compile(r"[a-zA-Z0-9.]{0,40}_[\w.]{1,40}|\d{1,4}|pypi_0|h[0-9a-f]{6,8}(?:_\d{1,4})?")
_SATISFIED = re.compile(
    rf"^Requirement already satisfied: (?P<name>{_NAME})[^\n]{{0,160}}? in (?P<location>\S[^\n]{{0,200}}?"
    rf"(?:site|dist)-packages)\b[^\n]{{0,160}}\((?P<version>{_VERSION})\)\s*$"
)
_INSTALLED = re.compile(r"^\s*Successfully installed (.{3,3900})$")
_NAME_AND_VERSION = re.compile(rf"({_NAME}?)-({_VERSION})$")
_TOO_COMMON = frozenset(
    {"python", "version", "name", "step", "epoch", "total", "loss", "gpu", "cpu", "build", "file", "line"}
)


def read_packages(text: Text) -> Iterator[Statement]:
    """Every package of every list, in the order of the lines."""
    if not text.has(
        "==", "  1", "  2", "  0", "[conda]", "[pip", "already satisfied", "successfully installed", "name: "
    ):
        return
    for count, statement in enumerate(_read(text)):
        if count >= MOST:
            return
        yield statement


def _read(text: Text) -> Iterator[Statement]:
    tool = ""  # of the list that is being read
    is_frozen = False  # whether the line before was one of pip freeze
    for index, line in enumerate(text.lines):
        raw = line.text
        if not raw:
            continue
        was_frozen, is_frozen = is_frozen, False
        if "==" in raw and (found := _FROZEN.match(raw)):
            is_frozen = was_frozen or _is_frozen(found, text, index)
            if is_frozen:
                yield _statement(found, "pip", line.number, "pip freeze")
        elif "Version" in raw and _HEADER.match(raw):
            tool = "conda" if _HEADER_CONDA.match(raw) else "pip"
        elif not tool or not (_RULE.match(raw) or raw.startswith("#")):
            statement = list(_of_program(text, index))
            if not statement:
                statement = list(_of_row(raw, line.number, tool))
                tool = tool if statement else ""
            yield from statement


def _of_program(text: Text, index: int) -> Iterator[Statement]:
    """The packages in a line that identifies the program that printed it."""
    raw, number = text.lines[index].text, text.lines[index].number
    if "[" in raw[:12] and (found := _COLLECTED.match(raw)):
        yield _statement(found, found["tool"].removesuffix("3"), number, "collect_env")
    elif "already satisfied" in raw and (found := _SATISFIED.match(raw)):
        yield _statement(found, "pip", number, "pip")
    elif "Successfully installed" in raw and (found := _INSTALLED.match(raw)):
        yield from _successes(found[1], number)
    elif raw.startswith("Name: ") and index + 1 < len(text.lines):
        yield from _shown(text, index)


def _of_row(raw: str, number: int, tool: str) -> Iterator[Statement]:
    """The package in a row of columns. ``tool``: of the list that the row stands in, "" without a header above."""
    if "  " in raw and not tool and (found := _POETRY.match(raw)) and _is_known(found["name"]):
        yield _statement(found, "pip", number, "poetry show")
        return
    found = _ROW.match(raw) if "  " in raw or tool else None
    if found is not None and (tool or _is_row(found)):
        kind = tool or ("conda" if found["build"] and _CONDA_BUILD.fullmatch(found["build"]) else "pip")
        yield _statement(found, kind, number, f"{kind} list")


def _is_frozen(found: re.Match[str], text: Text, index: int) -> bool:
    """Whether "name==version" is one of a list: alone it is a comparison ("lr==0.01") unless the package is known."""
    following = text.lines[index + 1].text if index + 1 < len(text.lines) else ""
    return _is_known(found["name"]) or _FROZEN.match(following) is not None


def _is_row(found: re.Match[str]) -> bool:
    """Whether a line without a header above is one of a list: the package is known, or the build is conda's."""
    name = canonicalize_name(found["name"])
    if name in _TOO_COMMON:
        return False
    if found["build"] is None:
        return _is_known(name)
    is_conda = found["rest"] is None and _CONDA_BUILD.fullmatch(found["build"]) is not None
    return is_conda and (_is_known(name) or found["channel"] is not None)


def _is_known(name: str) -> bool:
    name = str(canonicalize_name(name))
    return name in examined_names() or name in package_of_word() or name.startswith("nvidia-")


def _statement(found: re.Match[str], tool: str, number: int, program: str) -> Statement:
    groups = found.groupdict()
    build = groups.get("build") if tool == "conda" else None
    installer = tool
    if tool == "conda" and build and build.startswith("pypi"):
        installer, build = "pip", None
    return Statement(
        "package",
        Package(
            name=str(canonicalize_name(found["name"])),
            version=found["version"],
            installer=installer,
            location=groups.get("location"),
            build=build,
            channel=groups.get("channel") if installer == "conda" else None,
        ),
        (number,),
        program,
    )


def _successes(names: str, number: int) -> Iterator[Statement]:
    for word in names.split():
        found = _NAME_AND_VERSION.match(word)
        if found and found[1]:
            package = Package(name=str(canonicalize_name(found[1])), version=found[2], installer="pip")
            yield Statement("package", package, (number,), "pip install")


def _shown(text: Text, index: int) -> Iterator[Statement]:
    """Pip show: "Name: torch", "Version: 1.7.0+cpu", ..., "Location: ..."."""
    name = text.lines[index].text.removeprefix("Name: ").strip()
    version = location = ""
    numbers = [text.lines[index].number]
    for line in text.lines[index + 1 : index + 12]:
        key, _, value = line.text.partition(": ")
        if key == "Version" and not version:
            version = value.strip()
            numbers.append(line.number)
        elif key == "Location":
            location = value.strip()
            numbers.append(line.number)
        elif key in ("Name", "---"):
            break
    if re.fullmatch(_NAME, name) and re.fullmatch(_VERSION, version):
        package = Package(name=str(canonicalize_name(name)), version=version, location=location or None)
        yield Statement("package", package, tuple(numbers), "pip show")
