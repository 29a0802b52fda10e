"""A folder that a framework writes to is full, read-only, over quota or another user's.

Detects:      the system's refusal in what failed, and the folder with its free space where the words or facts name it.
Why it bites: caches, compiled kernels, downloads and temporary files must be written before a program goes on.
Blind spots:  a disk that was full only while the program ran and has been cleared since.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.texts import told
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Frameworks, ProbeRuns, ProgramRuns, StoragePlace
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.quotation import quotation

CAUSE = "no-room-to-write"
MIB = 1024 * 1024
TIGHT = 16 * MIB  # less than that holds no cache


@check(CAUSE)
def no_room_to_write(
    environment: EnvironmentVariables | None,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None,
) -> Iterator[Finding]:
    """At most one finding: the folder that was refused."""
    words = told(CAUSE, frameworks, probes, runs)
    if words is None:
        return
    found, origin, is_fatal = words
    place = _place(found.groups.get("place_path", ""), environment)
    path = found.groups.get("place_path") or (place.path if place else "")
    free = f"{place.free / MIB:.0f} MiB" if place and place.free is not None else ""
    yield Finding(
        severity=Severity.BLOCKING if is_fatal else Severity.WARNING,
        confidence=max(found.row.certainty, 0.95 if place else 0.0),
        subject=path,
        evidence=(
            *((Evidence("place", path, origin),) if path else ()),
            *((Evidence("place_free", free, environment.origin if environment else ""),) if free else ()),
            Evidence("clue", quotation(found.line), origin, found.row.sources[0]),
        ),
        values={"place_path": path} if path else {},
    )


def _place(path: str, environment: EnvironmentVariables | None) -> StoragePlace | None:
    """The known folder that it lies in; where the words name none, one that cannot be written to."""
    places = (environment.places or ()) if environment else ()
    holding = [place for place in places if path and (path == place.path or path.startswith(f"{place.path}/"))]
    if path:
        return max(holding, key=lambda place: len(place.path), default=None)
    refused = (p for p in places if p.is_read_only or p.is_writable is False or (p.free is not None and p.free < TIGHT))
    return next((place for place in refused if place.name != "environment"), None)
