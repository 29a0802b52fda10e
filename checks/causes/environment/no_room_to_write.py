"""A folder that a framework writes to is full, read-only, over quota or another user's.

Detects:      the system's refusal in what failed, and the folder with its free space where the words or facts name it.
Why it bites: caches, compiled kernels, downloads and temporary files must be written before a program goes on.
Blind spots:  a disk that was full only while the program ran and has been cleared since.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.failures.texts import told
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Frameworks, ProbeRuns, ProgramRuns, StoragePlace
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.quotation import quotation
from checks.knowledge.errors.import_errors import Recognised

CAUSE = "no-room-to-write"
MIB = 1024 * 1024
TIGHT = 16 * MIB  # less than that holds no cache
ROOM = 1024 * MIB  # so much holds what programs write beside their results
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - it is named, not used
_SHARING = re.compile(r"[\\/]multiprocessing[\\/](?:synchronize|shared_memory|heap)\.py$")


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
    named = found.groups.get("place_path", "")
    if not named and runs is not None and _is_of_shared_memory(runs):
        yield _shared_memory(found, origin, is_fatal)
        return
    place = _place(named, environment)
    path = named or (place.path if place else "")
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
        remedies=_remedies(place, environment),
    )


def _remedies(place: StoragePlace | None, environment: EnvironmentVariables | None) -> tuple[str, ...]:
    """Another folder first, where it is one that variables move, and the user's own cache has room."""
    cache = next((one for one in (environment.places or ()) if one.name == "cache"), None) if environment else None
    has_room = cache is not None and cache.is_writable is not False and not cache.is_read_only
    has_room = has_room and cache is not None and cache.free is not None and cache.free > ROOM
    is_movable = place is not None and place.name not in ("environment", "cache")
    both = ("make-room-to-write", "choose-another-cache-folder")
    return both[::-1] if has_room and is_movable else both


def _is_of_shared_memory(runs: ProgramRuns) -> bool:
    """Whether a failed program was making a lock or memory that processes share, which lies in /dev/shm on Linux."""
    raised = (run.raised for run in runs.failed() if run.raised is not None)
    return any(_SHARING.search(frame.file) for error in raised for frame in error.frames[-1:])


def _shared_memory(found: Recognised, origin: str, is_fatal: bool) -> Finding:
    return Finding(
        severity=Severity.BLOCKING if is_fatal else Severity.WARNING,
        confidence=found.row.certainty,
        subject=SHARED_MEMORY,
        evidence=(
            Evidence("place", SHARED_MEMORY, origin),
            Evidence("clue", quotation(found.line), origin, found.row.sources[0]),
        ),
        values={"place_path": SHARED_MEMORY},
        remedies=("make-shared-memory-writable", "enlarge-shared-memory"),
    )


def _place(path: str, environment: EnvironmentVariables | None) -> StoragePlace | None:
    """The known folder that it lies in; where the words name none, one that cannot be written to."""
    places = (environment.places or ()) if environment else ()
    holding = [place for place in places if path and (path == place.path or path.startswith(f"{place.path}/"))]
    if path:
        return max(holding, key=lambda place: len(place.path), default=None)
    refused = (p for p in places if p.is_read_only or p.is_writable is False or (p.free is not None and p.free < TIGHT))
    return next((place for place in refused if place.name != "environment"), None)
