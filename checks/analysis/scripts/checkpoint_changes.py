"""The optimiser's state in a checkpoint: put in where it is saved, and given back where it is loaded."""

from __future__ import annotations

import ast

from checks.analysis.scripts.changes import at_end_of, line_behind
from checks.analysis.scripts.registry import Change
from checks.readers.scripts.runs import Run, Step
from checks.readers.scripts.scopes import Bound, Scope

_KEY = "optimizer"


def completed(run: Run, save: Step, saved: ast.expr) -> tuple[Change, ...]:
    """The change of both places; () where the text does not say which optimiser it is, or the program never resumes."""
    optimiser = _optimiser_in(save)
    loaded = [step for step in run.steps if step.meaning == "torch.load"]
    if not isinstance(saved, ast.Dict) or None in saved.keys or not saved.keys or optimiser is None or len(loaded) != 1:
        return ()
    kept = at_end_of(save.module, saved, [*saved.values], f'"{_KEY}": {optimiser}.state_dict()')
    given_back = _given_back(loaded[0], save)
    return (*kept, *given_back) if given_back else ()


def _optimiser_in(step: Step) -> str | None:
    """The name of the one optimiser that a scope makes."""
    names = [
        name
        for name, bindings in step.scope.bound.items()
        if len(bindings) == 1
        and isinstance(bindings[0], Bound)
        and isinstance(bindings[0].value, ast.Call)
        and bindings[0].how == "="
        and step.meaning_of(bindings[0].value.func).startswith("torch.optim.")
        and "lr_scheduler" not in step.meaning_of(bindings[0].value.func)
    ]
    return names[0] if len(names) == 1 else None


def _given_back(load: Step, save: Step) -> tuple[Change, ...]:
    """Lines behind the one that gives the model its state, where the same scope has made the optimiser by then."""
    optimiser = _optimiser_in(load)
    checkpoint = loaded_name(load)
    if optimiser is None or checkpoint is None or load.scope is not save.scope:
        return ()
    made = _line_of(load.scope, optimiser)
    for call in load.scope.calls:
        is_given = (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "load_state_dict"
            and call.lineno > max(load.call.lineno, made)
            and any(isinstance(node, ast.Name) and node.id == checkpoint for node in ast.walk(call))
        )
        statement = load.module.walk.statement_of(call)
        if is_given and isinstance(statement, ast.Expr) and statement.value is call:
            lines = [
                f'if "{_KEY}" in {checkpoint}:  # an older checkpoint lacks it',
                f'    {optimiser}.load_state_dict({checkpoint}["{_KEY}"])',
            ]
            return line_behind(load.module, statement, lines)
    return ()


def loaded_name(load: Step) -> str | None:
    """The variable that gets what is loaded."""
    parent = load.module.walk.parents.get(load.call)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        return parent.targets[0].id
    return None


def _line_of(scope: Scope, name: str) -> int:
    (binding,) = scope.bound[name]
    value = getattr(binding, "value", None)
    return value.end_lineno or value.lineno if isinstance(value, ast.expr) else 0
