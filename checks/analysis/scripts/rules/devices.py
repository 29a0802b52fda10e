"""A GPU that is named in the program, where nothing asks whether there is one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, run_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Run, Step, is_test

_ASKS = (
    "is_available", "device_count", "get_device_capability", "current_accelerator", "is_built", "get_device",
    "list_physical_devices", "get_accelerator", "select_device",
)  # fmt: skip


@run_rule("device-hard-coded")
def device_hard_coded(run: Run) -> Iterator[Mark]:
    """The first place of each file, in a run that never asks for a GPU and is not told by an argument which."""
    if is_test(run.entry) or any(_asks(step) for step in run.steps):
        return
    told: set[Module] = set()
    for step in run.steps:
        device = _device(step)
        if device and step.module not in told and not _is_conditional(step):
            told.add(step.module)
            yield Mark(step.module, step.call, device, {"device": device})


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
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method == "cuda" and not step.meaning.startswith(("torch.cuda", "torch.version")):
        return "cuda"
    if step.meaning == "torch.cuda.set_device" and call.args and isinstance(call.args[0], ast.Constant):
        return "cuda:" + ast.unparse(call.args[0])
    if step.meaning in ("lightning.Trainer", "lightning.Fabric"):
        return _of_trainer(step)
    given = [keyword.value for keyword in call.keywords if keyword.arg in ("device", "map_location")]
    if method == "to" or step.meaning in ("torch.device", "torch.set_default_device", "tensorflow.device"):
        given += call.args[:1]
    for each in given:
        value = value_of(each, step.module, step.scope)
        if isinstance(value, str) and _is_gpu(value):
            return value
    return ""


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
