"""What the names of a program stand for, through aliases, assignments, attributes, returned values and imports.

A meaning is a text: a dotted name of another package ("torch.nn.Linear"), with "()" what a call of it gives
("torch.nn.Linear()"), with "[]" an element of that; what the folder itself defines begins with "@"
("@utils.py:set_seed", "@model.py:Net()"). "" is unknown.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checks.knowledge.scripts.module_names import canonical
from checks.readers.scripts.scopes import Bound, ClassBody, Imported, Scope

if TYPE_CHECKING:
    from checks.readers.scripts.project import Entity, Module, Project

_DEEPEST = 40  # steps from one name to another
_MOST_CALLS = 8  # of a function, by which its parameters are known
_MOST_STEPS = 2000  # for one question: what branches more is followed by no reader either
_BUILTINS = frozenset(dir(builtins))
# Methods of models and tensors that give back what they were asked of.
_SAME = (
    ".to", ".cuda", ".cpu", ".eval", ".train", ".half", ".float", ".double", ".bfloat16", ".requires_grad_",
    ".share_memory", ".prefetch", ".repeat", ".manual_seed", ".contiguous", ".detach",
)  # fmt: skip
# Functions that wrap a model, which stays one.
_WRAPPERS = frozenset(
    {
        "torch.compile", "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel", "torch.jit.script",
        "torch.distributed.fsdp.FullyShardedDataParallel", "torch.nn.utils.weight_norm",
        "torch.nn.utils.spectral_norm", "builtins.enumerate", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm",
        "tqdm.trange", "builtins.iter", "builtins.reversed", "rich.progress.track",
    }
)  # fmt: skip


@dataclass
class Question:
    """What is asked at the moment, over all modules of a folder: so that circles and long ways end."""

    at_work: set[object] = field(default_factory=set)
    steps: int = 0
    cuts: int = 0  # ways that were not followed to their end

    def begins(self, key: object) -> bool:
        """Whether to follow one more step."""
        if not self.at_work:
            self.steps = 0
        self.steps += 1
        if key in self.at_work or len(self.at_work) > _DEEPEST or self.steps > _MOST_STEPS:
            self.cuts += 1
            return False
        self.at_work.add(key)
        return True


class Names:
    """The meanings of the expressions of one module."""

    def __init__(self, project: Project, module: Module) -> None:
        self._project = project
        self._module = module
        self._question = project.question
        self._known: dict[object, str] = {}
        self._by_name: dict[str, list[tuple[ast.Call, Scope]]] | None = None

    def meaning(self, node: ast.expr, scope: Scope) -> str:
        """What an expression stands for, in the scope in which it stands."""
        return self._asked(node, lambda: self._worked_out(node, scope))

    def _asked(self, key: object, answer: Callable[[], str]) -> str:
        found = self._known.get(key)
        if found is not None:
            return found
        question = self._question
        if not question.begins(key):
            return ""
        before = question.cuts
        try:
            found = answer()
        finally:
            question.at_work.discard(key)
        if question.cuts == before or not question.at_work:  # else a circle may have cut it short
            self._known[key] = found
        return found

    def called(self, call: ast.Call, scope: Scope) -> str:
        """The function that a call calls."""
        return self.meaning(call.func, scope)

    def name(self, name: str, scope: Scope) -> str:
        """What a name stands for in a scope."""
        if _is_self(name, scope):
            assert scope.owner is not None  # noqa: S101 - that is what it means
            return self._project.name_of(self._module, scope.owner) + "()"
        where: Scope | None = scope
        while where is not None:
            if name in where.bound:
                return self._of_bindings(where.bound[name], where, name)
            if where.parent is not None and _is_self(name, where.parent):
                return self.name(name, where.parent)
            where = where.parent
        for star in self._module.walk.root.stars:
            imported = self._project.imported(star.dotted, star.level, self._module)
            if imported is not None and not imported[1] and name in imported[0].walk.root.bound:
                return imported[0].names.name(name, imported[0].walk.root)
        return f"builtins.{name}" if name in _BUILTINS else ""

    def is_own(self, binding: Bound | Imported | Scope | ClassBody) -> bool:
        """Whether what is bound may be of the folder: a definition, an import that finds a module here, a value."""
        if isinstance(binding, Imported):
            return self._project.imported(binding.dotted, binding.level, self._module) is not None
        return isinstance(binding, Scope | ClassBody) or isinstance(binding.value, ast.Call | ast.Name | ast.Attribute)

    def member(self, body: ClassBody, name: str) -> Entity | None:
        """A method of a class of this module, or of one of its bases."""
        return self._project.entity(self._of_class(self._module, body, name))

    def bases(self, body: ClassBody, seen: frozenset[ClassBody] = frozenset()) -> tuple[str, ...]:
        """The meanings of a class's bases, those of its own bases included."""
        found: list[str] = []
        for base in body.node.bases:
            meaning = self.meaning(base, body.scope)
            found.append(meaning)
            entity = self._project.entity(meaning)
            if entity is not None and isinstance(entity.what, ClassBody) and entity.what not in seen:
                found.extend(entity.module.names.bases(entity.what, seen | {body}))
        return tuple(found)

    def _worked_out(self, node: ast.expr, scope: Scope) -> str:
        match node:
            case ast.Name():
                return self.name(node.id, scope)
            case ast.Attribute():
                return self._member(self.meaning(node.value, scope), node.attr)
            case ast.Call():
                return self._result(node, scope)
            case ast.Subscript():
                base = self.meaning(node.value, scope)
                return f"{base}[]" if base else ""
            case ast.Await() | ast.NamedExpr():
                return self.meaning(node.value, scope)
            case ast.IfExp():
                return _common((self.meaning(node.body, scope), self.meaning(node.orelse, scope)))
            case ast.BinOp():
                left = self.meaning(node.left, scope)
                return left if left in ("builtins.set()", "pathlib.Path()") else ""
        return _LITERALS.get(type(node), "")

    def given(self, name: str, function: Scope) -> list[tuple[ast.expr, Scope]]:
        """What the calls in this module give for a parameter of a function; [] where one leaves it open."""
        found = []
        for call, scope in self.calls_of(function):
            given = _argument(call, name, function)
            if given is None:
                return []
            found.append((given, scope))
        return found

    def calls_of(self, function: Scope) -> list[tuple[ast.Call, Scope]]:
        """The calls in this module of a function or method, by its name."""
        if self._by_name is None:
            self._by_name = {}
            for scope in self._module.walk.scopes.values():
                for call in scope.calls:
                    last = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                    self._by_name.setdefault(last, []).append((call, scope))
        last = function.name.rpartition(".")[2]
        owner = function.owner.node.name if last == "__init__" and function.owner else last
        return self._by_name.get(owner, [])

    def _of_parameter(self, name: str, function: Scope) -> str:
        given = self.given(name, function)
        return _common(self.meaning(value, scope) for value, scope in given) if 0 < len(given) <= _MOST_CALLS else ""

    def _of_bindings(self, bindings: list[Bound | Imported | Scope | ClassBody], where: Scope, name: str = "") -> str:
        if len(bindings) > 50:  # nothing that a reader would follow either
            return ""
        return _common(self._of_binding(binding, where, name) for binding in bindings)

    def _of_binding(self, binding: Bound | Imported | Scope | ClassBody, where: Scope, name: str = "") -> str | None:
        """None: it says nothing, since it only passes on what the name is already."""
        if isinstance(binding, Imported):
            return self._asked(binding, lambda: self._of_import(binding))
        if isinstance(binding, Scope | ClassBody):
            return self._project.name_of(self._module, binding)
        if binding.value is None:
            return self._of_parameter(name, where) if binding.how == "parameter" else ""
        if binding.value in self._question.at_work:
            return None
        meaning = self.meaning(binding.value, where)
        if not meaning:
            return ""
        match binding.how:
            case "=":
                return meaning
            case "with":
                return meaning
            case "for":
                return f"{meaning}[]"
        return f"{meaning}{'[]' if binding.how.startswith('for') else ''}{binding.how.removeprefix('for')}"

    def _of_import(self, binding: Imported) -> str:
        imported = self._project.imported(binding.dotted, binding.level, self._module)
        if imported is None or imported[0] is self._module:
            return "" if binding.level else canonical(binding.dotted)
        module, rest = imported
        meaning = self._project.name_of(module, module.walk.root)
        for part in rest:
            meaning = self._member(meaning, part)
        return meaning

    def _member(self, base: str, name: str) -> str:
        if not base:
            return f"?.{name}"
        if not base.startswith("@"):
            return canonical(f"{base}.{name}")
        entity = self._project.entity(base.removesuffix("()"))
        if entity is None:
            return f"{base}.{name}"
        if isinstance(entity.what, ClassBody):
            return self._of_class(entity.module, entity.what, name) or f"{base}.{name}"
        if entity.what is entity.module.walk.root and not base.endswith("()"):
            return self._of_module(entity.module, name)
        return f"{base}.{name}"

    def _of_module(self, module: Module, name: str) -> str:
        root = module.walk.root
        if name in root.bound or module.walk.root.stars:
            return module.names.name(name, root)
        below = self._project.imported(name, 1, module) if module.path.name == "__init__.py" else None
        return self._project.name_of(below[0], below[0].walk.root) if below and not below[1] else f"?.{name}"

    def _of_class(self, module: Module, body: ClassBody, name: str, depth: int = 0) -> str:
        if name in body.methods:
            return self._project.name_of(module, body.methods[name])
        if name in body.attributes:
            return _common(module.names._of_binding(bound, scope) for bound, scope in body.attributes[name])
        for base in body.node.bases:
            entity = self._project.entity(module.names.meaning(base, body.scope))
            if entity is not None and isinstance(entity.what, ClassBody) and depth < 10:
                found = self._of_class(entity.module, entity.what, name, depth + 1)
                if found:
                    return found
        return ""

    def _result(self, call: ast.Call, scope: Scope) -> str:
        function = self.meaning(call.func, scope)
        if not function:
            return ""
        if function.endswith(_SAME) and isinstance(call.func, ast.Attribute):
            base = self.meaning(call.func.value, scope)
            if base.endswith("()"):
                return base
        if function in _WRAPPERS and call.args:
            inner = self.meaning(call.args[0], scope)
            suffix = "[1]" if function == "builtins.enumerate" else ""
            return inner or f"{function}(){suffix}"
        if function.startswith("@"):
            entity = self._project.entity(function)
            if entity is not None and isinstance(entity.what, Scope):
                return entity.module.names.returned(entity.what)
        return f"{function}()"

    def returned(self, function: Scope) -> str:
        """What a function of this module gives back."""
        node = function.node
        if isinstance(node, ast.Module):
            return ""
        if isinstance(node, ast.Lambda):
            return self.meaning(node.body, function)
        given = [found.value for found in _returns(node) if found.value is not None]
        return _common(self.meaning(value, function) for value in given[:20])


_LITERALS = {
    ast.Set: "builtins.set()",
    ast.SetComp: "builtins.set()",
    ast.List: "builtins.list()",
    ast.ListComp: "builtins.list()",
    ast.Dict: "builtins.dict()",
    ast.DictComp: "builtins.dict()",
    ast.Tuple: "builtins.tuple()",
    ast.JoinedStr: "builtins.str()",
}


def _common(meanings: Iterable[str | None]) -> str:
    """The one meaning of all; "" where one is unknown or two differ. Of alternatives of an import the first counts."""
    found = [meaning for meaning in meanings if meaning is not None]
    if not found or "" in found:
        return ""
    if len(set(found)) == 1 or all("(" not in meaning and not meaning.startswith("@") for meaning in found):
        return found[0]
    return ""


def _returns(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Return]:
    todo: list[ast.AST] = list(function.body)
    found = []
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            todo.extend(ast.iter_child_nodes(node))
    return found


def _argument(call: ast.Call, name: str, function: Scope) -> ast.expr | None:
    """What a call gives for a parameter; None: its default, or nothing that the text tells."""
    if any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(each, ast.Starred) for each in call.args
    ):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    node = function.node
    if isinstance(node, ast.Module):
        return None
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    if function.owner is not None and names and isinstance(call.func, ast.Attribute | ast.Name):
        names = names[1:]
    index = names.index(name) if name in names else len(call.args)
    return call.args[index] if index < len(call.args) else None


def _is_self(name: str, scope: Scope) -> bool:
    if scope.owner is None or not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    given = [*scope.node.args.posonlyargs, *scope.node.args.args]
    is_static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in scope.node.decorator_list)
    return bool(given) and given[0].arg == name and not is_static
