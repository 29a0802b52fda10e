"""Which of the changes can explain the failure that is seen now, the likeliest first.

A change is named as a cause only where something of the failure leads to it: the files that it passed, what it names,
what these need, or words of which a table says so. Of all other changes nobody knows, and that is what is said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from checks.analysis.failures.owners import owner_of_module
from checks.analysis.history.failure import Failed, failed_in, module_of
from checks.analysis.history.observed import What
from checks.facts import Change, ChangeKind, Facts, InterpreterFacts
from checks.facts.finding import CLUE, Finding
from checks.knowledge.errors.change_effects import weight_of
from checks.knowledge.packages.import_packages import distributions_of, modules_of_distribution
from checks.knowledge.packages.system_libraries import package_of_library

LIKELY, POSSIBLE = 70, 30  # weights from which on a change is called so
_NOT_TELLING = ("unknown", "user-code-error")
_QUOTED = (CLUE, "error_text", "failed_at", "framework")
_DIRECT = 84  # the failure itself leads to it
_PROVEN = 98  # taken back here, after which the program worked
_WEAK = ("needed", "loaded")
_BY_FINDING = 69  # what a finding about this failure names
_RENAMED = ("AttributeError", "TypeError", "ImportError", "NameError")  # how another release makes a program fail
# What is raised because of data, a file or the network that the program asked for, and seldom because of a package.
_OF_DATA = frozenset(
    (
        *("FileNotFoundError", "PermissionError", "IsADirectoryError", "NotADirectoryError", "EOFError", "MemoryError"),
        *("ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "TimeoutError", "KeyboardInterrupt"),
        *("URLError", "HTTPError", "JSONDecodeError", "UnpicklingError", "BadZipFile", "OutOfMemoryError"),
    )
)
_OF_KEYS = frozenset(("KeyError", "IndexError", "ZeroDivisionError", "StopIteration"))
_OF_VALUES = frozenset(("ValueError", "AssertionError", "OverflowError"))
_OWN_MISTAKES = ("NameError", "SyntaxError", "IndentationError", "TabError", "UnboundLocalError")


class Relation(StrEnum):
    """How a change stands to the failure."""

    LIKELY = "likely"
    POSSIBLE = "possible"
    UNSURE = "unsure"  # nothing leads from the failure to it, which proves nothing
    UNRELATED = "unrelated"  # the program was seen to end without having loaded it


@dataclass(frozen=True)
class Ranked:
    """A change, and why it can or cannot be it: ``reason`` is behind "reason-" in resources/words/history.toml."""

    change: Change
    weight: int
    reason: str = "none"

    @property
    def relation(self) -> Relation:
        """How it stands to the failure."""
        if self.weight >= LIKELY:
            return Relation.LIKELY
        if self.weight >= POSSIBLE:
            return Relation.POSSIBLE
        return Relation.UNRELATED if self.weight < 0 else Relation.UNSURE


def changes_of(facts: Facts, findings: Sequence[Finding] = ()) -> tuple[Ranked, ...]:
    """All changes of the time in which it ceased to work, the likeliest first.

    ``findings``: the best first; what it names may have to do with it, too.
    """
    history = facts.history
    return () if history is None else ranked((*history.changes, *history.logged), facts, findings)


def ranked(changes: Iterable[Change], facts: Facts, findings: Sequence[Finding] = ()) -> tuple[Ranked, ...]:
    """All changes, the likeliest first; of those that are as likely the latest."""
    failed = failed_in(facts)
    if failed is None:
        return tuple(Ranked(change, 0) for change in changes)
    weighing = _Weighing(facts, failed, tuple(_named_by(findings)))
    found = _by_origin([weighing.of(change) for change in changes], facts)
    found = [Ranked(one.change, _PROVEN, "proven") if _is_shown(one.change, facts) else one for one in found]
    if any(one.weight >= _DIRECT for one in found):  # then what is merely needed by what failed is no suspect
        found = [Ranked(one.change, 0) if one.reason in _WEAK else one for one in found]
    return tuple(sorted(sorted(found, key=lambda one: one.change.time, reverse=True), key=lambda one: -one.weight))


def _is_shown(change: Change, facts: Facts) -> bool:
    """Whether the program was seen to work here with this change taken back, and with nothing else but it."""
    for proof in facts.proofs:
        if not proof.mended or proof.way == "new":
            continue
        if change.kind == ChangeKind.PACKAGE:
            changed = [(one.name, one.version_before, one.version_after) for one in proof.changes]
            is_back = changed == [(change.name, change.after, change.before)]
        else:
            is_set = change.kind == ChangeKind.VARIABLE and not change.before
            is_back = is_set and proof.commands == (f"unset {change.name}",)
        if is_back:
            return True
    return False


def _by_origin(found: list[Ranked], facts: Facts) -> list[Ranked]:
    """What brought other changes about stands before them.

    Another release may come from a folder that a variable names now, or from another Python; and a driver is gone where
    its module was not built for the new kernel.
    """
    target = facts.target_interpreter
    places = {package.name: package.location or "" for package in reversed((target.packages if target else None) or ())}
    packages = [one for one in found if one.change.kind == ChangeKind.PACKAGE]
    for number, one in enumerate(found):
        change = one.change
        if change.kind == ChangeKind.VARIABLE:
            folders = tuple(_folders(change.after))
            brought = [other for other in packages if _is_in(f"{places.get(other.change.name, '')}/", folders)]
        elif change.kind == ChangeKind.PYTHON and change.name == "path":
            brought = packages
        elif change.kind == ChangeKind.MACHINE and change.name == "kernel":
            gone = ("driver", "kernel-module")
            brought = [other for other in found if other.change.name in gone and other.change.after is None]
        else:
            continue
        best = max((other.weight for other in brought), default=0)
        if best >= LIKELY:
            found[number] = Ranked(change, max(one.weight, min(best + 1, 99)), "brought")
            named = {id(other.change) for other in brought}
            found = [_less(other) if id(other.change) in named else other for other in found]
    return found


def _less(one: Ranked) -> Ranked:
    return Ranked(one.change, min(one.weight, LIKELY - 1), one.reason)


def _named_by(findings: Sequence[Finding]) -> Iterator[str]:
    """What the best finding says of packages and variables, without the words of the failure that it quotes."""
    for finding in findings[:1]:
        if finding.cause not in _NOT_TELLING:
            yield finding.subject
            yield from (
                shown.value for shown in finding.evidence if shown.name not in _QUOTED and len(shown.value) < 200
            )


class _Weighing:
    def __init__(self, facts: Facts, failed: Failed, named: tuple[str, ...]) -> None:
        self._facts = facts
        self._failed = failed
        self._named = named
        self._interpreter: InterpreterFacts | None = facts.target_interpreter
        self._requires: Mapping[str, tuple[str, ...]] = facts.history.requires if facts.history else {}
        modules = [module for frame in failed.frames if (module := module_of(frame))]
        self._passed = tuple(dict.fromkeys(self._distribution(module) for module in modules))  # the innermost first
        self._innermost = next(iter(failed.frames), None)
        self._is_own = self._innermost is not None and not module_of(self._innermost)
        self._type = failed.raised[-1].type.rpartition(".")[2] if failed.raised else ""
        is_own_data = self._type in _OF_DATA and "site-packages" not in failed.raised[-1].message
        self._is_of_data = is_own_data or (self._is_own and self._type in _OWN_MISTAKES)
        self._words = f"{failed.told}\n{failed.words}"

    def of(self, change: Change) -> Ranked:
        """One change."""
        weight, reason = max(self._reasons(change), key=lambda found: found[0], default=(0, "none"))
        if 0 <= weight < _BY_FINDING and self._is_named(change):
            weight, reason = _BY_FINDING, "finding"
        is_package = change.kind in (ChangeKind.PACKAGE, ChangeKind.SYSTEM_PACKAGE)
        if change.source and change.before is None and change.after is not None and is_package:
            weight = min(weight, LIKELY - 1)  # that it was installed is known, and not what was there before
        return Ranked(change, weight, reason)

    def _is_named(self, change: Change) -> bool:
        name = re.escape(change.package or change.name)
        return any(re.search(rf"(?<![\w.-]){name}(?![\w-])", value) for value in self._named)

    def _reasons(self, change: Change) -> Iterator[tuple[int, str]]:
        match change.kind:
            case ChangeKind.PACKAGE:
                yield from self._of_package(change)
            case ChangeKind.FILE:
                yield from self._of_file(change)
            case ChangeKind.PROGRAM | ChangeKind.MODEL:
                yield from self._of_own_file(change)
            case ChangeKind.VARIABLE:
                yield from self._of_variable(change)
            case ChangeKind.SYSTEM_PACKAGE:
                yield from self._of_system_package(change)
        weight = weight_of(change.kind, change.name, self._words)
        if weight and not (change.kind == ChangeKind.PYTHON and _is_patch(change)):
            yield weight, "words"

    def _distribution(self, module: str) -> str:
        owner = owner_of_module(module, self._interpreter)
        return owner.name if owner else next(iter(distributions_of(module)), module)

    def _of_package(self, change: Change) -> Iterator[tuple[int, str]]:
        failed, name = self._failed, change.name
        modules = {*modules_of_distribution(name), name.replace("-", "_")}
        missing = failed.missing_module.partition(".")[0]
        if missing and (missing in modules or name in distributions_of(missing)):
            yield (98, "gone") if change.after is None else (94, "missing")
        if any(name == self._distribution(module) for module in _modules_of_paths(failed.imported_from)):
            yield 95, "names"
        if self._is_of_data:
            if name in self._passed and not self._is_own:
                yield 20, "passed"
            return
        yield from self._passes_through(change)
        if not missing:
            yield from self._is_spoken_of(modules)
        yield from self._is_needed(name)
        if self._is_own and self._type in _RENAMED and failed.loaded & modules:
            yield 34, "loaded"
        if failed.is_whole and not failed.loaded & modules and not missing:
            yield -1, "not-loaded"

    def _passes_through(self, change: Change) -> Iterator[tuple[int, str]]:
        if self._passed[:1] == (change.name,) and not self._is_own:
            is_same = not _is_other_generation(change)
            of_key = self._type in _OF_KEYS
            weight = 20 if of_key and is_same else 66 if of_key or (self._type in _OF_VALUES and is_same) else 90
            yield weight, "innermost"
        elif change.name in self._passed:
            yield 20 if self._type in _OF_KEYS else 60, "passed"

    def _is_spoken_of(self, modules: set[str]) -> Iterator[tuple[int, str]]:
        if self._type in _OF_KEYS:  # which quotes what was asked for, and names no module
            return
        if any(_mentions(self._failed.told, module) for module in modules):
            yield 88, "names"
        called = self._innermost.code if self._innermost else ""
        if any(re.search(rf"\b{re.escape(module)}\b", called) for module in modules if module):
            yield 50 if self._type in _OF_VALUES else 84, "called"

    def _is_needed(self, name: str) -> Iterator[tuple[int, str]]:
        if self._type in _OF_KEYS or self._type in _OF_VALUES:
            return
        near = self._requires.get(self._passed[0], ()) if self._passed else ()
        if name in near:
            yield 50, "needed"
        elif any(name in self._requires.get(other, ()) for other in (*self._passed, *near)):
            yield 36, "needed"

    def _of_file(self, change: Change) -> Iterator[tuple[int, str]]:
        path = change.name.replace("\\", "/")
        places = [frame.file.replace("\\", "/") for frame in self._failed.frames]
        if any(_is_at(file, path) for file in self._failed.imported_from) or path in self._failed.told:
            yield 97, "names"
        if places and _is_at(places[0], path):
            yield 97, "innermost"
        elif any(_is_at(place, path) for place in places):
            yield 89, "passed"
        best = max((weight for weight, _ in self._of_package(_package_of(change))), default=0)
        if best >= LIKELY:
            yield 92, "package"
        elif best >= POSSIBLE:
            yield best, "package"

    def _of_own_file(self, change: Change) -> Iterator[tuple[int, str]]:
        path = os.path.expanduser(change.name)  # noqa: PTH111 - as text
        own = [frame.file for frame in self._failed.frames if not module_of(frame)]
        last = self._type
        if path in own:
            is_innermost = self._innermost is not None and self._innermost.file == path
            if is_innermost and last in _OWN_MISTAKES:
                yield 96, "mistake"
            yield (92, "innermost") if is_innermost else (74, "passed")
        elif last in _OWN_MISTAKES and path in self._words:
            yield 96, "mistake"
        name, module = PurePath(path).name, PurePath(path).stem
        if path.endswith(".py") and self._type not in _OF_KEYS:
            if _mentions(self._failed.told, module):
                yield 95, "names"
            called = self._innermost.code if self._innermost is not None and self._is_own else ""
            if not self._is_of_data and re.search(rf"(?<![\w.]){re.escape(module)}\.\w", called):
                yield 50 if self._type in _OF_VALUES else _DIRECT, "called"
        if change.kind == ChangeKind.MODEL and self._failed.what == What.MODEL:
            yield 92, "given"
        if len(name) > 2 and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", self._failed.told):
            yield 90, "names"
        elif change.kind == ChangeKind.MODEL or not path.endswith(".py"):
            yield 56, "given"

    def _of_variable(self, change: Change) -> Iterator[tuple[int, str]]:
        if re.search(rf"(?<!\w){re.escape(change.name)}(?!\w)", self._words):
            yield 95, "names"
        lost = {*_folders(change.before)} - {*_folders(change.after)}
        if lost and change.name == "PYTHONPATH" and self._failed.missing_module:
            yield 99, "lost-folder"
        folders = tuple(folder for value in (change.after, change.before) for folder in _folders(value))
        if not folders:
            return
        named = (*self._failed.imported_from, *(frame.file for frame in self._failed.frames[:1]))
        if any(_is_in(file, folders) for file in named) or any(folder in self._failed.told for folder in folders):
            yield 97, "leads-there"
        elif any(_is_in(frame.file, folders) for frame in self._failed.frames):
            yield 93, "leads-there"
        elif any(_is_in(file, folders) for file in self._failed.loaded_files):
            yield 64, "loaded-from"

    def _of_system_package(self, change: Change) -> Iterator[tuple[int, str]]:
        name = change.name.partition(":")[0].lower()
        for library in self._failed.libraries:
            row = package_of_library(library)
            if (row and name in (row.apt, row.dnf)) or name in debian_names(library):
                yield (97, "library-gone") if change.after is None else (92, "library")
            elif name.startswith(library.lower().partition(".so")[0]):
                yield 84, "library"


def debian_names(library: str) -> frozenset[str]:
    """How Debian calls the package of a library (its policy, 8.1): libGL.so.1 is in libgl1, libx-2.so.0 in libx-2-0."""
    base, _, version = library.lower().replace("_", "-").partition(".so")
    number = version.strip(".").partition(".")[0]
    return frozenset((f"{base}{number}", f"{base}-{number}", f"{base}{number}t64", f"{base}-{number}t64"))


def _package_of(change: Change) -> Change:
    name = change.package or change.name.partition("/")[0].removesuffix(".py").replace("_", "-").lower()
    return Change(kind=ChangeKind.PACKAGE.value, name=name, before="", after="")


def _modules_of_paths(paths: Iterable[str]) -> Iterator[str]:
    from checks.analysis.failures.owners import module_of_file

    return filter(None, map(module_of_file, paths))


def _mentions(words: str, module: str) -> bool:
    """Whether an error names a module: in quotation marks, before a dot, or as the whole of a word with a release."""
    if not module:
        return False
    name = re.escape(module)
    quoted, dotted = rf"['\"`]{name}(?:\.[\w.]+)?['\"`]", rf"(?<![\w./\\]){name}\.[A-Za-z_]"
    return re.search(rf"{quoted}|{dotted}|(?i:\b{name}[ =<>~!]+v?\d)", words) is not None


def _is_at(place: str, path: str) -> bool:
    place = place.replace("\\", "/")
    return place == path or place.endswith(f"/{path.rpartition('site-packages/')[2]}")


def _is_in(file: str, folders: Iterable[str]) -> bool:
    return any(file.startswith((f"{folder}/", f"{folder}\\")) for folder in folders)


def _folders(value: str | None) -> Iterator[str]:
    """The folders in a variable that lists some; none so short that half of the machine lies in it."""
    for part in (value or "").split(os.pathsep):
        path = os.path.expanduser(part.strip()).rstrip("/\\")  # noqa: PTH111 - as text
        if _is_absolute(path) and path.count("/") + path.count("\\") > 1:
            yield path


def _is_other_generation(change: Change) -> bool:
    """Whether the first part of the release is another, by which packages say that programs may fail with it."""
    first, second = ((value or "").partition(".")[0] for value in (change.before, change.after))
    return first != second


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path) is not None


def _is_patch(change: Change) -> bool:
    """Whether only the last part of Python's version is another."""
    parts = [(value or "").split(".")[:2] for value in (change.before, change.after)]
    return change.name == "version" and parts[0] == parts[1]
