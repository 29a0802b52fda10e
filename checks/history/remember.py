"""An examination looks back at the last one at which it worked, and leaves a snapshot of itself.

Both are compared as they are kept: redacted. So nothing private comes out of the comparison that was not in it.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import msgspec

from checks.analysis.history.observed import Observed, What, failing, observed_in
from checks.analysis.history.state import State, differences, owners_of, state_of
from checks.facts import Change, ChangeKind, Facts, History, ProgramRun
from checks.facts.case import now
from checks.facts.question import SymptomName
from checks.history.files import files_of_program, site_files
from checks.history.harmless import names_somebody, plainly_redacted
from checks.history.logs import logged
from checks.history.needs import needs_of
from checks.history.store import Snapshot, Store
from checks.history.times import modified, utc, with_times
from checks.interpreters import read_interpreter
from checks.interpreters.disk import absolute
from checks.interpreters.installed import read_installed
from checks.prepared import prepared
from checks.sharing.redact import redacted_plain, this_machine

_RELEASE = re.compile(r"v?\d[\w.+!-]{0,60}(?: [\w.]{1,40})?")
_MOST_LOOKED_AT = 100  # snapshots in which the last that worked is looked for


NOT_KEPT = "snapshot"  # what is unread of a history whose examination could not be remembered


def look_back(facts: Facts, store: Store, root: Path = Path("/")) -> History | None:
    """What changed since it worked; and the snapshot of this examination is saved. None: nothing is to be remembered.

    ``root``: of the system's logs. Only of what this process read on this machine. Whatever goes wrong with the folder
    is said, and loses nothing.
    """
    if not facts.here or facts.reported or not store.is_on:
        return None
    snapshot = snapshot_of(facts)
    history = _history(facts, snapshot, store, root)
    try:
        store.add(snapshot)
    except OSError as error:
        return msgspec.structs.replace(history, unread={NOT_KEPT: error.strerror or str(error)})
    return history


def remember_mended(facts: Facts, runs: tuple[ProgramRun, ...], store: Store) -> int | None:
    """Save a snapshot of the environment as a remedy left it, and of ``runs``, which were seen behind it.

    ``facts``: of the examination before. Returns the snapshot's number; None: nothing is to be remembered.

    Raises:
        OSError: the folder cannot be written.
    """
    target = facts.target_interpreter
    if target is None or not facts.here or facts.reported or not store.is_on:
        return None
    mended = msgspec.structs.replace(target, packages=read_interpreter(target.path).packages)
    others = tuple(other for other in facts.interpreters or () if other is not target)
    now_there = msgspec.structs.replace(
        facts,
        interpreters=(mended, *others),
        installed=read_installed(mended) if facts.installed else None,
        frameworks=None,
        models=tuple(msgspec.structs.replace(model, runs=()) for model in facts.models),
        runs=runs,
    )
    return store.add(snapshot_of(now_there))


def remember_undone(number: int, python: str, store: Store) -> None:
    """Save that the packages of an environment are others again than in the snapshot of this number.

    Nothing was tried since then, so nothing is said to work or to fail.

    Raises:
        OSError: the folder cannot be written.
    """
    present = snapshot_of(Facts(interpreters=(read_interpreter(python),), target=python))
    mended = store.read(number)
    if store.is_on and mended is not None and mended.key == present.key and ChangeKind.PACKAGE in present.state:
        packages = present.state[ChangeKind.PACKAGE]
        store.add(msgspec.structs.replace(present, state={ChangeKind.PACKAGE.value: packages}))


def snapshot_of(facts: Facts, besides: tuple[str, ...] = ()) -> Snapshot:
    """An examination, redacted. ``besides``: files of the user's that another one looked at."""
    target = facts.target_interpreter
    state = state_of(facts)
    state[ChangeKind.PROGRAM] = files_of_program(facts, besides)
    if ChangeKind.FILE in state:
        state[ChangeKind.FILE] |= site_files(facts)
    raw: dict[str, Any] = {
        "target": facts.target or "",
        "observed": msgspec.to_builtins(observed_in(facts)),
        "state": state,
    }
    plain = _redacted(raw, facts.target or "")
    return Snapshot(
        created=now(),
        naosu=_version(),
        key=_key(facts.target or ""),
        target=plain["target"],
        python=(target.version or "") if target else "",
        observed=msgspec.convert(plain["observed"], prepared(tuple[Observed, ...])),
        state=plain["state"],
    )


def state_to_compare(facts: Facts) -> State:
    """What the facts of an opened case say, redacted as snapshots are; nothing is read from this machine for it."""
    found: State = _redacted({"state": state_of(facts)}, facts.target or "")["state"]
    return found


def _redacted(raw: dict[str, Any], target: str) -> dict[str, Any]:
    """The same, redacted, but for plain releases: "12.4.5.8" is no address there."""
    own = this_machine()
    kept = {
        kind: {
            name: value
            for name, value in raw["state"].get(kind, {}).items()
            if _RELEASE.fullmatch(value) and not names_somebody(value, own)
        }
        for kind in (ChangeKind.PACKAGE, ChangeKind.PYTHON, ChangeKind.MACHINE)
    }
    state = {
        kind: {name: "" if name in kept.get(kind, {}) else value for name, value in values.items()}
        for kind, values in raw["state"].items()
    }
    raw = {**raw, "state": state}
    plain: dict[str, Any] = plainly_redacted(raw, own) or redacted_plain(raw, target, own)
    for kind, releases in kept.items():
        shown = plain["state"].get(kind, {})
        for name, hidden in zip(state.get(kind, {}), list(shown), strict=True):
            shown[hidden] = releases.get(name, shown[hidden])
    return plain


def _version() -> str:
    from checks import __version__

    return __version__


def _key(path: str) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def _history(facts: Facts, snapshot: Snapshot, store: Store, root: Path) -> History:
    failed = failing(facts)
    known = []
    for number, kept in enumerate(store.newest_first()):
        if number >= _MOST_LOOKED_AT:
            break
        known.append(kept)
    found = _last_that_worked(failed, snapshot, known)
    if found is None:
        is_asked = bool(failed) or (facts.symptom is not None and facts.symptom.name == SymptomName.AFTER_CHANGE)
        return History(
            origin="logs",
            what=failed[0].label if failed else "",
            logged=logged(facts, root=root) if is_asked else (),
            requires=needs_of(facts),
        )
    worked, seen = found
    besides = tuple(map(os.path.expanduser, worked.state.get(ChangeKind.PROGRAM, {})))
    present = snapshot_of(facts, besides)
    since = _first_failing(seen, worked, known) if seen else None
    owners = owners_of(facts)
    changes = _without_doubles(
        _without_older(differences(worked.state, (since or present).state, owners), worked, facts)
    )
    if seen:
        changes = (*changes, *_new_files(worked, since or present))
    later = differences(since.state, present.state, owners) if since else ()
    return History(
        requires=needs_of(facts),
        origin="snapshots",
        number=worked.number,
        worked=worked.created,
        what=seen.label if seen else "",
        failing_since=since.created if since else "",
        changes=_dated(changes, worked, facts, known),
        logged=_until(logged(facts, worked.created, root), since) if seen else (),
        later=_dated(later, since, facts, known) if since else (),
    )


def _last_that_worked(
    failed: tuple[Observed, ...], present: Snapshot, newest_first: list[Snapshot]
) -> tuple[Snapshot, Observed | None] | None:
    """The newest at which the thing worked that fails now; where nothing fails, at which all that was seen worked."""
    for seen in failed:
        for old in newest_first:
            is_same_python = old.key == present.key or seen.what == What.PROGRAM
            if is_same_python and any(one.key == seen.key and one.worked for one in old.observed):
                return old, seen
    if failed:
        return None
    return next(((old, None) for old in newest_first if old.key == present.key and old.worked), None)


def _first_failing(seen: Observed, worked: Snapshot, newest_first: list[Snapshot]) -> Snapshot | None:
    """The oldest one after it that failed in the same way; what changed later cannot be why."""
    after = [old for old in newest_first if old.number > worked.number]
    return next(
        (old for old in reversed(after) for one in old.observed if one.key == seen.key and one.failure == seen.failure),
        None,
    )


def _new_files(worked: Snapshot, present: Snapshot) -> tuple[Change, ...]:
    """Files of the program that did not take part when it worked, and were written since."""
    had, has = worked.state.get(ChangeKind.PROGRAM, {}), present.state.get(ChangeKind.PROGRAM, {})
    new = (name for name in sorted(has.keys() - had.keys()) if has[name])
    times = {name: utc(modified(absolute(name)) or 0.0) for name in new}
    return tuple(
        Change(kind=ChangeKind.PROGRAM.value, name=name, after=has[name])
        for name, time in times.items()
        if time >= worked.created
    )


def _dated(
    changes: tuple[Change, ...], old: Snapshot, facts: Facts, newest_first: list[Snapshot]
) -> tuple[Change, ...]:
    """The changes since an old examination, with their times.

    What was put back has files that are older than that: it was seen to be back by the first examination that says so.
    """
    dated = with_times(changes, facts)
    after = [snapshot for snapshot in reversed(newest_first) if snapshot.number > old.number]
    return tuple(
        msgspec.structs.replace(change, time=_first_seen(change, after)) if "" < change.time < old.created else change
        for change in dated
    )


def _first_seen(change: Change, oldest_first: list[Snapshot]) -> str:
    """When the first of these examinations saw what is there now; "" where none did."""
    seen = (one for one in oldest_first if one.state.get(change.kind, {}).get(change.name) == change.after)
    return next((one.created for one in seen), "")


def _without_doubles(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Without the content of a model file that is told to be another model."""
    models = {change.name for change in changes if change.kind == ChangeKind.MODEL}
    return tuple(change for change in changes if change.kind != ChangeKind.PROGRAM or change.name not in models)


def _until(changes: tuple[Change, ...], since: Snapshot | None) -> tuple[Change, ...]:
    return tuple(change for change in changes if since is None or change.time <= since.created)


def _without_older(changes: tuple[Change, ...], worked: Snapshot, facts: Facts) -> tuple[Change, ...]:
    """Without files whose content was only compared now, and that have not been written since it worked."""
    times = with_times(tuple(change for change in changes if change.kind == ChangeKind.FILE), facts)
    older = {change.name for change in times if change.time and change.time < worked.created}
    return tuple(change for change in changes if change.kind != ChangeKind.FILE or change.name not in older)
