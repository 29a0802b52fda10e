"""Programs and folders looked through by all rules. Nothing of them is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from checks.analysis.scripts.configs import scanned_config
from checks.analysis.scripts.registry import Change, Mark, ModuleView, module_rules, run_rules
from checks.analysis.scripts.suppressed import is_suppressed
from checks.analysis.scripts.words import severity_of
from checks.facts.finding import Severity
from checks.facts.scripts import Edit, ScriptFacts, ScriptMark, UnreadScript
from checks.readers.scripts.files import programs_in
from checks.readers.scripts.project import Module, Project
from checks.readers.scripts.runs import Run, is_entry, main_guard
from checks.readers.scripts.sources import NOTEBOOK, PYTHON, Unreadable

_MOST_ROWS = 200_000  # of the modules that are kept at once
_FRAMEWORKS = ("torch", "tensorflow", "keras", "jax", "sklearn", "numpy", "transformers", "lightning", "onnxruntime")
_LOADER = "torch.utils.data.DataLoader"


@dataclass
class Scan:
    """What was read, with its marks, and what could not be."""

    scripts: list[ScriptFacts] = field(default_factory=list)
    unread: list[UnreadScript] = field(default_factory=list)

    @property
    def marks(self) -> list[ScriptMark]:
        """All of them, by file and line."""
        return [mark for script in self.scripts for mark in script.marks]

    def offered(self, *, with_notes: bool = False) -> dict[str, list[Edit]]:
        """The offered changes by the file that they change: those of warnings, and on request those of notes."""
        found: dict[str, list[Edit]] = {}
        for mark in self.marks:
            if with_notes or severity_of(mark) == Severity.WARNING:
                for edit in mark.edits:
                    found.setdefault(edit.file or mark.file, []).append(edit)
        return found

    def only(self, rules: Collection[str]) -> Scan:
        """The same with the marks of some rules alone."""
        scripts = [_with(script, [mark for mark in script.marks if mark.rule in rules]) for script in self.scripts]
        return Scan(scripts, self.unread)


def scan(paths: Iterable[Path], cancelled: Callable[[], bool] = lambda: False) -> Scan:
    """Look through files and folders. Imports are followed within the folder that is given, or that of the file."""
    found = Scan()
    for path in paths:
        if cancelled():
            break
        if path.is_dir():
            _Folder(path, list(programs_in(path)), found, is_named=False).look(cancelled)
        else:
            _Folder(path.parent, [path], found, is_named=True).look(cancelled)
    return found


class _Folder:
    """The files of one folder that are looked through together."""

    def __init__(self, folder: Path, files: list[Path], found: Scan, *, is_named: bool) -> None:
        self._folder = folder
        self._files = files
        self._found = found
        self._is_named = is_named
        self._project = Project(folder)
        self._rows = 0
        self._imported: set[Path] = set()

    def look(self, cancelled: Callable[[], bool]) -> None:
        """All rules over all files."""
        marks: dict[str, list[ScriptMark]] = {}
        read: list[ScriptFacts] = []
        given = {path for path in self._files if path.suffix.lower() in (*PYTHON, NOTEBOOK)}
        later: list[Path] = []
        for path in self._files:
            if cancelled():
                break
            if path not in given:
                self._config(path)
                continue
            module = self._module(path)
            if module is None:
                continue
            for error in module.source.broken:
                self._unread(_unread(path, error))
            runs = is_entry(module)
            view = ModuleView(module)
            read.append(_facts(view, runs))
            self._add(marks, given, module, _of_module(view))
            if runs:
                later.append(path)
            self._note_imports(module)
        for path in later:
            if cancelled():
                break
            module = self._module(path)
            if module is not None and (main_guard(module) or path not in self._imported or _is_notebook(path)):
                self._add(marks, given, module, _of_run(Run(self._project, module)))
        for facts in read:
            mine = sorted(
                marks.get(facts.file, ()), key=lambda mark: (mark.cell or 0, mark.line, mark.column, mark.rule)
            )
            self._found.scripts.append(_with(facts, mine))

    def _config(self, path: Path) -> None:
        """A configuration; of what lies in a folder, only what is one of a known trainer is spoken of."""
        try:
            found = scanned_config(path)
        except Unreadable as error:
            if self._is_named:
                self._unread(_unread(path, error))
            return
        except OSError as error:
            self._unread(UnreadScript(file=str(path), reason="unreadable", values={"detail": error.strerror or ""}))
            return
        if found is not None:
            self._found.scripts.append(found)

    def _module(self, path: Path) -> Module | None:
        if self._rows > _MOST_ROWS:
            self._project, self._rows = Project(self._folder), 0
        try:
            module = self._project.read(path)
        except Unreadable as error:
            self._unread(_unread(path, error))
            return None
        except OSError as error:
            values = {"detail": error.strerror or str(error)}
            self._unread(UnreadScript(file=str(path), reason="unreadable", values=values))
            return None
        self._rows += len(module.source.rows)
        return module

    def _unread(self, unread: UnreadScript) -> None:
        if unread not in self._found.unread:
            self._found.unread.append(unread)

    def _note_imports(self, module: Module) -> None:
        for scope in module.walk.scopes.values():
            for node in scope.imports:
                level = node.level if isinstance(node, ast.ImportFrom) else 0
                prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module else ""
                for alias in node.names:
                    imported = self._project.imported(f"{prefix}{alias.name}".removesuffix(".*"), level, module)
                    if imported is not None and imported[0] is not module:
                        self._imported.add(imported[0].path)

    def _add(
        self,
        marks: dict[str, list[ScriptMark]],
        given: set[Path],
        module: Module,
        made: Iterable[tuple[str, Mark]],
    ) -> None:
        try:
            for rule, mark in made:
                if mark.module.path in given and not is_suppressed(mark.module, mark.node, rule):
                    _keep(marks.setdefault(str(mark.module.path), []), _said(rule, mark))
        except RecursionError:  # a tree that could be parsed may still be too deep to be followed
            self._unread(UnreadScript(file=str(module.path), reason="too-deep"))


def _unread(path: Path, error: Unreadable) -> UnreadScript:
    values = {name: str(value) for name, value in error.values.items()}
    return UnreadScript(file=str(path), reason=error.reason, values=values)


def _keep(known: list[ScriptMark], new: ScriptMark) -> None:
    """Add a mark, once: of a place to which several programs come, with the changes of each of them."""
    for index, each in enumerate(known):
        if _of_place(each) == _of_place(new):
            edits = tuple(dict.fromkeys((*each.edits, *new.edits)))
            known[index] = msgspec.structs.replace(each, edits=edits)
            return
    known.append(new)


def _of_place(mark: ScriptMark) -> tuple[object, ...]:
    return mark.rule, mark.line, mark.column, mark.cell, mark.subject


def _of_module(view: ModuleView) -> Iterator[tuple[str, Mark]]:
    for name, functions in module_rules().items():
        for function in functions:
            for mark in function(view):
                yield name, mark


def _of_run(run: Run) -> Iterator[tuple[str, Mark]]:
    for name, functions in run_rules().items():
        for function in functions:
            for mark in function(run):
                yield name, mark


def _said(rule: str, mark: Mark) -> ScriptMark:
    source = mark.module.source
    line, column = getattr(mark.node, "lineno", 1), getattr(mark.node, "col_offset", 0)
    place = source.place(line, column)
    changed = mark.changed or mark.module
    file = "" if changed is mark.module else str(changed.path)
    return ScriptMark(
        rule=rule,
        file=str(mark.module.path),
        line=place.line,
        column=place.column,
        cell=place.cell,
        row=line if place.cell else 0,
        subject=mark.subject,
        severity=mark.severity,
        values=mark.values,
        text=source.rows[line - 1].strip()[:200] if line <= len(source.rows) else "",
        edits=tuple(_edit(changed, change, file) for change in mark.changes),
    )


def _edit(module: Module, change: Change, file: str) -> Edit:
    rows = module.source.rows

    def characters(line: int, column: int) -> int:
        row = rows[line - 1] if line <= len(rows) else ""
        return 1 + (column if row.isascii() else len(row.encode()[:column].decode("utf-8", "replace")))

    return Edit(
        change.line,
        characters(change.line, change.column),
        change.end_line,
        characters(change.end_line, change.end_column),
        change.text,
        file,
    )


def _facts(view: ModuleView, runs: bool) -> ScriptFacts:
    module = view.module
    names = {
        name.partition(".")[0]
        for scope in module.walk.scopes.values()
        for node in scope.imports
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
    return ScriptFacts(
        file=str(module.path),
        kind="notebook" if _is_notebook(module.path) else "python",
        rows=len(module.source.rows),
        runs=runs,
        frameworks=tuple(name for name in _FRAMEWORKS if name in names),
        imports=_imported(module),
        loads_data=_loads_data(view),
    )


def _loads_data(view: ModuleView) -> bool:
    try:
        return any(meaning == _LOADER for _, _, meaning in view.calls())
    except RecursionError:  # which the rules meet, too, and say so
        return False


def _imported(module: Module) -> dict[str, str]:
    """Of the packages that settings are given to the name that each has: that of an import as a whole, else its own."""
    found: dict[str, str] = {}
    for node in (node for scope in module.walk.scopes.values() for node in scope.imports):
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                found.setdefault((node.module or "").partition(".")[0], "")
            elif alias.asname is None or "." not in alias.name:
                found[alias.name.partition(".")[0]] = alias.asname or ""
    return {name: alias or name for name, alias in found.items() if name in (*_FRAMEWORKS, "random")}


def _with(facts: ScriptFacts, marks: list[ScriptMark]) -> ScriptFacts:
    return msgspec.structs.replace(facts, marks=tuple(marks))


def _is_notebook(path: Path) -> bool:
    return path.suffix.lower() == NOTEBOOK
