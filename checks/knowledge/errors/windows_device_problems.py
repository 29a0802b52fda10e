"""Problem codes of the Windows Device Manager."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class DeviceProblem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One code; ``cause`` is an id of the catalogue."""

    code: int
    name: str  # "CM_PROB_FAILED_POST_START"
    cause: str


class DeviceProblems(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/windows_device_problems.toml."""

    problem: tuple[DeviceProblem, ...]


@functools.cache
def device_problems() -> DeviceProblems:
    """The table."""
    return load("windows_device_problems", DeviceProblems)


def device_problem(code: int | None) -> DeviceProblem | None:
    """The row of a code; None for 0 (works), for an unread code, and for codes that the table leaves out."""
    return next((row for row in device_problems().problem if row.code == code), None)
