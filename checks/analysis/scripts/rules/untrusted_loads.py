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
_ARGUMENTS = ("argparse.ArgumentParser().parse_args()", "sys.argv", "click.", "typer.", "absl.flags.", "fire.")


@module_rule("untrusted-load")
def untrusted_load(view: ModuleView) -> Iterator[Mark]:
    """``torch.load`` with weights_only=False, and pickles whose file the program gets from outside."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        if meaning == "torch.load":
            for keyword in call.keywords:
                if keyword.arg == "weights_only" and value_of(keyword.value, module, scope) is False:
                    changes = replaced(keyword.value, "True") if isinstance(keyword.value, ast.Constant) else ()
                    yield Mark(module, call, meaning, values={"call": "torch.load"}, changes=changes)
        elif meaning in _PICKLES and call.args and _is_from_outside(call.args[0], module, scope):
            yield Mark(module, call, meaning, values={"call": ast.unparse(call.func)})


def _is_from_outside(node: ast.expr, module: Module, scope: Scope, depth: int = 0) -> bool:
    """Whether a file or its bytes are downloaded here, or named by an argument of the program."""
    if depth > 6:
        return False
    meaning = module.names.meaning(node, scope)
    if meaning.startswith((*_DOWNLOADS, *_ARGUMENTS)):
        return True
    if isinstance(node, ast.Call):
        return any(_is_from_outside(each, module, scope, depth + 1) for each in (*node.args, _receiver(node)) if each)
    if isinstance(node, ast.Name):
        where: Scope | None = scope
        while where is not None:
            if node.id in where.bound:
                values = [getattr(each, "value", None) for each in where.bound[node.id]]
                return any(
                    isinstance(value, ast.expr) and _is_from_outside(value, module, where, depth + 1)
                    for value in values
                )
            where = where.parent
    if isinstance(node, ast.Attribute | ast.Subscript):
        return _is_from_outside(node.value, module, scope, depth + 1)
    return False


def _receiver(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None
