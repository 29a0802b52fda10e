"""Problem codes of the Windows Device Manager."""

from checks.knowledge import Row, Table


class DeviceProblem(Row):
    """One code; ``cause`` is an id of the catalogue."""

    code: int
    name: str  # "CM_PROB_FAILED_POST_START"
    cause: str


class DeviceProblems(Table):
    problem: tuple[DeviceProblem, ...]


def device_problem(code: int | None) -> DeviceProblem | None:
    """The row of a code; None for 0 (works), for an unread code, and for codes that the table leaves out."""
    return next((row for row in DeviceProblems.read().problem if row.code == code), None)
