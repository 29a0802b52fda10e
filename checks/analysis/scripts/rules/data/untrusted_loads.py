"""Pickles that a program loads with leave to run what they name, from an argument or a download."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced
from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import is_test
from checks.readers.scripts.scopes import Scope

_PICKLES = frozenset(
    {
        "pickle.load", "pickle.loads", "cPickle.load", "dill.load", "dill.loads", "joblib.load", "cloudpickle.load",
        "cloudpickle.loads", "pandas.read_pickle", "pickle.Unpickler().load",
    }
)  # fmt: skip
_DOWNLOADS = (
    "requests.", "urllib.request.", "urllib.", "urllib3.", "httpx.", "wget.", "gdown.", "aiohttp.",
    "huggingface_hub.", "torch.hub.download_url_to_file", "torch.hub.load_state_dict_from_url",
    "torchvision.datasets.utils.download_url", "keras.utils.get_file", "boto3.", "pooch.",
)  # fmt: skip
_WRITERS = ("urlretrieve", "download_url", "download_file", "download_url_to_file", "gdown.download", "wget.download")
_ARGUMENTS = ("argparse.ArgumentParser().parse_args()", "sys.argv", "click.", "typer.", "absl.flags.", "fire.")
_ARGUMENT_NAMES = frozenset({"args", "opt", "opts", "options", "FLAGS", "flags", "hparams", "params"})
_DEEPEST = 9  # steps from a load back to where its file is named


@module_rule("untrusted-load")
def untrusted_load(view: ModuleView) -> Iterator[Mark]:
    """``torch.load`` with weights_only=False, and pickles whose file the program gets from outside."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        if meaning == "torch.load":
            for keyword in call.keywords:
                is_off = keyword.arg == "weights_only" and value_of(keyword.value, module, scope) is False
                if is_off and not _is_own_file(call, scope, view):
                    changes = replaced(keyword.value, "True") if isinstance(keyword.value, ast.Constant) else ()
                    yield Mark(module, call, meaning, values={"call": "torch.load"}, changes=changes)
        elif meaning in _PICKLES and call.args and _is_from_outside(call.args[0], module, scope):
            yield Mark(module, call, meaning, values={"call": ast.unparse(call.func)})


def _is_own_file(call: ast.Call, scope: Scope, view: ModuleView) -> bool:
    """Whether the same function has written the file of this name before, or the program writes it anywhere."""
    name = value_of(call.args[0], view.module, scope) if call.args else None
    if isinstance(name, str) and name in _saved_names(view):
        return True
    before = (saved for where, saved, meaning in view.calls() if meaning == "torch.save" and where is scope)
    written = {ast.unparse(saved.args[1]) for saved in before if len(saved.args) > 1 and saved.lineno < call.lineno}
    return bool(call.args) and ast.unparse(call.args[0]) in written


def _saved_names(view: ModuleView) -> set[object]:
    saves = [(where, saved) for where, saved, meaning in view.calls() if meaning == "torch.save"]
    return {value_of(saved.args[1], view.module, where) for where, saved in saves if len(saved.args) > 1}


def _is_from_outside(node: ast.expr, module: Module, scope: Scope, depth: int = 0) -> bool:
    """Whether a file or its bytes are downloaded here, or named by an argument of the program."""
    if depth > _DEEPEST:
        return False
    if module.names.meaning(node, scope).startswith((*_DOWNLOADS, *_ARGUMENTS)):
        return True
    if isinstance(node, ast.Call):
        return any(_is_from_outside(each, module, scope, depth + 1) for each in (*node.args, _receiver(node)) if each)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and _is_downloaded(node, module)
    if isinstance(node, ast.Name):
        if _is_downloaded(node, module) or _is_of_all_arguments(node.id, module, scope):
            return True
        return any(
            _is_from_outside(value, module, where, depth + 1) for value, where in _values(node.id, module, scope)
        )
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in _ARGUMENT_NAMES:
            return True
        return _is_from_outside(node.value, module, scope, depth + 1)
    if isinstance(node, ast.BinOp):
        return any(_is_from_outside(each, module, scope, depth + 1) for each in (node.left, node.right))
    if isinstance(node, ast.JoinedStr):
        parts = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
        return any(_is_from_outside(each, module, scope, depth + 1) for each in parts)
    return isinstance(node, ast.Subscript) and _is_from_outside(node.value, module, scope, depth + 1)


def _values(name: str, module: Module, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """What a name is bound to: by assignments, or of a parameter by the calls of its function."""
    where: Scope | None = scope
    while where is not None and name not in where.bound:
        where = where.parent
    if where is None:
        return []
    found = []
    for binding in where.bound[name]:
        value = getattr(binding, "value", None)
        if isinstance(value, ast.expr):
            found.append((value, where))
        elif getattr(binding, "how", "") == "parameter":
            found.extend(module.names.given(name, where))
    return found


def _is_of_all_arguments(name: str, module: Module, scope: Scope) -> bool:
    """Whether a parameter gets its value with all arguments of the program: ``main(**vars(args))``."""
    where: Scope | None = scope
    while where is not None and name not in where.bound:
        where = where.parent
    if where is None or not any(getattr(each, "how", "") == "parameter" for each in where.bound[name]):
        return False
    given = (keyword for call, _ in module.names.calls_of(where) for keyword in call.keywords if keyword.arg is None)
    return any(isinstance(each.value, ast.Call) and ast.unparse(each.value.func) == "vars" for each in given)


def _is_downloaded(named: ast.Name | ast.Constant, module: Module) -> bool:
    """Whether a variable names the file that a download writes; of a name as such, only what surely writes one."""
    text = ast.unparse(named)
    ours = () if isinstance(named, ast.Constant) else _DOWNLOADS
    for scope in module.walk.scopes.values():
        for call in scope.calls:
            given = [*call.args[1:], *(each.value for each in call.keywords)]
            if any(isinstance(each, type(named)) and ast.unparse(each) == text for each in given):
                meaning = module.names.called(call, scope)
                if meaning.startswith(ours) or meaning.endswith(_WRITERS):
                    return True
    return False


def _receiver(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None
