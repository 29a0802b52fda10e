"""The lines that seed a generator, and where they belong in a program."""

from __future__ import annotations

import ast

from checks.analysis.scripts.changes import line_before, line_behind
from checks.analysis.scripts.registry import Change
from checks.knowledge.scripts.generators import seeded_by
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Run, Step
from checks.readers.scripts.scopes import Imported

SEED = 42
_SEEDS = {
    "python": ("random", "random.seed({seed})"),
    "numpy": ("numpy", "{numpy}.random.seed({seed})"),
    "torch": ("torch", "{torch}.manual_seed({seed})"),
    "tensorflow": ("tensorflow", "{tensorflow}.random.set_seed({seed})"),
    "cupy": ("cupy", "{cupy}.random.seed({seed})"),
    "paddle": ("paddle", "{paddle}.seed({seed})"),
}
_USUAL = {"numpy": "np", "tensorflow": "tf", "cupy": "cp"}


def seeding(run: Run, generator: str, seeds: list[Step], first: Step) -> tuple[Change, ...]:
    """The change that seeds a generator: beside a seed of another one with its value, else behind the imports."""
    if generator not in _SEEDS:
        return ()
    module = run.entry
    beside = next((step for step in seeds if _is_plain(step, module)), None)
    if beside is not None:
        statement = module.walk.statement_of(beside.call)
        value = ast.get_source_segment(module.source.text, beside.call.args[0]) or str(SEED)
        if "\n" not in value:
            name, lines = _lines(module, generator, value, behind=statement)
            return line_behind(module, statement, lines) if name else ()
    until = first.call.lineno if first.module is module and first.scope is module.walk.root else None
    anchor = _first_act(module, until)[1]
    if anchor is None:
        return ()
    _, lines = _lines(module, generator, str(SEED), behind=anchor)
    return behind_imports(module, lines, until)


def _is_plain(step: Step, module: Module) -> bool:
    """Whether a call seeds as a statement of its own, with one value, where the run surely comes by."""
    statement = module.walk.statement_of(step.call) if step.module is module else None
    return (
        isinstance(statement, ast.Expr)
        and statement.value is step.call
        and len(step.call.args) == 1
        and not step.call.keywords
        and bool(seeded_by(step.meaning))
        and step.is_certain
    )


def _lines(module: Module, generator: str, seed: str, behind: ast.stmt) -> tuple[str, list[str]]:
    package, template = _SEEDS[generator]
    name = _name_of(module, package, behind)
    lines = []
    if name is None:
        name = _USUAL.get(package, package)
        if name in module.walk.root.bound:  # it stands for something else here
            name = f"{package}_module"
        lines.append(f"import {package}" + ("" if name == package else f" as {name}"))
    code = template.replace("random.seed", f"{name}.seed") if package == "random" else template
    return name, [*lines, code.replace("{" + package + "}", name).replace("{seed}", seed)]


def _name_of(module: Module, package: str, behind: ast.stmt) -> str | None:
    """The name by which a module imported a package before a line; None: it did not."""
    root = module.walk.root
    for node in root.imports:
        if isinstance(node, ast.Import) and node.lineno < behind.lineno and module.walk.parents[node] is root.node:
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                is_it = alias.name == package if alias.asname else alias.name.partition(".")[0] == package
                if is_it and all(isinstance(each, Imported) for each in root.bound.get(bound, ())):
                    return bound
    return None


def behind_imports(module: Module, lines: list[str], until: int | None = None) -> tuple[Change, ...]:
    """Lines behind the imports at the beginning of a module, at the latest before that of the line ``until``.

    Where a function or class follows they stand below the imports, apart from it and from a comment above it.
    """
    last, anchor = _first_act(module, until)
    imports = [line for line in lines if line.startswith("import ")]
    top = _first_import(module) if imports and last is not None else None
    above = line_before(module, top, imports) if top is not None else ()
    rest = [line for line in lines if line not in imports] if above else [*lines, *([""] if imports == lines else [])]
    if not rest:
        return above
    if last is not None and isinstance(anchor, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        changes = line_behind(module, last, ["", *rest])
        if changes:
            return (*above, *changes)
    changes = line_before(module, anchor, rest) if anchor is not None else ()
    return (*above, *changes) if changes else ()


def _first_import(module: Module) -> ast.stmt | None:
    """The first import of a module, behind those of ``__future__``."""
    return next(
        (
            node
            for node in module.source.tree.body
            if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__")
        ),
        None,
    )


def _first_act(module: Module, until: int | None = None) -> tuple[ast.stmt | None, ast.stmt | None]:
    """The last of the imports at the beginning of a module, and the statement behind it."""
    body = module.source.tree.body
    last = -1
    for index, statement in enumerate(body):
        if until is not None and (statement.end_lineno or 0) >= until:
            break
        if _is_head(statement, index):
            last = index
        elif not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Pass):
            break
    return body[last] if last >= 0 else None, body[last + 1] if last + 1 < len(body) else None


def _is_head(statement: ast.stmt, index: int) -> bool:
    """A docstring, an import, or a try around imports."""
    if index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    inner = statement.body if isinstance(statement, ast.Try) else [statement]
    return any(isinstance(each, ast.Import | ast.ImportFrom) for each in inner)
