"""What a run of a program leaves as its result: what it printed, and the files that it wrote, without their times."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

_MOST_TEXT = 4 << 20  # bytes of a text file that are read line by line; of a larger one the digest counts
_TEXTS = (".txt", ".csv", ".tsv", ".json", ".jsonl")
# What repeats byte for byte where its numbers do; pictures with a date in them, archives and logs do not.
_BINARIES = (".npy", ".npz", ".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".pkl", ".joblib", ".onnx", ".png", ".ppm")
_NUMBER = r"\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
# Times, addresses in memory and the numbers of processes, which no seed makes the same.
_VOLATILE = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d(?:[T_ ]\d\d[:-]\d\d(?:[:-]\d\d)?)?(?:[.,]\d+)?"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w* \w{3} +\d+"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?"
    rf"|{_NUMBER} ?(?:ns|us|µs|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b(?:/\w+)?"
    rf"|{_NUMBER} ?(?:[kKMG]?(?:it|items?|samples?|steps?|batch(?:es)?|examples?|tokens?|imgs?|images?|B)/s(?:ec)?)\b"
    rf"|(?i:\b(?:time|times|elapsed|took|duration|eta|speed|fps|throughput|seconds|secs|runtime)\b[^\d\n]{{0,12}}{_NUMBER})"
    r"|\b0x[0-9a-fA-F]{5,}\b"
    r"|(?i:\bpid)\W{0,3}\d+"
    r"|/tmp/[^\s'\"]+"
)
_STAMP = re.compile(r"\d{6,}|\d{4}-\d\d-\d\d\S*")  # in the name of a file


@dataclass(frozen=True)
class Results:
    """Of one run. ``lines``: as printed; ``files``: path within the folder -> the lines of a text, else a digest."""

    lines: tuple[str, ...] = ()
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to compare."""
        return not self.lines and not self.files


@dataclass(frozen=True)
class Difference:
    """The first place at which two runs part. ``file``: "" on standard output; ``line``: from 1; 0: of its bytes."""

    file: str = ""
    line: int = 0
    one: str = ""
    other: str = ""


def results_of(printed: bytes, folder: Path, before: dict[str, tuple[int, int]]) -> Results:
    """The results of a run. ``before``: the files that were there, as :func:`files_in` gives them."""
    text = printed.decode("utf-8", "replace")
    written = (path for path, state in files_in(folder).items() if before.get(path) != state)
    files = {path: found for path in written if (found := _content(folder / path)) is not None}
    return Results(tuple(text.splitlines()), files)


def files_in(folder: Path) -> dict[str, tuple[int, int]]:
    """The files of a folder and its folders with their size and time of change."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = Path(here, name)
            if path.is_file() and not path.is_symlink():
                state = path.stat()
                found[path.relative_to(folder).as_posix()] = (state.st_size, state.st_mtime_ns)
    return found


def _content(path: Path) -> tuple[str, ...] | None:
    suffix = path.suffix.lower()
    if suffix in _TEXTS and path.stat().st_size <= _MOST_TEXT:
        return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    if suffix in (*_TEXTS, *_BINARIES):
        with path.open("rb") as file:
            return ("", hashlib.file_digest(file, "sha256").hexdigest())
    return None


def distinct(runs: Iterable[Results]) -> int:
    """How many different results there are among some runs."""
    return len({_key(run) for run in runs})


def first_difference(runs: Iterable[Results]) -> Difference | None:
    """Where two of some runs part; None where they agree."""
    first, *others = runs
    return next((found for other in others if (found := _parting(first, other)) is not None), None)


def _key(run: Results) -> object:
    return tuple(map(_settled, run.lines)), tuple(sorted(_named(run).items()))


def _named(run: Results) -> dict[str, tuple[str, ...]]:
    """The files by their names without a time, with what does not change by itself."""
    return {_STAMP.sub("*", path): tuple(map(_settled, lines)) for path, lines in run.files.items()}


def _settled(line: str) -> str:
    """A line without what is another in every run by its nature; of a progress bar what stood there last."""
    return _VOLATILE.sub("~", line.rstrip("\r").rpartition("\r")[2])


def _parting(first: Results, other: Results) -> Difference | None:
    if (found := _parting_lines("", first.lines, other.lines)) is not None:
        return found
    here, there = _named(first), _named(other)
    for path in sorted(here.keys() | there.keys()):
        if here.get(path) == there.get(path):
            continue
        one, two = here.get(path, ()), there.get(path, ())
        if "" in one[:1] or "" in two[:1] or not one or not two:
            return Difference(path)
        return _parting_lines(path, one, two)
    return None


def _parting_lines(file: str, first: tuple[str, ...], other: tuple[str, ...]) -> Difference | None:
    for number, (one, two) in enumerate(zip(first, other, strict=False), 1):
        if _settled(one) != _settled(two):
            return Difference(file, number, one, two)
    if len(first) != len(other):
        at = min(len(first), len(other))
        return Difference(file, at + 1, "".join(first[at : at + 1]), "".join(other[at : at + 1]))
    return None
