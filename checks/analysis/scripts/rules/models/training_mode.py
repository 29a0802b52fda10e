"""Models that are asked or exported as they are in training: dropout drops, batch norm takes the batch's own mean."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import line_before, with_argument
from checks.analysis.scripts.registry import Change, Mark, ModuleView, module_rule, run_rule
from checks.analysis.scripts.signs import shown, trains
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.project import OWN, Entity, Project
from checks.readers.scripts.runs import Run, Step, is_test
from checks.readers.scripts.scopes import ClassBody, Scope

_EXPORTS = {
    "torch.onnx.export": 0, "torch.jit.trace": 0, "torch.export.export": 0, "torch.onnx.dynamo_export": 0,
    "torch.jit.script": 0, "coremltools.convert": 0, "torch_tensorrt.compile": 0,
}  # fmt: skip
_MODES = ("Dropout", "BatchNorm", "InstanceNorm", "RReLU")
_NO_GRADIENT = ("torch.no_grad", "torch.inference_mode", "torch.set_grad_enabled")
# Models of libraries that are made as for training, and have batch norm or dropout.
_MADE_FOR_TRAINING = (
    "timm.create_model()", "segmentation_models_pytorch.", "efficientnet_pytorch.EfficientNet.", "monai.networks.nets.",
)  # fmt: skip
_WITHOUT_MODES = ("torchvision.models.vgg11", "torchvision.models.squeezenet1_0")


@run_rule("eval-missing")
def eval_missing(run: Run) -> Iterator[Mark]:
    """The first call or export of a model with such layers, in a run that never leaves the training mode."""
    if is_test(run.entry) or any(_leaves_training(step) for step in run.steps):
        return
    for step in run.steps:
        if step.meaning in _EXPORTS and step.call.args and _has_modes(run, step, step.call.args[0]):
            yield _mark(run, step, step.call.args[0])
            return
    only_asks = not trains(run) and any(step.meaning.endswith("load_state_dict") for step in run.steps)
    for step in run.steps:
        if _is_model_call(run, step) and (only_asks or _is_without_gradient(step)):
            yield _mark(run, step, step.call.func)
            return


def _mark(run: Run, step: Step, model: ast.expr) -> Mark:
    statement = step.module.walk.statement_of(step.call)
    changes: tuple[Change, ...] = ()
    is_plain = isinstance(model, ast.Name) and not isinstance(statement, ast.With | ast.For | ast.If | ast.While)
    if isinstance(model, ast.Name) and is_plain and not (trains(run) and _may_go_on(step)):
        changes = line_before(step.module, statement, [f"{model.id}.eval()"])
    return Mark(step.module, step.call, shown(step), values={"model": ast.unparse(model)[:60]}, changes=changes)


def _may_go_on(step: Step) -> bool:
    """Whether what trains may go on behind it: where a model is left in evaluation mode, that trains otherwise."""
    return any(
        isinstance(around, ast.For | ast.While | ast.AsyncFor)
        or (isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef) and around.name != "main")
        for around in step.module.walk.around(step.call)
    )


def _leaves_training(step: Step) -> bool:
    """Whether a call puts some model into evaluation mode, or may do so."""
    name = step.meaning.rpartition(".")[2]
    if isinstance(step.call.func, ast.Attribute):
        name = step.call.func.attr
    if name == "eval" and not step.call.args:
        return True
    if name == "train" and step.call.args:
        return value_of(step.call.args[0], step.module, step.scope) is not True
    return name in ("requires_eval", "set_eval", "freeze") or name.endswith("Trainer")


def _is_model_call(run: Run, step: Step) -> bool:
    return (
        isinstance(step.call.func, ast.Name | ast.Attribute)
        and not (isinstance(step.call.func, ast.Name) and step.call.func.id == "self")
        and step.meaning.endswith("()")
        and _has_modes(run, step, step.call.func)
    )


def _is_without_gradient(step: Step) -> bool:
    """Whether a call stands in a block or function without gradients."""
    names = step.module.names
    for around in step.module.walk.around(step.call):
        if isinstance(around, ast.With) and any(
            isinstance(item.context_expr, ast.Call) and names.called(item.context_expr, step.scope) in _NO_GRADIENT
            for item in around.items
        ):
            return True
        if isinstance(around, ast.FunctionDef):
            decorators = [each.func if isinstance(each, ast.Call) else each for each in around.decorator_list]
            outside = step.scope.parent or step.scope
            return any(names.meaning(each, outside) in _NO_GRADIENT for each in decorators)
    return False


def _has_modes(run: Run, step: Step, model: ast.expr) -> bool:
    """Whether a model surely has layers that compute something else in training."""
    meaning = step.meaning_of(model)
    if meaning.startswith("torchvision.models.") and meaning.endswith("()"):
        return meaning.removesuffix("()") not in _WITHOUT_MODES
    if meaning.startswith(_MADE_FOR_TRAINING) and meaning.endswith("()"):
        return True
    if meaning == "torch.nn.Sequential()":
        return _sequential_has_modes(step, model)
    entity = run.project.entity(meaning.removesuffix("()")) if meaning.startswith(OWN) else None
    return entity is not None and isinstance(entity.what, ClassBody) and class_has_modes(run.project, entity, set())


def class_has_modes(project: Project, entity: Entity, seen: set[ClassBody]) -> bool:
    """Whether a class is a module that makes such layers itself, or others of the folder that do."""
    body = entity.what
    if not isinstance(body, ClassBody) or body in seen:
        return False
    seen.add(body)
    names = entity.module.names
    if not any(base in ("torch.nn.Module", "lightning.LightningModule") for base in names.bases(body)):
        return False
    for method in body.methods.values():
        for call in method.calls:
            meaning = names.called(call, method)
            if (
                meaning.startswith("torch.nn.")
                and any(mode in meaning for mode in _MODES)
                and "functional" not in meaning
            ):
                return True
            inner = project.entity(meaning) if meaning.startswith(OWN) else None
            if inner is not None and class_has_modes(project, inner, seen):
                return True
    return False


def _sequential_has_modes(step: Step, model: ast.expr) -> bool:
    if not isinstance(model, ast.Name):
        return False
    where: Scope | None = step.scope
    while where is not None:
        for binding in where.bound.get(model.id, ()):
            value = getattr(binding, "value", None)
            if isinstance(value, ast.Call):
                return any(mode in ast.unparse(value) for mode in _MODES)
        where = where.parent
    return False


@module_rule("dropout-at-inference")
def dropout_at_inference(view: ModuleView) -> Iterator[Mark]:
    """``F.dropout`` that is told nothing of the mode, and a dropout layer that is made where it is called."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        step = Step(module, scope, call, meaning)
        if meaning.startswith("torch.nn.functional.") and "dropout" in meaning.rpartition(".")[2]:
            if step.argument("training", 2) is None and not step.is_open:
                text = "training=self.training" if _is_method_of_module(view, scope) else ""
                changes = with_argument(module, call, text) if text else ()
                yield Mark(module, call, meaning, values={"call": shown(step)}, changes=changes)
        elif meaning.startswith("torch.nn.Dropout") and meaning.endswith("()") and isinstance(call.func, ast.Call):
            yield Mark(module, call, meaning.removesuffix("()"), values={"call": shown(step)})


def _is_method_of_module(view: ModuleView, scope: Scope) -> bool:
    if scope.owner is None or not isinstance(scope.node, ast.FunctionDef) or not scope.node.args.args:
        return False
    is_module = any(base.endswith(("nn.Module", "LightningModule")) for base in view.module.names.bases(scope.owner))
    return is_module and scope.node.args.args[0].arg == "self"
