"""Calls that no opcode makes: a known function or class is handed something, and calls it."""

from __future__ import annotations

from collections.abc import Iterator

from support.hostile.assembler import SHELL, Code, Hostile, built, call, name, sample

_TRICK = "calls by what was called"
_CODE = f"__import__('os').system({SHELL!r})"
# sympify() evaluates a text; a module of SciPy's imports it under names that could be SciPy's own.
_FUNCTION = name("scipy.special._precompute.wright_bessel", "gamma")
_PARTIAL = call("functools:partial", _FUNCTION, _CODE)
_REBUILD = name("torch._tensor", "_rebuild_from_type_v2")
_TENSOR = name("torch", "Tensor")
_NEEDS = "torch scipy sympy"


def _made(path: str, state: object) -> Code:
    """An object of a class without its __init__, and its attributes."""
    module, _, attribute = path.partition(":")
    return built(Code(name(module, attribute) + b")\x81"), state)


def unseen_calls() -> Iterator[Hostile]:
    """All of them."""
    by_itself = call(_REBUILD, _REBUILD, _TENSOR, (_FUNCTION, _TENSOR, (_CODE,), {}), {})
    yield sample(_TRICK, "a rebuilder by itself", by_itself, needs=_NEEDS)
    yield sample(_TRICK, "a rebuilder by a partial", call(_REBUILD, _PARTIAL, _TENSOR, (), {}), needs=_NEEDS)
    shown = {"training": True, "extra_repr": _PARTIAL, "_modules": {}, "_parameters": {}}
    module = _made("torch.nn.modules.module:Module", shown)
    yield sample(_TRICK, "an attribute when it is shown", call("builtins:str", module), needs=_NEEDS)
