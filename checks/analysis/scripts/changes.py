"""Changes of a program's text that keep its formatting: only what has to change is touched."""

from __future__ import annotations

import ast

from checks.analysis.scripts.registry import Change
from checks.readers.scripts.project import Module


def replaced(node: ast.AST, text: str) -> tuple[Change, ...]:
    """Another text instead of a node's."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    return (Change(line, column, getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column), text),)


def wrapped(node: ast.expr, before: str, after: str) -> tuple[Change, ...]:
    """A text before a node and one behind it."""
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (
        Change(node.lineno, node.col_offset, node.lineno, node.col_offset, before),
        Change(end_line, end, end_line, end, after),
    )


def with_argument(module: Module, call: ast.Call, text: str) -> tuple[Change, ...]:
    """One more argument at the end of a call ("random_state=0"), or instead of one of the same name."""
    name, _, value = text.partition("=")
    for keyword in call.keywords:
        if keyword.arg == name:
            return replaced(keyword.value, value)
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return () if any(isinstance(each, ast.GeneratorExp) for each in given) else at_end_of(module, call, given, text)


def at_end_of(module: Module, holder: ast.Call | ast.Dict, given: list[ast.expr], text: str) -> tuple[Change, ...]:
    """One more part behind the last of those that a call or dict holds."""
    last_line, last = holder.end_lineno or holder.lineno, (holder.end_col_offset or 1) - 1
    if not given:
        return (Change(last_line, last, last_line, last, text),)
    ends = max((each.end_lineno or 0, each.end_col_offset or 0) for each in given)
    line, column = _behind_brackets(module, ends, (last_line, last))
    return (Change(line, column, line, column, f", {text}"),)


def _behind_brackets(module: Module, first: tuple[int, int], last: tuple[int, int]) -> tuple[int, int]:
    """The place behind the brackets that close around an argument, before a comma or comment."""
    place = first
    for line in range(first[0], last[0] + 1):
        row = module.source.rows[line - 1].encode()
        start = first[1] if line == first[0] else 0
        for column in range(start, last[1] if line == last[0] else len(row)):
            letter = row[column : column + 1]
            if letter == b",":
                return place
            if letter == b"#":
                break
            if letter == b")":
                place = (line, column + 1)
    return place


def with_first(call: ast.Call, text: str) -> tuple[Change, ...]:
    """Another first argument of a call, or its only one."""
    if call.args:
        return replaced(call.args[0], text)
    if call.keywords:
        return ()
    line, column = call.end_lineno or call.lineno, (call.end_col_offset or 1) - 1
    return (Change(line, column, line, column, text),)


def moved_before(module: Module, statement: ast.stmt, target: ast.stmt) -> tuple[Change, ...]:
    """A statement of one line before another one of the same block; () where it does not stand alone on its line."""
    row = module.source.rows[statement.lineno - 1]
    is_alone = (
        not module.source.lines  # a cell of a notebook is a list of lines, of which none goes without its comma
        and statement.lineno == statement.end_lineno
        and statement.col_offset == target.col_offset
        and row.encode()[: statement.col_offset].strip() == b""
        and row.encode()[statement.end_col_offset or 0 :].strip() == b""
        and module.walk.parents[statement] is module.walk.parents[target]
        and _is_imported_before(module, statement, target)
    )
    before = line_before(module, target, [row.strip()]) if is_alone else ()
    gone = Change(statement.lineno, 0, statement.lineno + 1, 0, "")
    return (*before, gone) if before and statement.lineno < len(module.source.rows) else ()


def _is_imported_before(module: Module, statement: ast.stmt, target: ast.stmt) -> bool:
    """Whether what a statement names of other packages is imported above the place to which it is moved."""
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    above: set[str] = set()
    below: set[str] = set()
    for node in module.walk.root.imports:
        bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        (above if node.lineno < target.lineno else below).update(bound)
    return not names & (below - above)


def line_before(module: Module, statement: ast.stmt, lines: list[str]) -> tuple[Change, ...]:
    """Lines of their own before a statement, as deep as this one; () where something stands before it on its line."""
    first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", []))])
    row = module.source.rows[first - 1].encode()
    indent = row[: statement.col_offset]
    if indent.strip():
        return ()
    text = "".join(f"{indent.decode()}{line}\n" for line in lines)
    return (Change(first, 0, first, 0, text),)


def line_behind(module: Module, statement: ast.stmt, lines: list[str]) -> tuple[Change, ...]:
    """Lines of their own behind a statement, as deep as this one; () where something stands beside it on its line."""
    row = module.source.rows[statement.lineno - 1].encode()
    last = statement.end_lineno or statement.lineno
    end = module.source.rows[last - 1].encode()
    indent = row[: statement.col_offset]
    rest = end[statement.end_col_offset or 0 :].strip()
    if indent.strip() or (rest and not rest.startswith(b"#")):
        return ()
    text = "".join(f"\n{indent.decode()}{line}" for line in lines)
    return (Change(last, len(end), last, len(end), text),)
