"""Comments by which somebody keeps a rule silent: ``# naosu: ignore``, ``ignore[rule, ...]`` and ``ignore-file``."""

from __future__ import annotations

import ast
import re

from checks.readers.scripts.project import Module

_COMMENT = re.compile(r"#\s*naosu:\s*ignore(?P<file>-file)?(?:\[(?P<rules>[\w\s,-]*)\])?")


def is_suppressed(module: Module, node: ast.AST, rule: str) -> bool:
    """Whether a comment on a line of the statement, on the line before it, or anywhere for the file says so."""
    if "naosu:" not in module.source.text:
        return False
    rows = module.source.rows
    if any("naosu:" in row and says(row, rule, is_file=True) for row in rows):
        return True
    statement = module.walk.statement_of(node) if node in module.walk.parents else node
    line = getattr(node, "lineno", 1)
    first = getattr(statement, "lineno", line)
    lines = {line, first, getattr(node, "end_lineno", line)}
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.With | ast.For | ast.If | ast.While | ast.Try):
        lines.add(getattr(statement, "end_lineno", line))
    before = {each - 1 for each in (line, first) if each > 1 and rows[each - 2].lstrip().startswith("#")}
    return any(says(rows[each - 1], rule) for each in lines | before if 0 < each <= len(rows))


def says(row: str, rule: str, *, is_file: bool = False) -> bool:
    """Whether the comment on a row keeps a rule silent; with ``is_file`` one for the whole file."""
    found = _COMMENT.search(row)
    if found is None or bool(found["file"]) != is_file:
        return False
    return found["rules"] is None or rule in (name.strip() for name in found["rules"].split(","))
