"""Operations that vary on CUDA, by the names that programs call them by."""

import functools
import re

from checks.knowledge import Row, Table
from checks.knowledge.scripts.generators import any_of


class VaryingOperation(Row):
    """``op``: as the documents name it. ``backward``: only its gradient varies.

    ``when``: "argument@position" that must have one of ``values`` for that; "" among them: it is not given, "given":
    it is, whatever it is, "not-ones": it is another size than 1 in each direction. ``deterministic``: there is a form
    that repeats, which ``torch.use_deterministic_algorithms`` chooses.
    """

    op: str
    names: tuple[str, ...]
    backward: bool = False
    when: str = ""
    values: tuple[str, ...] = ()
    deterministic: bool = False


class VaryingOperations(Table):
    operation: tuple[VaryingOperation, ...]


@functools.lru_cache(maxsize=50_000)
def varying(meaning: str) -> VaryingOperation | None:
    """The operation that a call of this meaning is; None: none that is known to vary."""
    name = f"?.{meaning.rpartition('.')[2]}" if meaning.startswith("?.") or "()" in meaning else meaning
    return next((row for row, pattern in _patterns() if pattern.fullmatch(name)), None)


@functools.cache
def _patterns() -> tuple[tuple[VaryingOperation, re.Pattern[str]], ...]:
    return tuple((row, any_of(row.names)) for row in VaryingOperations.read().operation)
