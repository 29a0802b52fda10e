"""What the package index says about a remedy, in words and as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import Resolution, ResolutionResult
from wizard.report.content.blocks import Item, Items, Step
from wizard.report.content.remedies.proofs import changes_in_words
from wizard.words import words

_MARKS = {
    ResolutionResult.RESOLVED: ("✓", "clear"),
    ResolutionResult.NOTHING_TO_DO: ("×", "blocking"),
    ResolutionResult.NO_SOLUTION: ("×", "blocking"),
    ResolutionResult.SOURCE_ONLY: ("!", "warning"),
}
_OPEN = ("?", "open")
_MOST = 8  # conflicts that are named
_SHORT = 300  # characters of what an installer said
_SMALLEST = 10**5  # bytes that are told as a tenth of a megabyte


def resolution_step(resolution: Resolution, language: str) -> Step:
    """What came of it."""
    known = resolution.result in set(ResolutionResult)
    mark, state = _MARKS.get(ResolutionResult(resolution.result), _OPEN) if known else _OPEN
    if resolution.conflicts and mark == "✓":
        mark, state = "!", "warning"
    return Step(mark, resolution_words(resolution, language), state=state)


def resolution_words(resolution: Resolution, language: str) -> str:
    """One sentence."""
    if resolution.result not in set(ResolutionResult):  # a case of a newer version may hold others
        return words("resolutions.not-resolved", language, reason=resolution.result)
    key = "resolved-conflicts" if resolution.conflicts and resolution.result == "resolved" else resolution.result
    return words(
        f"resolutions.{key}",
        language,
        tool=resolution.tool,
        said=_said(resolution),
        reason=_reason(resolution, language),
    )


def _said(resolution: Resolution) -> str:
    said = " ".join(resolution.said.split())
    return said if len(said) <= _SHORT else said[:_SHORT] + " ..."


def resolution_details(resolution: Resolution, language: str) -> Items | None:
    """What it would change, how large the download is, and what it would break."""
    details = tuple(Item(text) for text in _details(resolution, language))
    return Items(details, "–", "open") if details else None


def _details(resolution: Resolution, language: str) -> Iterator[str]:
    if resolution.lacks_pip:
        yield words("resolutions.lacks-pip", language)
    if resolution.changes:
        yield words("resolutions.changes", language, changes=changes_in_words(resolution.changes, language))
    if resolution.download_bytes or resolution.unsized:
        yield _download(resolution, language)
    if resolution.conflicts:
        key = "conflicts" if resolution.result == ResolutionResult.RESOLVED else "conflicts-known"
        yield words(f"resolutions.{key}", language, conflicts="; ".join(resolution.conflicts[:_MOST]))


def _download(resolution: Resolution, language: str) -> str:
    if not resolution.download_bytes:
        return words("resolutions.download-unknown", language)
    size = f"{max(resolution.download_bytes, _SMALLEST) / 10**6:,.1f} MB"
    key = "download-more" if resolution.unsized else "download"
    return words(f"resolutions.{key}", language, size=size, count=resolution.unsized)


def _reason(resolution: Resolution, language: str) -> str:
    """Why it is so; a case of a newer version may hold reasons that have no sentence here."""
    try:
        key = f"resolutions.reason-{resolution.reason}"
        return words(key, language, **{"said": _said(resolution), **resolution.values}) if resolution.reason else ""
    except KeyError:
        return resolution.reason
