"""What came of carrying out a proven remedy, in words and as blocks."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from checks.facts import Mending, MendingResult, ProgramRun, Proof, SettingPlace
from checks.facts.remedies.mendings import fixed_by
from checks.proof.changes import Variable
from wizard.report.content.blocks import Item, Items, Step
from wizard.report.content.remedies.proofs import changed_words, failure_words, megabytes, short
from wizard.words import area, words

if TYPE_CHECKING:  # loaded when a remedy is carried out, not with every report
    from checks.mending.journal import Journal
    from checks.mending.mend import Doing
    from checks.mending.proposal import Proposal
    from checks.mending.undo import Impatient
    from checks.proof.changes import Change, NotTriable

_MARKS = {
    MendingResult.FIXED: ("✓", "clear"),
    MendingResult.MADE: ("✓", "clear"),
    MendingResult.NEEDS_SETTING: ("!", "warning"),
    MendingResult.OTHER_FAILURE: ("!", "warning"),
    MendingResult.DID_NOT_HELP: ("×", "blocking"),
    MendingResult.NOT_APPLIED: ("×", "blocking"),
}
# What is said in other words of a program that stayed on the processor.
_SEEN = (MendingResult.FIXED, MendingResult.RUNS_LONGER, MendingResult.DID_NOT_HELP)
_OPEN = ("?", "open")
_MOST_NAMED = 8


def mending_step(mending: Mending, language: str) -> Step:
    """What came of it."""
    is_known = mending.result in set(MendingResult) and not mending.is_undone
    mark, state = _MARKS.get(MendingResult(mending.result), _OPEN) if is_known else _OPEN
    return Step(mark, mending_words(mending, language), state=state)


def mending_words(mending: Mending, language: str) -> str:
    """One sentence."""
    if mending.is_undone:
        return words(f"mendings.undone{'-lost' if mending.lost else ''}", language, files=_named(mending.lost))
    if mending.result not in set(MendingResult):
        return words("mendings.not-done", language, reason=mending.result)
    run = mending.after or mending.before
    of_gpu = "-gpu" if mending.of_gpu and mending.result in _SEEN else ""
    return words(
        f"mendings.{mending.result}{of_gpu}",
        language,
        what=_what(run, language),
        seconds=words("runs.seconds", language, seconds=(run and run.seconds) or 0.0),
        failure=failure_words(run) if run else "",
        said=short(mending.said),
        reason=reason_words(mending.reason, mending.values, language),
        settings=mending.values.get("settings", ""),
        **{name: mending.values.get(name, "") for name in ("path", "command", "lock")},
    )


def mending_details(mending: Mending, proof: Proof | None, language: str) -> Items | None:
    """Before and after, what changed where it was not what its proof tells, and the way back."""
    is_told = proof is not None and proof.changes == mending.changes
    shown = msgspec.structs.replace(mending, changes=()) if is_told else mending
    details = tuple(Item(text) for text in _details(shown, language))
    return Items(details, "–", "open") if details else None


def mending_lines(mending: Mending, language: str) -> Iterator[str]:
    """The sentence and what belongs to it, line by line."""
    yield mending_words(mending, language)
    if not mending.is_undone:
        yield from _details(mending, language)
    else:
        yield from moved_words(mending, language)


def _details(mending: Mending, language: str) -> Iterator[str]:
    if mending.before and mending.after:
        yield words("mendings.before", language, outcome=_outcome(mending.before, mending, language))
        yield words("mendings.after", language, outcome=_outcome(mending.after, mending, language))
    for run in mending.others:
        yield words("mendings.after", language, outcome=_outcome(run, mending, language))
    if mending.changes:
        yield changed_words(mending.changes, language)
    if mending.stands:
        values = {"id": mending.id, "files": mending.saved_files, "size": megabytes(mending.saved_bytes)}
        yield words(f"mendings.how-to-undo{'' if mending.saved_files else '-new'}", language, **values)
    yield from moved_words(mending, language)


def moved_words(mending: Mending, language: str) -> Iterator[str]:
    """Where files are now that may be the user's own work; nothing where there were none."""
    if mending.moved_to:
        yield _moved(mending.moved_to, language)


def put_back_words(stopped: Impatient, language: str) -> Iterator[str]:
    """What became of the environment and of the user's own files, where somebody did not wait for the report."""
    yield words("mendings.put-back", language, path=stopped.prefix)
    if stopped.aside is not None:
        yield _moved(str(stopped.aside), language)


def _moved(folder: str, language: str) -> str:
    return words("mendings.was-moved-aside", language, folder=folder)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")


def _outcome(run: ProgramRun, mending: Mending, language: str) -> str:
    key = "worked" if run.worked else "failed" if run.failed else "longer"
    if mending.of_gpu and not run.failed:
        is_on_gpu = run is mending.after and mending.result in (MendingResult.FIXED, MendingResult.RUNS_LONGER)
        key = "on-gpu" if is_on_gpu else "on-processor"
    seconds = words("runs.seconds", language, seconds=run.seconds or 0.0)
    values = {"what": _what(run, language), "seconds": seconds, "failure": failure_words(run)}
    return words(f"mendings.outcome-{key}", language, **values)


def _what(run: ProgramRun | None, language: str) -> str:
    return (run and run.statement) or words("proofs.program", language)


def mendings_in_short(mendings: Sequence[Mending], language: str) -> Iterator[str]:
    """What a reader shall know of them at once: of the last one."""
    last = next(reversed(mendings), None)
    if last is None or not last.stands:
        return
    if fixed_by(tuple(mendings)):
        works = (last.after, *(run for run in last.others if run.worked))
        what = words("report.list-separator", language).join(_what(run, language) for run in works)
        yield words(f"mendings.in-short-fixed{'-gpu' if last.of_gpu else ''}", language, what=what)
        return
    by_itself = (MendingResult.NEEDS_SETTING, MendingResult.MADE)
    key = "runs-longer" if last.mended else last.result if last.result in by_itself else "not-mended"
    values = {name: last.values.get(name, "") for name in ("settings", "path", "command")}
    yield words(f"mendings.in-short-{key}", language, **values)


def setting_items(places: Sequence[SettingPlace], language: str) -> Items | None:
    """Where variables are set, and what the lines would be."""
    return Items(tuple(Item(_setting(place, language)) for place in places), "→", "open") if places else None


def _setting(place: SettingPlace, language: str) -> str:
    key = f"setting-{'removed' if place.changed is None else 'changed'}{'' if place.line else '-whole'}"
    return words(
        f"mendings.{key}",
        language,
        path=place.path,
        line=place.line,
        text=place.text,
        changed=place.changed or "",
        anew=words(f"mendings.anew-{place.anew}", language) if f"anew-{place.anew}" in area("mendings") else "",
    )


def doing_words(step: Doing, language: str) -> str:
    """What happens while a remedy is carried out."""
    return words(f"mendings.stage-{step.stage}", language, title=step.title)


def plan_words(proposed: Proposal, language: str) -> tuple[str, ...]:
    """All that a user agrees to, line by line."""
    from checks.proof.candidates import needs_index  # late: not with every report

    started = (proposed.witness, *proposed.others)
    new = "-new" if proposed.new else ""
    lines = [words(f"mendings.plan-title{new}", language, title=proposed.title, path=str(proposed.prefix))]
    lines += [words("mendings.plan-command", language, command=line) for line in proposed.commands]
    if proposed.packages:
        lines.append(changed_words(proposed.packages, language))
    if needs_index(proposed.changes):
        lines.append(words("mendings.plan-index", language))
    lock = str(proposed.new.lock) if proposed.new else ""
    lines.append(words(f"mendings.plan-kept{new}", language, lock=lock))
    if files := [str(path) for path in proposed.manifests if path.exists()]:
        lines.append(
            words("mendings.plan-project", language, files=words("report.list-separator", language).join(files))
        )
    if proposed.settings:
        told = words("report.list-separator", language).join(_by_hand(change, language) for change in proposed.settings)
        lines.append(words("mendings.plan-variables", language, variables=told))
    commands = dict.fromkeys(witness.statement or shlex.join(witness.command) for witness in started)
    if proposed.new and not proposed.witness.statement:
        commands = {shlex.join(proposed.new.command): None}
    lines += [words("mendings.plan-check", language, command=command) for command in commands]
    return tuple(lines)


def _by_hand(change: Change, language: str) -> str:
    """What is to be done with a variable."""
    if isinstance(change, Variable) and change.value is None:
        return words("mendings.variable-unset", language, name=change.name)
    if isinstance(change, Variable):
        return words("mendings.variable-set", language, name=change.name, value=change.value)
    return words("mendings.variable-other", language, line=change.line)


def refusal_words(why: NotTriable, language: str) -> str:
    """Why nothing is carried out, or undone."""
    return words("mendings.refused", language, reason=reason_words(why.reason, why.values, language))


def reason_words(reason: str, values: dict[str, str], language: str) -> str:
    """A reason in words; a case of a newer version may hold some that have no sentence here."""
    if not reason:
        return ""
    room = "mendings" if f"reason-{reason}" in area("mendings") else "proofs"
    try:
        return words(f"{room}.reason-{reason}", language, **values)
    except KeyError:
        return reason


def half_done_words(journal: Journal, language: str) -> str:
    """What a killed process left, and how to go back."""
    return words("mendings.half-done", language, title=journal.title, path=journal.prefix, id=journal.id)


def aside_words(journal: Journal, moved: Sequence[str], language: str) -> str:
    """What an undo would move aside, and where to."""
    from checks.mending.snapshot import aside_of

    folders = (path.removesuffix("/__init__.py") for path in moved)  # a package by its name
    named: list[str] = []
    for path in sorted(folders):
        if not any(path.startswith(f"{known}/") for known in named):
            named.append(path)
    return words("mendings.moved-aside", language, folder=aside_of(journal.store), files=_named(named))


def journal_words(journal: Journal, language: str) -> str:
    """One line of a list."""
    return words(
        "mendings.list-half" if journal.is_half_done else "mendings.list-one",
        language,
        id=journal.id,
        created=journal.created[:16].replace("T", " "),
        title=journal.title,
        path=journal.prefix,
        files=journal.files,
        size=megabytes(journal.bytes),
    )
