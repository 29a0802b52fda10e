"""A GPU that is named in the program, where nothing asks whether there is one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced
from checks.analysis.scripts.registry import Change, Mark, run_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Run, Step, is_test

_ASKS = (
    "is_available", "device_count", "get_device_capability", "current_accelerator", "is_built", "get_device",
    "list_physical_devices", "get_accelerator", "select_device",
)  # fmt: skip
_TRAINERS = ("lightning.Trainer", "lightning.Fabric")
# Of torch.cuda: what works without a GPU as well.
_HARMLESS = ("torch.cuda.is_available", "torch.cuda.manual_seed", "torch.cuda.empty_cache", "torch.cuda.amp.")


@run_rule("device-hard-coded")
def device_hard_coded(run: Run) -> Iterator[Mark]:
    """The first place of each file, in a run that never asks for a GPU and is not told by an argument which."""
    if is_test(run.entry) or any(_asks(step) for step in run.steps):
        return
    places = [(step, device) for step in run.steps if (device := _device(step)) and not _is_conditional(step)]
    changes = _changes(run, places)
    told: set[Module] = set()
    for step, device in places:
        if step.module not in told:
            told.add(step.module)
            yield Mark(step.module, step.call, device, {"device": device}, changes=changes)


def _changes(run: Run, places: list[tuple[Step, str]]) -> tuple[Change, ...]:
    """All places together, of one file: one that is left would meet tensors on another device."""
    needs_gpu = any(meaning.startswith("torch.cuda.") and not meaning.startswith(_HARMLESS) for meaning in run.called)
    if needs_gpu or len({step.module for step, _ in places}) != 1:
        return ()
    found = [_change(step, device) for step, device in places]
    return tuple(change for changes in found for change in changes) if all(found) else ()


def _change(step: Step, device: str) -> tuple[Change, ...]:
    """The GPU where there is one, in the place of a constant or of ``.cuda()``."""
    call, func = step.call, step.call.func
    if step.meaning in _TRAINERS:
        given = step.argument("accelerator")
        return replaced(given, '"auto"') if isinstance(given, ast.Constant) else ()
    if step.module.names.name("torch", step.scope) != "torch" or step.meaning.startswith("tensorflow."):
        return ()
    choice = f'"{device}" if torch.cuda.is_available() else "cpu"'
    if isinstance(func, ast.Attribute) and func.attr == "cuda":
        if call.args or call.keywords:
            return ()
        base = func.value
        end_line, end = call.end_lineno or call.lineno, call.end_col_offset or 0
        start = base.end_lineno or base.lineno, base.end_col_offset or 0
        return (Change(*start, end_line, end, f".to({choice})"),)
    named = [each for each in _given(step) if isinstance(each, ast.Constant) and each.value == device]
    return replaced(named[0], choice) if len(named) == 1 else ()


def _asks(step: Step) -> bool:
    name = step.call.func.attr if isinstance(step.call.func, ast.Attribute) else step.meaning.rpartition(".")[2]
    if name in _ASKS:
        return True
    if name == "add_argument":
        given = " ".join(ast.unparse(each) for each in step.call.args).lower()
        return any(word in given for word in ("cuda", "gpu", "device", "cpu"))
    return False


def _device(step: Step) -> str:
    """The GPU that a call names: "cuda:0"; "" where it names none."""
    call = step.call
    if _method(call) == "cuda" and not step.meaning.startswith(("torch.cuda", "torch.version")):
        return "cuda"
    if step.meaning == "torch.cuda.set_device" and call.args and isinstance(call.args[0], ast.Constant):
        return "cuda:" + ast.unparse(call.args[0])
    if step.meaning in _TRAINERS:
        return _of_trainer(step)
    for each in _given(step):
        value = value_of(each, step.module, step.scope)
        if isinstance(value, str) and _is_gpu(value):
            return value
    return ""


def _given(step: Step) -> list[ast.expr]:
    """The arguments of a call that may name a device."""
    given = [keyword.value for keyword in step.call.keywords if keyword.arg in ("device", "map_location")]
    is_first = _method(step.call) == "to" or step.meaning in (
        "torch.device", "torch.set_default_device", "tensorflow.device",
    )  # fmt: skip
    return [*given, *step.call.args[:1]] if is_first else given


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _of_trainer(step: Step) -> str:
    accelerator, gpus = step.argument("accelerator"), step.argument("gpus")
    if isinstance(accelerator, ast.Constant) and accelerator.value in ("gpu", "cuda"):
        return str(accelerator.value)
    return "gpus" if isinstance(gpus, ast.Constant) and gpus.value not in (0, None) else ""


def _is_gpu(name: str) -> bool:
    return name == "cuda" or name.startswith("cuda:") or name.lower().startswith(("/gpu:", "/device:gpu:"))


def _is_conditional(step: Step) -> bool:
    """Whether a condition decides whether it comes to that: an argument, or a question of another kind."""
    child: ast.AST = step.call
    for around in step.module.walk.around(step.call):
        if isinstance(around, ast.If | ast.IfExp) and child is not around.test:
            text = ast.unparse(around.test).lower()
            if any(word in text for word in ("cuda", "gpu", "device", "cpu")):
                return True
        child = around
    return False
