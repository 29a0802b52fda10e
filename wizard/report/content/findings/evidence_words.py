"""What findings about computations name by ids, in words: operations, settings and frameworks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from checks.knowledge.frameworks.computations import known_operations, known_settings, operation_name, setting_name
from wizard.report.content.measured.line import framework_name
from wizard.words import words

_OF_COMPUTATIONS = frozenset(
    {
        "computed_on",
        "cost_of_mode",
        "devices_compared",
        "mended_by",
        "not_documented",
        "operations_alike",
        "operations_apart",
        "operations_in_full",
        "operations_wrong",
        "overflowing_operation",
        "refused_operations",
        "repeats_all_the_same",
        "restored_by",
        "settings_compared",
        "settings_without_effect",
        "streams_alike",
        "streams_apart",
        "varying_operation",
    }
)
_FRAMEWORKS = ("torch", "numpy", "tensorflow", "jax", "onnxruntime")
_PLACES = ("computed_on", "devices_compared")
_BETWEEN = re.compile(r"(, |; |: | / )")
_LIST = ", "


def evidence_words(name: str, value: str, language: str) -> str:
    """The value of an evidence of this name; what is no id of ours, such as a node of a model, stays as it is."""
    if name not in _OF_COMPUTATIONS:
        return value
    parts = _BETWEEN.split(value)
    named = [_place(part, language) if name in _PLACES else _named(part, language) for part in parts]
    if named == parts:
        return value
    separator = words("report.list-separator", language)
    return "".join(separator if part == _LIST else part for part in named)


def in_words(values: Mapping[str, str], language: str) -> dict[str, str]:
    """The same of all values that a text may name."""
    return {name: evidence_words(name, value, language) for name, value in values.items()}


def _named(part: str, language: str) -> str:
    if part in known_operations():
        return operation_name(part, language)
    name, _, count = part.rpartition("-")
    if part in known_settings() or "+" in part or (count.isdecimal() and f"{name}-{{count}}" in known_settings()):
        return setting_name(part, language)
    return part


def _place(part: str, language: str) -> str:
    """Of "torch cpu" the first word is the framework."""
    first, space, rest = part.partition(" ")
    return framework_name(first, language) + space + rest if first in _FRAMEWORKS else part
