"""Cells of a CSV that people open with a spreadsheet."""

from __future__ import annotations

from checks.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # what a spreadsheet would carry out


def cell(value: object) -> str:
    """A value as a spreadsheet shows it: a stranger's text is never a formula."""
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    text = visible("\n".join(map(str, value)) if isinstance(value, list) else str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
