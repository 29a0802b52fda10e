"""What a program asks for on its straight way that can be tried alone: names of packages, calls that only read.

Each is tried in the user's Python without anything else of his program (checks/probes/ask/statements.py). What may hang
on what the program did before is left out: files after it wrote or fetched any, names of a package that it patched, the
hub's cache after it set variables.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from checks.knowledge.packages.import_packages import is_standard
from checks.knowledge.scripts.reading_calls import ReadingCall
from checks.readers.scripts.closed import Closing, Open, argument
from checks.readers.scripts.project import OWN, Module, Project
from checks.readers.scripts.runs import is_entry, is_test
from checks.readers.scripts.scopes import Scope
from checks.readers.scripts.sources import NOTEBOOK, Unreadable
from checks.readers.scripts.straight import Needed, Passed, Seen, StraightWay

MOST = 60  # of one program
_LONGEST_LABEL = 200
_LONGEST = 4000  # characters of an expression that is tried
_DEEPEST = 6  # parts of a dotted name
# Calls after which there may be files, or another folder, that were not there when the program was started.
_CHANGES = re.compile(
    r"(?i)download|extract|save|dump|write|copy|move|rename|retrieve|chdir|unpack|export|clone|fetch|touch|symlink|"
    r"snapshot|generate|create|make_archive|^to_(?:csv|pickle|json|parquet|file|disk|excel)$"
)
_CHANGING = ("subprocess.", "os.system", "os.popen", "os.spawn", "requests.", "urllib.", "wget.", "gdown.", "shutil.",
             "zipfile.", "tarfile.", "git.", "boto3.", "sys.path")  # fmt: skip
_PATCHES = re.compile(r"(?i)patch|^setattr$|^install$|^exec$|^eval$")


class Kind(StrEnum):
    """How something is tried."""

    CALL = "call"  # its expression is worked out
    NAME = "name"  # a dotted name is looked up part by part
    MODULE = "module"  # it is found, and read as Python; nothing of it is run
    PROGRAM = "program"  # a file is read as Python


@dataclass(frozen=True)
class Asked:
    """Something that a program asks for. ``label``: as its text has it; ``line``: from 1, in ``file``.

    ``imports``: the statements that it passed before; ``expression``: what is worked out, and what reads of that
    (``then``); "" where nothing is tried. ``keywords``: with which a name is called. ``is_first``: the program called
    nothing of that package before. ``path``: of the file or folder that it names; ``is_model``: read like a model.
    ``row``: of the call that only reads.
    """

    label: str
    file: str
    line: int
    imports: tuple[str, ...] = ()
    expression: str = ""
    then: str = ""
    kind: Kind = Kind.CALL
    keywords: tuple[str, ...] = ()
    is_first: bool = False
    path: str = ""
    is_model: bool = False
    row: ReadingCall | None = None


def asked_by_program(path: Path, installed: Mapping[str, str]) -> tuple[Asked, ...]:
    """What a program asks for, in its order. ``installed``: distribution -> version."""
    path = path.absolute()
    whole = Asked(label=path.name, file=str(path), line=1, expression=str(path), kind=Kind.PROGRAM)
    found: dict[str, Asked] = {} if path.suffix == NOTEBOOK else {whole.label: whole}
    project = Project(path.parent)
    try:
        entry = project.read(path)
    except (Unreadable, OSError):
        return tuple(found.values())
    try:
        for asked in _Asking(StraightWay(project, entry), installed).all():
            found.setdefault(asked.label, asked)
            if len(found) >= MOST:
                break
    except RecursionError:
        pass  # what was found by then stands
    return tuple(found.values())


def is_only_program(path: Path, others: list[Path]) -> bool:
    """Whether a file is the one program of its folder: it does something, and no other one does."""
    project = Project(path.absolute().parent)
    acting = []
    for each in (path, *others):
        try:
            module = project.read(each.absolute())
        except (Unreadable, OSError):
            continue
        if is_entry(module) and not is_test(module):
            acting.append(each)
    return acting == [path]


class _Asking:
    """One way, and what happened on it so far."""

    def __init__(self, way: StraightWay, installed: Mapping[str, str]) -> None:
        self._way = way
        self._installed = installed
        self._names_are_sure = True
        self._files_are_sure = True
        self._variables_are_sure = True
        self._streams_are_sure = True
        self._paths_are_sure = True
        self._patched: set[str] = set()
        self._called: set[str] = set()  # packages
        self._noted: set[Scope] = set()

    def all(self) -> Iterator[Asked]:
        for event in self._way.events():
            if isinstance(event, Passed):
                self._note(event.node, event.module, event.scope)
            elif isinstance(event, Needed):
                yield from self._module(event)
            elif isinstance(event.node, ast.Call):
                yield from self._calls(event)
            elif isinstance(event.node, ast.Attribute):
                yield from self._name(event, event.node)
            elif isinstance(event.node, ast.Subscript):
                yield from self._variable(event)

    def _module(self, needed: Needed) -> Iterator[Asked]:
        if self._paths_are_sure and not is_standard(needed.name):
            yield replace(
                self._at(needed.module, needed.node, f"import {needed.name}"),
                expression=needed.name,
                kind=Kind.MODULE,
            )

    def _calls(self, seen: Seen) -> Iterator[Asked]:
        node = seen.node
        assert isinstance(node, ast.Call)  # noqa: S101 - as it was looked for
        meaning = seen.module.names.called(node, seen.scope)
        keywords = tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        if keywords and isinstance(node.func, ast.Name | ast.Attribute):
            yield from self._name(seen, node.func, keywords)
        yield from self._reading(seen, node)
        if meaning == "builtins.print" and self._streams_are_sure:
            yield from self._printed(seen, node)
        self._called.add(meaning.partition(".")[0])

    def _printed(self, seen: Seen, node: ast.Call) -> Iterator[Asked]:
        """The characters that it prints and that not every terminal has."""
        texts = [
            each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        strange = "".join(dict.fromkeys(char for text in texts for char in text if not char.isascii()))
        if strange and not any(keyword.arg == "file" for keyword in node.keywords):
            yield replace(
                self._at(seen.module, node, ast.unparse(node)),
                expression=f"{strange[:100]!r}.encode(__import__('sys').stdout.encoding)",
            )

    def _name(self, seen: Seen, node: ast.expr, keywords: tuple[str, ...] = ()) -> Iterator[Asked]:
        """A dotted name of an installed package."""
        parts: list[str] = []
        root = node
        while isinstance(root, ast.Attribute):
            parts.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name) or len(parts) > _DEEPEST or not self._names_are_sure:
            return
        needed = self._way.imports.get((seen.module, root.id))
        bindings = _bindings(root.id, seen.scope)
        meaning = seen.module.names.meaning(node, seen.scope)
        package = meaning.partition(".")[0]
        if needed is None or len(bindings) != 1 or is_standard(_module_of(needed)) or meaning.startswith((OWN, "?")):
            return
        if any(meaning == patched or meaning.startswith(patched + ".") for patched in self._patched):
            return
        dotted = ".".join((root.id, *parts))
        given = f"({', '.join(f'{keyword}=' for keyword in keywords)})" if keywords else ""
        yield replace(
            self._at(seen.module, node, dotted + given),
            imports=self._imports(),
            expression=dotted,
            kind=Kind.NAME,
            keywords=keywords,
            is_first=package not in self._called,
        )

    def _reading(self, seen: Seen, node: ast.Call) -> Iterator[Asked]:
        """A call that only reads."""
        closing = Closing(self._way, self._installed)
        try:
            closed = closing.close(node, seen.module, seen.scope, node.lineno + 1)
        except Open:
            yield from self._named_alone(seen, node)
            return
        assert isinstance(closed, ast.Call)  # noqa: S101 - a call stays one
        row = closing.calls[closed][1]
        rows = [each for _, each in closing.calls.values()]
        if not self._is_sure(rows, closing):
            return
        where = argument(closed, row)
        path = closing.path_in(where) if where is not None else ""
        expression = ast.unparse(closed)
        if row.instead:
            expression = row.instead.replace("{path}", repr(path)) if path else ""
        asked = replace(
            self._at(seen.module, node, ast.unparse(node)),
            imports=self._imports(),
            expression=expression if row.is_tried else "",
            then=row.then,
            path=path or next((closing.path_in(each) for each in _paths(closed, closing)), ""),
            is_model=row.is_model,
            row=row,
        )
        if (row.is_tried or row.is_model) and len(asked.expression) <= _LONGEST:
            yield asked

    def _named_alone(self, seen: Seen, node: ast.Call) -> Iterator[Asked]:
        """Of a call that cannot be tried the model that it names."""
        from checks.knowledge.scripts.reading_calls import reading_call

        row = reading_call(seen.module.names.called(node, seen.scope))
        where = argument(node, row) if row is not None and row.is_model else None
        if where is None or row is None or not self._files_are_sure:
            return
        closing = Closing(self._way, self._installed)
        try:
            path = closing.path_in(closing.close(where, seen.module, seen.scope, node.lineno + 1))
        except Open:
            return
        if path:
            yield replace(self._at(seen.module, node, ast.unparse(node)), path=path, is_model=True, row=row)

    def _variable(self, seen: Seen) -> Iterator[Asked]:
        """A variable without which the program does not go on: ``os.environ["NAME"]``."""
        assert isinstance(seen.node, ast.Subscript)  # noqa: S101 - as it was looked for
        closing = Closing(self._way, self._installed)
        if not self._variables_are_sure or seen.module.names.meaning(seen.node.value, seen.scope) != "os.environ":
            return
        try:
            closed = closing.close(seen.node, seen.module, seen.scope, seen.node.lineno + 1)
        except Open:
            return
        yield replace(
            self._at(seen.module, seen.node, ast.unparse(seen.node)),
            imports=self._imports(),
            expression=ast.unparse(closed),
        )

    def _is_sure(self, rows: list[ReadingCall], closing: Closing) -> bool:
        reads_files = any(row.path is not None or row.then or row.is_tried for row in rows)
        if reads_files and not self._files_are_sure:
            return False
        hangs_on_variables = bool(closing.variables) or any(row.is_of_hub or row.downloads for row in rows)
        return self._variables_are_sure or not hangs_on_variables

    def _imports(self) -> tuple[str, ...]:
        """All that it passed: one may bring what another one's package offers then."""
        return tuple(dict.fromkeys(self._way.imports.values()))

    def _at(self, module: Module, node: ast.expr | ast.stmt, label: str) -> Asked:
        line = module.source.place(node.lineno, 0).line
        return Asked(label=label[:_LONGEST_LABEL], file=str(module.path), line=line)

    def _note(self, top: ast.AST, module: Module, scope: Scope) -> None:
        """What a statement may have changed, whether or not it was run."""
        for node in ast.walk(top):
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                meaning = module.names.meaning(node.value if isinstance(node, ast.Subscript) else node, scope)
                self._variables_are_sure &= not meaning.startswith("os.environ")
                self._paths_are_sure &= not meaning.startswith(("sys.path", "sys.modules", "sys.meta_path"))
                self._streams_are_sure &= not meaning.startswith("sys.std")
                self._patched.add(meaning)
            elif isinstance(node, ast.Call):
                self._note_call(node, module, scope)

    def _note_call(self, node: ast.Call, module: Module, scope: Scope) -> None:
        meaning = module.names.called(node, scope)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if meaning.startswith("os.environ.") and last not in ("get", "copy", "keys", "items"):
            self._variables_are_sure = False
        if "dotenv" in meaning or "putenv" in meaning:
            self._variables_are_sure = False
        if _CHANGES.search(last) or meaning.startswith(_CHANGING) or _is_write(node, last):
            self._files_are_sure = False
        if _PATCHES.search(last):
            self._names_are_sure = False
        if last in ("reconfigure", "TextIOWrapper", "getwriter"):
            self._streams_are_sure = False
        if meaning.startswith("sys.path"):
            self._paths_are_sure = False
        if meaning.startswith(OWN):
            entity = self._way.project.entity(meaning)
            if entity is not None and isinstance(entity.what, Scope) and entity.what not in self._noted:
                self._noted.add(entity.what)
                self._note(entity.what.node, entity.module, entity.what)


def _paths(closed: ast.Call, closing: Closing) -> Iterator[ast.expr]:
    """The arguments that name files, of all calls within one."""
    for call, (_, row) in closing.calls.items():
        where = argument(call, row)
        if where is not None and call is not closed:
            yield where


def _is_write(node: ast.Call, last: str) -> bool:
    modes = [each.value for each in (*node.args[:2], *(keyword.value for keyword in node.keywords))
             if isinstance(each, ast.Constant) and isinstance(each.value, str)]  # fmt: skip
    return last == "open" and any(len(mode) <= 3 and set(mode) & set("wax") for mode in modes)


def _bindings(name: str, scope: Scope) -> list[object]:
    where: Scope | None = scope
    while where is not None and name not in where.bound:
        where = where.parent
    return list(where.bound[name]) if where is not None else []


def _module_of(statement: str) -> str:
    return statement.split()[1].partition(".")[0]


def names_defined(path: Path) -> tuple[str, ...] | None:
    """The names that a program has when it runs by itself; None where a star, or its text, leaves that open."""
    project = Project(path.absolute().parent)
    try:
        root = project.read(path.absolute()).walk.root
    except (Unreadable, OSError):
        return None
    return None if root.stars else tuple(sorted(root.bound))
