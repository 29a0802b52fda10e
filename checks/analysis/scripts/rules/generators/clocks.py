"""Seeds that are another number in every run: the time, the process, the system's own random bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.analysis.scripts.changes import with_first
from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.seed_changes import SEED
from checks.analysis.scripts.signs import shown
from checks.knowledge.scripts.generators import seeded_by
from checks.readers.scripts.project import Module
from checks.readers.scripts.runs import Step, is_test
from checks.readers.scripts.scopes import Bound, Scope

_CLOCKS = frozenset(
    {
        "time.time", "time.time_ns", "time.monotonic", "time.perf_counter", "datetime.datetime.now", "os.urandom",
        "datetime.datetime.utcnow", "os.getpid", "uuid.uuid4", "uuid.uuid1", "secrets.randbits", "secrets.randbelow",
        "secrets.token_bytes", "random.SystemRandom",
    }
)  # fmt: skip
_DRAWS = ("random.randint", "random.randrange", "random.getrandbits", "numpy.random.randint", "random.random")
_OWN = frozenset(
    {
        "random.Random", "numpy.random.default_rng", "numpy.random.RandomState", "jax.random.PRNGKey", "jax.random.key",
        "numpy.random.SeedSequence", "torch.Generator().manual_seed", "?.seed", "?.manual_seed",
    }
)  # fmt: skip
_FRESH = frozenset({"random.seed", "numpy.random.seed", "torch.seed", "torch.random.seed"})


@module_rule("time-seed")
def time_seed(view: ModuleView) -> Iterator[Mark]:
    """A seed from the clock or the system, also through a variable, and one that is left empty."""
    module = view.module
    if is_test(module):
        return
    for scope, call, meaning in view.calls():
        if not (seeded_by(meaning) or meaning in _OWN):
            continue
        step = Step(module, scope, call, meaning)
        given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("seed", "a", "x"))]
        if meaning in _FRESH and not step.is_open and (not given or _is_none(given[0])):
            yield Mark(
                module, call, meaning, {"call": shown(step), "source": "None"}, changes=with_first(call, str(SEED))
            )
            continue
        source = next((found for each in given[:1] if (found := _clock_in(each, module, scope))), "")
        if source:
            yield Mark(
                module, call, meaning, {"call": shown(step), "source": source}, changes=with_first(call, str(SEED))
            )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _clock_in(node: ast.expr, module: Module, scope: Scope, depth: int = 0) -> str:
    """The clock that an expression asks; "" where it asks none, or only one of several values comes from it."""
    if isinstance(node, ast.IfExp | ast.BoolOp):
        return ""
    if isinstance(node, ast.Name) and depth < 4:
        where: Scope | None = scope
        while where is not None and node.id not in where.bound:
            where = where.parent
        bindings = where.bound[node.id] if where is not None else []
        if len(bindings) == 1 and isinstance(bindings[0], Bound) and bindings[0].value is not None and where:
            return _clock_in(bindings[0].value, module, where, depth + 1) if bindings[0].how == "=" else ""
        return ""
    if isinstance(node, ast.Call):
        meaning = module.names.called(node, scope)
        if meaning in _CLOCKS or meaning in _DRAWS:
            return meaning
        parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        return next((found for each in parts if (found := _clock_in(each, module, scope, depth + 1))), "")
    if isinstance(node, ast.BinOp):
        return _clock_in(node.left, module, scope, depth) or _clock_in(node.right, module, scope, depth)
    if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        return _clock_in(node.value, module, scope, depth)
    return ""
