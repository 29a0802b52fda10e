"""How well `naosu scan` judges real programs: precision and recall per rule, crashes, seconds.

    python -m tests.tools.script_table FOLDER [--only PACKAGE]... [--details] [--all]

Scans every folder of programs of real_scripts.toml, which real_scripts_download.py puts into FOLDER, as a user would,
and holds the findings against tests/scripts/expected.toml, where a person said what applies before anything was
scanned. A finding that expected.toml calls unsure counts for nothing. The programs are split in two halves by a hash of
their names: rules are mended by what "tuned" shows (--details lists its differences); of "held" only figures are ever
printed.
--all adds how often each rule speaks in the programs that nobody labelled.

Exit status: 0 all was scanned, 1 a scan crashed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import tomli

from tests.tools.real_scripts_download import Scripts, distributions

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = ROOT / "tests" / "scripts" / "expected.toml"
BY_SUBJECT = frozenset({"seed-missing", "seed-after-use"})  # said once of a generator, wherever
_LIMIT = 900  # seconds for one folder
_SCANNED = (0, 1)  # what `naosu scan` ends with where it read everything that it was given; 2: not all


class Label(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that applies, or that could be said to. ``lines``: "12", "3:12" (cell and line), or "*".

    ``beside``: a file that the program imports, in which it may be said instead, at any line.
    """

    rule: str
    subject: str
    lines: tuple[str, ...]
    why: str
    beside: str = ""

    def meets(self, finding: Finding) -> bool:
        """Whether the finding says this."""
        if self.rule != finding.rule or (self.subject and finding.subject.split(".")[0] != self.subject):
            return False
        return (self.rule in BY_SUBJECT and self.subject != "") or self.names(finding)

    def names(self, finding: Finding) -> bool:
        """Whether it stands at one of the lines."""
        return "*" in self.lines or finding.line in self.lines


class Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program that a person read."""

    package: str
    version: str
    file: str
    sha256: str
    none: bool = False
    applies: tuple[Label, ...] = ()
    unsure: tuple[Label, ...] = ()

    @property
    def half(self) -> str:
        """ "tuned" or "held"."""
        return "held" if hashlib.sha256(f"{self.package}/{self.file}".encode()).digest()[0] & 1 else "tuned"


@dataclass(frozen=True)
class Finding:
    """What the scan said. ``file``: below the archive's own folder; ``line``: "12", in a notebook "3:12"."""

    package: str
    file: str
    rule: str
    subject: str
    line: str

    def __str__(self) -> str:
        return f"{self.package} {self.file}:{self.line} {self.rule} {self.subject}"


@dataclass
class Scanned:
    """What came of all folders."""

    findings: list[Finding] = field(default_factory=list)
    crashed: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    programs: int = 0
    seconds: float = 0.0


@dataclass
class Score:
    """Of one rule."""

    applies: int = 0
    met: int = 0
    right: int = 0
    wrong: int = 0
    unsure: int = 0
    placed: int = 0  # of the right ones: at a line that the label names

    def add(self, other: Score) -> None:
        """Both together."""
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name: str) -> str:
        """A line of the table."""
        precision = f"{self.right / (self.right + self.wrong):.0%}" if self.right + self.wrong else "-"
        recall = f"{self.met / self.applies:.0%}" if self.applies else "-"
        return (
            f"{name:28}{self.applies:8}{self.met:6}{self.right:7}{self.wrong:7}{self.unsure:8}"
            f"{precision:>8}{recall:>8}{self.placed:8}"
        )


HEAD = (
    f"{'rule':28}{'applies':>8}{'met':>6}{'right':>7}{'wrong':>7}{'unsure':>8}{'precis.':>8}{'recall':>8}{'placed':>8}"
)


def judged() -> tuple[Judged, ...]:
    """expected.toml.

    Raises:
        ValueError: a file says both that something applies and that nothing does, or neither.
    """
    with EXPECTED.open("rb") as file:
        found = msgspec.convert(tomli.load(file)["file"], tuple[Judged, ...])
    for program in found:
        if program.none == bool(program.applies):
            raise ValueError(f"{program.file}: none, or what applies")
    return found


def scan(package: Scripts, scratch: Path, into: Scanned) -> None:
    """Scan the folders of a package."""
    root = package.root(scratch)
    for folder, programs in package.programs(scratch):
        into.programs += len(programs)
        start = time.perf_counter()
        command = [sys.executable, "-m", "wizard", "scan", "--json", str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_LIMIT, check=False)
        into.seconds += time.perf_counter() - start
        if done.returncode not in (*_SCANNED, 2) or "Traceback" in done.stderr or not done.stdout.startswith("{"):
            into.crashed.append(f"{package} {folder.name}: exit status {done.returncode}\n{done.stderr[-2000:]}")
            continue
        said = json.loads(done.stdout)
        into.unread += [f"{package} {one}" for one in said.get("unread", ())]
        into.findings += [_finding(package, root, one) for one in said["findings"]]


def _finding(package: Scripts, root: Path, said: dict[str, Any]) -> Finding:
    line = f"{said['cell']}:{said['line']}" if said.get("cell") else str(said["line"])
    path = Path(said["file"]).relative_to(root).as_posix()
    return Finding(package.name, path, said["rule"], said.get("subject") or "", line)


def scores(program: Judged, by_file: dict[tuple[str, str], list[Finding]]) -> tuple[dict[str, Score], list[str]]:
    """Each rule's figures for one program, and in words what differs."""
    findings = by_file.get((program.package, program.file), [])
    table: dict[str, Score] = defaultdict(Score)
    differs = []
    for label in program.applies:
        score = table[label.rule]
        score.applies += 1
        beside = by_file.get((program.package, label.beside), []) if label.beside else []
        if any(label.meets(finding) for finding in (*findings, *beside)):
            score.met += 1
        else:
            where = f"{program.package} {program.file}:{','.join(label.lines)}"
            differs.append(f"missed  {where} {label.rule} {label.subject}: {label.why}")
    for finding in findings:
        score = table[finding.rule]
        if labels := [label for label in program.applies if label.meets(finding)]:
            score.right += 1
            score.placed += any(label.names(finding) for label in labels)
        elif any(label.meets(finding) for label in program.unsure):
            score.unsure += 1
        else:
            score.wrong += 1
            differs.append(f"wrong   {finding}")
    return table, differs


def table(programs: Iterable[Judged], findings: dict[tuple[str, str], list[Finding]]) -> tuple[list[str], list[str]]:
    """The lines of a table over some programs, and what differs."""
    rules: dict[str, Score] = defaultdict(Score)
    differs: list[str] = []
    for program in programs:
        of_program, different = scores(program, findings)
        differs += different
        for rule, score in of_program.items():
            rules[rule].add(score)
    total = Score()
    for score in rules.values():
        total.add(score)
    return [HEAD, *(rules[rule].row(rule) for rule in sorted(rules)), total.row("all rules")], differs


def main() -> int:
    """Scan and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", metavar="PACKAGE")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--all", action="store_true")
    chosen = parser.parse_args()
    scanned, packages = Scanned(), [one for one in distributions() if not chosen.only or one.name in chosen.only]
    for package in packages:
        scan(package, chosen.folder.resolve(), scanned)
    names = {package.name: package for package in packages}
    programs = [program for program in judged() if program.package in names]
    for program in programs:
        path = names[program.package].root(chosen.folder) / program.file
        if hashlib.sha256(path.read_bytes()).hexdigest() != program.sha256:
            parser.error(f"{path} is not the file that was read")
    _print(scanned, programs, details=chosen.details, everything=chosen.all)
    return 1 if scanned.crashed else 0


def _print(scanned: Scanned, programs: list[Judged], *, details: bool, everything: bool) -> None:
    by_file: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in scanned.findings:
        by_file[finding.package, finding.file].append(finding)
    for half in ("tuned", "held"):
        chosen = [program for program in programs if program.half == half]
        lines, differs = table(chosen, by_file)
        print(f"\n{half}: {len(chosen)} programs", *lines, sep="\n")
        if details and half == "tuned":
            print(*sorted(differs), sep="\n")
    print(f"\nboth: {len(programs)} programs", *table(programs, by_file)[0], sep="\n")
    if everything:
        known = {(program.package, program.file) for program in programs}
        spoken = Counter(finding.rule for finding in scanned.findings if (finding.package, finding.file) not in known)
        print(
            "\nin programs that nobody labelled:",
            *(f"{count:6} {rule}" for rule, count in spoken.most_common()),
            sep="\n",
        )
    print(
        f"\n{scanned.programs} programs, {len(scanned.findings)} findings, {len(scanned.unread)} unread,"
        f" {len(scanned.crashed)} folders crashed, {scanned.seconds:.1f} s"
    )
    print(*scanned.unread, *scanned.crashed, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
