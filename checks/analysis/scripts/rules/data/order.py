"""Orders that differ from start to start, or from disk to disk: of sets of texts, folders, hashes of texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from checks.analysis.scripts.changes import replaced, wrapped
from checks.analysis.scripts.registry import Change, Mark, ModuleView, module_rule
from checks.analysis.scripts.seed_changes import behind_imports
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import is_test
from checks.readers.scripts.scopes import Bound, Scope

_GATHERERS = frozenset({"append", "extend", "backward", "step", "write", "writerow", "fit", "train"})
_SET = "builtins.set()"
_OF_SETS = tuple(f"{_SET}.{name}()" for name in ("union", "intersection", "difference", "symmetric_difference", "copy"))
_ORDERED = frozenset({"builtins.list", "builtins.tuple", "builtins.enumerate", "numpy.array", "builtins.zip"})
_ANY_ORDER = frozenset(
    {
        "builtins.sorted", "builtins.set", "builtins.frozenset", "builtins.len", "builtins.any", "builtins.all",
        "builtins.max", "builtins.min", "builtins.sum", "natsort.natsorted", "collections.Counter", "natsort.os_sorted",
        "builtins.bool", "builtins.print", "numpy.sort", "numpy.unique", "shutil.rmtree",
    }
)  # fmt: skip
_TEXTS = re.compile(
    r"\b(?:words?|tokens?|chars?|characters?|letters?|vocab\w*|text|texts|tags?|names?|sentences?|corpus|docs?|files?"
    r"|paths?|classes|labels?_?names?|keys|strings?|entities|relations|genres|categories|users|items|species)\b"
    r"|\.split\(|\.read\(|\.keys\(|\.lower\("
)
_LISTINGS = frozenset(
    {
        "os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob", "tensorflow.io.gfile.glob",
        "tensorflow.io.gfile.listdir", "tensorflow.gfile.Glob", "tensorflow.gfile.ListDirectory",
    }
)  # fmt: skip
_PATH_LISTINGS = (".iterdir", ".glob", ".rglob")
_SET_HASH_SEED = re.compile(r"""os\.environ\[["']PYTHONHASHSEED["']\] *=(?!=)""")
_STARTS = re.compile(r"\bexec[lv]|subprocess|Popen|os\.system|spawn")  # another Python, or the same again
_HARMLESS = re.compile(
    r"remove|unlink|rmtree|copy|move|rename|print|mkdir|chmod|exists|isfile|isdir|stat|getsize|delete"
)


def _has_hash_seed(module: Module) -> bool:
    """Whether Python may start with a seed for hashes; one that a running program sets is for its children alone."""
    text = module.source.text
    is_only_set = len(_SET_HASH_SEED.findall(text)) == text.count("PYTHONHASHSEED")
    return "PYTHONHASHSEED" in text and not (is_only_set and _STARTS.search(text) is None)


@module_rule("set-order")
def set_order(view: ModuleView) -> Iterator[Mark]:
    """A set of texts of which a list, numbers or a loop is made: Python hashes texts otherwise in every process."""
    module = view.module
    if is_test(module) or _has_hash_seed(module):
        return
    for scope, call, meaning in view.calls():
        if meaning not in _ORDERED or not call.args:
            continue
        given = call.args[-1] if meaning == "builtins.zip" else call.args[0]
        is_one = _is_set(given, module, scope) and _is_of_texts(given, module, scope)
        if is_one and not _is_put_in_order(module, call, scope):
            yield Mark(module, call, meaning, {"set": _text(given)}, changes=wrapped(given, "sorted(", ")"))
    for node, scope in _loops(module):
        if _is_set(node, module, scope) and _is_of_texts(node, module, scope):
            yield Mark(module, node, "for", {"set": _text(node)}, changes=wrapped(node, "sorted(", ")"))


def _is_set(node: ast.expr, module: Module, scope: Scope) -> bool:
    return module.names.meaning(node, scope) in (_SET, *_OF_SETS)


def _loops(module: Module) -> Iterator[tuple[ast.expr, Scope]]:
    """What loops and list comprehensions go through, where their rounds leave something in that order."""
    for scope in module.walk.scopes.values():
        for bindings in scope.bound.values():
            for each in bindings:
                value = each.value if isinstance(each, Bound) and each.how.startswith("for") else None
                around = module.walk.parents.get(value) if value is not None else None
                if isinstance(around, ast.For) and _gathers(around.body):
                    yield around.iter, scope
                elif isinstance(around, ast.comprehension):
                    made = module.walk.parents.get(around)
                    if isinstance(made, ast.ListComp) and not _is_put_in_order(module, made, scope):
                        yield around.iter, scope


@module_rule("listing-unsorted")
def listing_unsorted(view: ModuleView) -> Iterator[Mark]:
    """The files of a folder in the order of the disk, where that order gets into data."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        is_path = meaning.startswith("pathlib.") and meaning.endswith(_PATH_LISTINGS)
        is_unknown = meaning.startswith("?.") and meaning.endswith(_PATH_LISTINGS) and _takes_pattern(call)
        if not (meaning in _LISTINGS or is_path or is_unknown):
            continue
        if not _is_put_in_order(module, call, scope) and _feeds_data(module, call, scope):
            yield Mark(module, call, meaning, {"call": _text(call.func)}, changes=_sorted(call, meaning))


def _sorted(call: ast.Call, meaning: str) -> tuple[Change, ...]:
    """The call in order; () for a walk, whose files are listed inside of what it gives."""
    return () if meaning in ("os.walk", "os.scandir") else wrapped(call, "sorted(", ")")


@module_rule("hash-split")
def hash_split(view: ModuleView) -> Iterator[Mark]:
    """``hash(text) % n``: another number in every process, unless PYTHONHASHSEED is set."""
    module = view.module
    if is_test(module) or _has_hash_seed(module):
        return
    for scope, call, meaning in view.calls():
        if meaning != "builtins.hash" or scope.name.endswith("__hash__") or not call.args:
            continue
        inside = next((each for each in module.walk.around(call) if not isinstance(each, ast.Call)), None)
        is_modulo = isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Mod | ast.BitAnd)
        if is_modulo and not isinstance(call.args[0], ast.Tuple):
            yield Mark(module, call, "hash", {"call": _text(call)}, changes=_stable_hash(module, call))


def _stable_hash(module: Module, call: ast.Call) -> tuple[Change, ...]:
    """A checksum instead of a hash, with its import at the top."""
    change = replaced(call, f"zlib.crc32(str({ast.unparse(call.args[0])}).encode())")
    if "zlib" in module.walk.root.bound:
        return change
    imported = behind_imports(module, ["import zlib"])
    return (*imported, *change) if imported else ()


def _is_put_in_order(module: Module, call: ast.expr, scope: Scope) -> bool:
    """Whether what a call gives is sorted, counted, or asked for what does not depend on the order."""
    child: ast.AST = call
    for around in module.walk.around(call):
        if isinstance(around, ast.Call) and child in (*around.args, *(each.value for each in around.keywords)):
            meaning = module.names.called(around, scope)
            if meaning in _ANY_ORDER or meaning.endswith((".sort", ".natsorted", ".update", ".sort_values")):
                return True
        if isinstance(around, ast.Compare | ast.If | ast.While | ast.Assert | ast.BoolOp) and not _is_body(
            around, child
        ):
            return True
        if isinstance(around, ast.SetComp | ast.DictComp):
            return isinstance(around, ast.SetComp)
        if isinstance(around, ast.Assign | ast.AnnAssign):
            targets = around.targets if isinstance(around, ast.Assign) else [around.target]
            return any(
                _is_sorted_later(module, target, scope, around.lineno) or _is_asked_for_most(module, target, scope)
                for target in targets
            )
        if isinstance(around, ast.stmt):
            return False
        child = around
    return False


def _is_body(around: ast.AST, child: ast.AST) -> bool:
    return isinstance(around, ast.If | ast.While) and child is not around.test


def _is_sorted_later(module: Module, target: ast.expr, scope: Scope, line: int) -> bool:
    """Whether a variable is sorted further down, or only counted and compared."""
    name = ast.unparse(target)
    for call in scope.calls:
        if call.lineno < line:
            continue
        meaning = module.names.called(call, scope)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "sort" and ast.unparse(call.func.value) == name:
            return True
        mentions = any(ast.unparse(each) == name for each in call.args)
        if mentions and meaning in ("builtins.sorted", "natsort.natsorted", "numpy.sort", "builtins.set"):
            return True
    if not isinstance(target, ast.Name):
        return False
    loads = [load for load in scope.loads if isinstance(load, ast.Name) and load.id == target.id and load.lineno > line]
    return bool(loads) and all(_only_counts(module, load, scope) for load in loads)


def _only_counts(module: Module, load: ast.Name, scope: Scope) -> bool:
    parent = module.walk.parents.get(load)
    if isinstance(parent, ast.Call) and load in parent.args:
        return module.names.called(parent, scope) in _ANY_ORDER
    return isinstance(parent, ast.Compare | ast.BoolOp | ast.If | ast.UnaryOp)


def _feeds_data(module: Module, call: ast.Call, scope: Scope) -> bool:
    """Whether a listing becomes a list or the rounds of a loop that gathers something."""
    child: ast.AST = call
    for around in module.walk.around(call):
        if isinstance(around, ast.For | ast.AsyncFor):
            is_sorted_inside = any("sort" in ast.unparse(each) for each in around.body)
            return child is around.iter and _gathers(around.body) and not is_sorted_inside
        if isinstance(around, ast.ListComp | ast.GeneratorExp | ast.DictComp):
            child = around
            continue
        if isinstance(around, ast.Subscript):
            return False  # one of them; mostly there is no other
        if isinstance(around, ast.Return):
            return True
        if isinstance(around, ast.Assign):
            return any(_is_gone_through(module, target, scope) for target in around.targets)
        if isinstance(around, ast.Call) and child in around.args and _method(around) == "extend":
            return True
        if isinstance(around, ast.stmt):
            return isinstance(around, ast.AugAssign)
        child = around
    return False


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_gone_through(module: Module, target: ast.expr, scope: Scope) -> bool:
    """Whether a variable is looped over, drawn from, indexed by a number, or handed on."""
    if isinstance(target, ast.Attribute):
        return True
    if not isinstance(target, ast.Name):
        return False
    for load in scope.loads:
        if not isinstance(load, ast.Name) or load.id != target.id:
            continue
        parent = module.walk.parents.get(load)
        if isinstance(parent, ast.For) and load is parent.iter:
            if _gathers(parent.body):
                return True
        elif isinstance(parent, ast.comprehension | ast.Return):
            return True
        elif isinstance(parent, ast.Call) and load in parent.args:
            meaning = module.names.called(parent, scope)
            if meaning not in _ANY_ORDER and not _HARMLESS.search(meaning):
                return True
    return False


def _gathers(body: list[ast.stmt]) -> bool:
    """Whether the rounds of a loop leave something in their order: they append, yield, add up or train."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Yield | ast.YieldFrom | ast.AugAssign) or _numbers(node):
                return True
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in _GATHERERS:
                return True
            if any(keyword.arg == "file" for keyword in node.keywords):  # print
                return True
    return False


def _numbers(node: ast.AST) -> bool:
    """Whether the next free number is given away: ``index[word] = len(index)``."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return False
    value = node.value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or not value.args:
        return False
    return value.func.id == "len" and ast.unparse(value.args[0]) == ast.unparse(node.targets[0].value)


def _is_asked_for_most(module: Module, target: ast.expr, scope: Scope) -> bool:
    """Whether what is made of a variable is asked for its largest or smallest, wherever that stands."""
    names = {ast.unparse(target)}
    for _ in range(3):
        for name, bindings in scope.bound.items():
            values = [value for each in bindings if isinstance(value := getattr(each, "value", None), ast.expr)]
            if any(isinstance(node, ast.Name) and node.id in names for value in values for node in ast.walk(value)):
                names.add(name)
    return any(
        (module.names.called(call, scope).rpartition(".")[2] in ("argmax", "argmin", "max", "min", "argsort"))
        and any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(call))
        for call in scope.calls
    )


def _is_of_texts(node: ast.expr, module: Module, scope: Scope, depth: int = 0) -> bool:
    """Whether a set is one of texts, by what is written of it."""
    if _TEXTS.search(_text(node)):
        return True
    if isinstance(node, ast.Set):
        return any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in node.elts)
    if isinstance(node, ast.Name) and depth < 3:
        where: Scope | None = scope
        while where is not None and node.id not in where.bound:
            where = where.parent
        bindings = where.bound[node.id] if where is not None else []
        values = [value for each in bindings if isinstance(value := getattr(each, "value", None), ast.expr)]
        return any(_is_of_texts(value, module, scope, depth + 1) for value in values)
    return False


def _takes_pattern(call: ast.Call) -> bool:
    return not call.args or (isinstance(call.args[0], ast.Constant) and "*" in str(call.args[0].value))


def _text(node: ast.AST) -> str:
    return ast.unparse(node)[:80]
