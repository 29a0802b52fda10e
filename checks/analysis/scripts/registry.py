"""The rules, as they are declared and found: a module in a room of rules/ with one or more functions.

``@run_rule("id")`` looks at what the start of a file does; ``@module_rule("id")`` at each file alone, started or not.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from checks.analysis.scripts import rules
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Run
from checks.readers.scripts.scopes import Scope


@dataclass(frozen=True)
class Change:
    """A change of a module's text, from one line and column (bytes, from 0) to another, as the syntax tree counts."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Mark:
    """What a rule says: where, of what, and the change that is offered. ``node`` names the place."""

    module: Module
    node: ast.AST
    subject: str = ""
    values: dict[str, str] = field(default_factory=dict)
    severity: str = ""
    changes: tuple[Change, ...] = ()
    changed: Module | None = None  # where that is another module than the marked one


@dataclass(eq=False)
class ModuleView:
    """A module by itself: its calls with their meanings."""

    module: Module

    def calls(self) -> tuple[tuple[Scope, ast.Call, str], ...]:
        """Every call with its scope and the meaning of what is called."""
        return self._calls

    @functools.cached_property
    def _calls(self) -> tuple[tuple[Scope, ast.Call, str], ...]:
        names = self.module.names
        return tuple(
            (scope, call, names.called(call, scope))
            for scope in self.module.walk.scopes.values()
            for call in scope.calls
        )


RunRule = Callable[[Run], Iterator[Mark]]
ModuleRule = Callable[[ModuleView], Iterator[Mark]]

_RUN: dict[str, list[RunRule]] = {}
_MODULE: dict[str, list[ModuleRule]] = {}


def run_rule(name: str) -> Callable[[RunRule], RunRule]:
    """Declare a rule about runs, by its id."""

    def declared(rule: RunRule) -> RunRule:
        _RUN.setdefault(name, []).append(rule)
        return rule

    return declared


def module_rule(name: str) -> Callable[[ModuleRule], ModuleRule]:
    """Declare a rule about single modules, by its id."""

    def declared(rule: ModuleRule) -> ModuleRule:
        _MODULE.setdefault(name, []).append(rule)
        return rule

    return declared


@functools.cache
def run_rules() -> dict[str, list[RunRule]]:
    """The rules about runs."""
    _load()
    return _RUN


@functools.cache
def module_rules() -> dict[str, list[ModuleRule]]:
    """The rules about single modules."""
    _load()
    return _MODULE


def _load() -> None:
    for found in sorted(pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."), key=lambda module: module.name):
        importlib.import_module(found.name)
