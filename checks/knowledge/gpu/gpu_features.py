"""Features that some generations of NVIDIA's GPUs have not, found in the words with which programs refuse them."""

import functools
import re

import msgspec

from checks.facts.versions import release
from checks.knowledge import Row, Table
from checks.knowledge.gpu.gpu_architectures import architecture_of_capability

LINE_LIMIT = 2000  # characters of one line that are searched
LINES_LIMIT = 400  # lines of one text that are searched, the last ones
_RAISED = re.compile(r"\b\w*(?:Error|Exception|Failure)\b|\b[Ee]rror[,:]|\bERROR\b")


class GpuFeature(Row):
    """One wording and what it needs; the fields are explained at the head of the table."""

    id: str
    pattern: str
    name: str
    remedies: tuple[str, ...]
    certainty: float
    sources: tuple[str, ...]
    least: str | None = None
    greatest: str | None = None
    only: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    also: str = ""
    loose: bool = False


class GpuFeatures(Table):
    """resources/knowledge/gpu/gpu_features.toml."""

    generations: dict[str, str]
    feature: tuple[GpuFeature, ...]


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A feature that a line refuses, with what the row and the line say of it. ``has``: of the GPU of the text."""

    row: GpuFeature
    line: str
    name: str
    least: str | None = None
    greatest: str | None = None
    only: tuple[str, ...] = ()
    has: str | None = None
    gpu: str = ""

    def is_lacking(self, capability: str) -> bool:
        """Whether a GPU of this compute capability has it not."""
        wanted = release(capability)
        return (
            (self.least is not None and wanted < release(self.least))
            or (self.greatest is not None and wanted > release(self.greatest))
            or (bool(self.only) and not any(f"{capability}.".startswith(_prefix(only)) for only in self.only))
            or capability in self.row.lacking
        )

    def is_too_new(self, capability: str) -> bool:
        """Whether it lacks it for being newer than what the feature was made for."""
        newest = [only.rstrip(".") for only in self.only] + ([self.greatest] if self.greatest else [])
        return (
            self.is_lacking(capability) and bool(newest) and all(release(capability) > release(one) for one in newest)
        )


def refusals_in(text: str, context: str = "") -> tuple[Refusal, ...]:
    """The features that a text refuses, in its order. ``context``: what must stand there, too, may stand in it."""
    lines = dict.fromkeys(line[:LINE_LIMIT].strip() for line in text.splitlines()[-LINES_LIMIT:])
    return tuple(found for line in lines if (found := _first(line, f"{text}\n{context}")) is not None)


def with_generation(capability: str) -> str:
    """A compute capability as a sentence names it: "10.0 (Blackwell)"."""
    row = architecture_of_capability(capability)
    return f"{capability} ({row.architecture})" if row else capability


def _first(line: str, whole: str) -> Refusal | None:
    is_raised = _RAISED.search(line) is not None
    for row, pattern, also in _compiled():
        found = pattern.search(line) if row.loose or is_raised else None
        if found is not None and also.search(whole):
            return _refusal(row, line, {name: value for name, value in found.groupdict().items() if value})
    return None


def _refusal(row: GpuFeature, line: str, said: dict[str, str]) -> Refusal:
    generation = GpuFeatures.read().generations.get(said.get("generation", ""))
    only = tuple(one.strip().removesuffix("x") for one in said["only"].split(",")) if "only" in said else row.only
    least = _capability(said.get("least")) or row.least or (None if only else generation)
    return Refusal(
        row=row,
        line=line,
        name=said.get("feature", row.name),
        least=least,
        greatest=_capability(said.get("greatest")) or row.greatest,
        only=only,
        has=_capability(said.get("has")),
        gpu=said.get("gpu", ""),
    )


def _capability(text: str | None) -> str | None:
    """A capability in one spelling: 8.9, 89 and (8, 9) are "8.9", and 9 is "9.0"."""
    if text is None:
        return None
    digits = re.findall(r"\d+", text)
    if len(digits) == 2:
        return f"{int(digits[0])}.{int(digits[1])}"
    return f"{int(digits[0][:-1])}.{digits[0][-1]}" if len(digits[0]) > 1 and digits[0] != "10" else f"{digits[0]}.0"


def _prefix(only: str) -> str:
    return only if only.endswith(".") else f"{only}."


@functools.cache
def _compiled() -> tuple[tuple[GpuFeature, re.Pattern[str], re.Pattern[str]], ...]:
    rows = GpuFeatures.read().feature
    return tuple((row, re.compile(row.pattern), re.compile(row.also)) for row in rows)
