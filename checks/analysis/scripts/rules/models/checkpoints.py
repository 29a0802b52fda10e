"""Checkpoints that lack what a training needs to go on as if it had never stopped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from checks.analysis.scripts.checkpoint_changes import completed, loaded_name
from checks.analysis.scripts.registry import Mark, run_rule
from checks.analysis.scripts.signs import shown, trains
from checks.readers.scripts.runs import Run, Step, is_test
from checks.readers.scripts.scopes import Bound, Scope

_PROGRESS = re.compile(r"epoch|iter|step|round", re.IGNORECASE)
_OPTIMISER = re.compile(r"opt|trainer|\brng\b", re.IGNORECASE)
_TRAINS = ("backward", "fit", "run")
_RESUMES = re.compile(r"resum|start_epoch|last_epoch|continu\w*[ _](?:the[ _])?train", re.IGNORECASE)


@run_rule("checkpoint-incomplete")
def checkpoint_incomplete(run: Run) -> Iterator[Mark]:
    """``torch.save`` of the progress, or in a program that resumes, without the state of the optimiser."""
    if is_test(run.entry) or not _goes_on(run):
        return
    resumes, whole = _resumes(run), _whole_models(run)
    for step in run.steps:
        if step.meaning != "torch.save" or not step.call.args:
            continue
        saved = step.call.args[0]
        if isinstance(saved, ast.Name) and saved.id in whole and not _saves_optimiser(run):
            yield Mark(step.module, step.call, "torch.save", {"call": shown(step)})
            continue
        entries = _entries(step, saved)
        if entries is None:
            if resumes and _is_state(saved) and not _saves_optimiser(run):
                yield Mark(step.module, step.call, "torch.save", {"call": shown(step)})
            continue
        text = " ".join(entries)
        has_model = "state_dict" in text or "model" in text or "net" in text
        is_checkpoint = resumes or any(_PROGRESS.search(key) for key in entries[::2])
        if has_model and is_checkpoint and not _OPTIMISER.search(text) and not _saves_optimiser(run):
            yield Mark(step.module, step.call, "torch.save", {"call": shown(step)}, changes=completed(run, step, saved))


@run_rule("resume-incomplete")
def resume_incomplete(run: Run) -> Iterator[Mark]:
    """``torch.load`` in a program that goes on with a training, and gives the optimiser nothing back."""
    if is_test(run.entry) or not _goes_on(run):
        return
    whole = _whole_models(run)
    if not (_resumes(run) or whole):
        return
    loads = [
        step for step in run.steps if step.meaning.endswith(".load_state_dict") or _attribute(step) == "load_state_dict"
    ]
    if any(_is_of_optimiser(step) for step in loads) or not (loads or whole):
        return
    trained = next((at for at, step in enumerate(run.steps) if _attribute(step) in _TRAINS), len(run.steps))
    opened = (step for step in run.steps[:trained] if step.meaning == "torch.load")
    first = next((step for step in opened if loads or loaded_name(step) in whole), None)
    if first is not None:  # what is loaded behind the training is only asked
        yield Mark(first.module, first.call, "torch.load", {"call": shown(first)})


def _goes_on(run: Run) -> bool:
    """Whether a run has an optimiser and trains, and does not only ask a model that has one."""
    return trains(run) and _has_optimiser(run) and any(_attribute(step) in _TRAINS for step in run.steps)


def _resumes(run: Run) -> bool:
    """Whether a run loads what it saved, to go on with it."""
    if "torch.load" not in run.called or not any(_attribute(step) == "load_state_dict" for step in run.steps):
        return False
    return any(_RESUMES.search(module.source.text) for module in run.modules)


def _whole_models(run: Run) -> set[str]:
    """The variables of a program that resumes whose whole model it saves, and gets back by loading it."""
    if not any(_RESUMES.search(module.source.text) for module in run.modules):
        return set()
    saves = (step.call.args[0] for step in run.steps if step.meaning == "torch.save" and step.call.args)
    saved = {given.id for given in saves if isinstance(given, ast.Name)}
    return saved & {loaded_name(step) for step in run.steps if step.meaning == "torch.load"} & _models(run)


def _models(run: Run) -> set[str]:
    """The variables on which ``.parameters()`` is called: models."""
    called = (step.call.func for step in run.steps if _attribute(step) == "parameters")
    return {func.value.id for func in called if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)}


def _has_optimiser(run: Run) -> bool:
    return any(re.match(r"torch\.optim\.(?!lr_scheduler)", meaning) for meaning in run.called)


def _is_of_optimiser(step: Step) -> bool:
    if not isinstance(step.call.func, ast.Attribute):
        return False
    receiver = ast.unparse(step.call.func.value)
    meaning = step.meaning_of(step.call.func.value)
    return bool(_OPTIMISER.search(receiver)) or meaning.startswith("torch.optim.") or receiver in ("self", "obj", "v")


def _saves_optimiser(run: Run) -> bool:
    """Whether the state of an optimiser is asked for anywhere, to be saved beside."""
    return any(_attribute(step) == "state_dict" and _is_of_optimiser(step) for step in run.steps)


def _attribute(step: Step) -> str:
    return step.call.func.attr if isinstance(step.call.func, ast.Attribute) else ""


def _is_state(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "state_dict"


def _entries(step: Step, saved: ast.expr, depth: int = 0) -> list[str] | None:
    """Keys and values of a saved dict, one behind the other; None: it is none, or unknown."""
    if isinstance(saved, ast.Dict):
        if any(key is None for key in saved.keys):
            return None
        pairs = zip(saved.keys, saved.values, strict=True)
        return [ast.unparse(part) for pair in pairs for part in pair if part is not None]
    if isinstance(saved, ast.Call) and step.meaning_of(saved.func) == "builtins.dict" and not saved.args:
        return [part for each in saved.keywords if each.arg for part in (each.arg, ast.unparse(each.value))]
    if isinstance(saved, ast.Name) and depth == 0:
        where: Scope | None = step.scope
        while where is not None and saved.id not in where.bound:
            where = where.parent
        bindings = where.bound[saved.id] if where is not None else []
        if len(bindings) == 1 and isinstance(bindings[0], Bound) and bindings[0].value is not None and where:
            found = _entries(step, bindings[0].value, 1)
            stored = [
                ast.unparse(target) for target, _ in where.stores if ast.unparse(target).startswith(f"{saved.id}[")
            ]
            return None if found is None else [*found, *(part for each in stored for part in (each, each))]
    return None
