"""TensorFlow Lite's operators: names by number, and which release runs which version of them."""

import functools

from checks.knowledge import Row, Table

LITERT_OLDEST = "1.0"


class TfliteOperator(Row):
    """An operator of the schema. ``tensorflow``: the first release for version 1, 2, ...; "" = in none so far.

    ``litert``: the first ai-edge-litert for a version that is not in all of them.
    """

    code: int
    name: str
    tensorflow: tuple[str, ...] = ()
    litert: dict[str, str] = {}


class TfliteCustomOperator(Row):
    """A custom operator that the interpreters bring along, and since when."""

    name: str
    tensorflow: str
    litert: str


class NewestAsked(Row):
    """The last releases that the table knows of."""

    tensorflow: str
    litert: str


class TfliteOperatorsTable(Table):
    newest: NewestAsked
    flex_before: str  # the first TensorFlow whose Python package does not compute operators of TensorFlow itself
    operator: tuple[TfliteOperator, ...]
    custom: tuple[TfliteCustomOperator, ...]


@functools.cache
def _by_code() -> dict[int, TfliteOperator]:
    return {row.code: row for row in TfliteOperatorsTable.read().operator}


@functools.cache
def _by_name() -> dict[str, TfliteOperator]:
    return {row.name: row for row in TfliteOperatorsTable.read().operator}


def operator_name(code: int) -> str:
    """The name of a built-in operator ("CONV_2D"); "BUILTIN_250" for one newer than the table."""
    row = _by_code().get(code)
    return row.name if row else f"BUILTIN_{code}"


def custom_operator(name: str) -> TfliteCustomOperator | None:
    """The row of a custom operator that needs no library; None for all others."""
    return next((row for row in TfliteOperatorsTable.read().custom if row.name == name), None)


def first_tensorflow(name: str, version: int) -> str | None:
    """The first TensorFlow release that runs a version of an operator; "" none so far, None = not in the table."""
    row = _by_name().get(name)
    if row is None:
        custom = custom_operator(name)
        return None if custom is None else custom.tensorflow
    if not row.tensorflow:
        return ""
    return row.tensorflow[version - 1] if 1 <= version <= len(row.tensorflow) else None


def first_litert(name: str, version: int) -> str | None:
    """The first ai-edge-litert release that runs it; "" none so far, None = not in the table."""
    row = _by_name().get(name)
    if row is None:
        custom = custom_operator(name)
        return None if custom is None else custom.litert
    if first_tensorflow(name, version) is None:
        return None
    return row.litert.get(str(version), LITERT_OLDEST) if row.tensorflow else ""
