"""Constant values of expressions, as far as a program's text decides them."""

from __future__ import annotations

import ast

from checks.readers.scripts.project import Module
from checks.readers.scripts.scopes import Bound, Scope


class Unknown:
    """Not decided by the text."""


UNKNOWN = Unknown()


def value_of(node: ast.expr | None, module: Module, scope: Scope, depth: int = 0) -> object:
    """The value of an expression: a constant, also through a name that is assigned once; UNKNOWN otherwise."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = value_of(node.operand, module, scope, depth)
        return -value if isinstance(value, int | float) else UNKNOWN
    if isinstance(node, ast.Name) and depth < 10:
        where: Scope | None = scope
        while where is not None:
            if node.id in where.bound:
                bindings = where.bound[node.id]
                only = bindings[0] if len(bindings) == 1 else None
                if isinstance(only, Bound) and only.value is not None and only.how == "=":
                    return value_of(only.value, module, where, depth + 1)
                return UNKNOWN
            where = where.parent
    return UNKNOWN
