"""Small programs whose results really differ, before and after the change that `naosu scan --diff` offers.

    python -m tests.tools.script_proof PYTHON [--runs N] [--only FILE]... [--show]

Runs every program of tests/scripts/programs.toml whose packages PYTHON has, N times in processes of their own; applies
what `naosu scan --diff` prints of a copy with `patch -p1`, runs that as often, and scans it again: nothing may be left
to change. A row is proven where the results differed before and are the same bits after.

Exit status: 0 every one proven, 1 not, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tomli

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "scripts" / "programs"
_MEMORY = Path("/dev/shm")
_SECONDS = 120


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of programs.toml."""

    file: str
    rule: str
    subject: str = ""
    needs: tuple[str, ...] = ()
    arguments: tuple[tuple[str, ...], ...] = ((),)
    folder: bool = False
    note: bool = False

    @property
    def diff_options(self) -> tuple[str, ...]:
        """What prints its change."""
        return ("--diff", "--rule", self.rule) if self.note else ("--diff",)

    def runs(self, python: str, path: Path, times: int) -> list[str]:
        """What it prints, run after run."""
        printed = []
        for number in range(times):
            with _given_folder(number) if self.folder else _nothing() as extra:
                command = [python, str(path), *self.arguments[number % len(self.arguments)], *extra]
                printed.append(_output(command))
        return printed


@dataclass(frozen=True)
class Proof:
    """What came of a program: how many different results before and after, whether it was found, what was left."""

    program: Program
    found: bool
    before: int
    after: int
    left: str
    diff: str

    @property
    def proven(self) -> bool:
        """Differed, was found, was changed, and differs no more."""
        return self.found and self.before > 1 and self.after == 1 and bool(self.diff) and not self.left

    def row(self) -> str:
        """A line of the table."""
        found, proven = "found" if self.found else "missed", "proven" if self.proven else "NOT PROVEN"
        return f"{self.program.file:28}{self.program.rule:26}{found:8}{self.before:8}{self.after:7}  {proven}"


def programs() -> tuple[Program, ...]:
    """programs.toml."""
    with PROGRAMS.with_suffix(".toml").open("rb") as file:
        return msgspec.convert(tomli.load(file)["program"], tuple[Program, ...])


def prove(program: Program, python: str, times: int) -> Proof:
    """Run, change, run again."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, program.file)
        shutil.copyfile(PROGRAMS / program.file, path)
        said = json.loads(_naosu(Path(place), "--json", program.file))["findings"]
        found = any(
            one["rule"] == program.rule and program.subject in ("", one["subject"].split(".")[0]) for one in said
        )
        before = program.runs(python, path, times)
        diff = _naosu(Path(place), *program.diff_options, program.file)
        if diff:
            subprocess.run(["patch", "-p1", "--silent"], cwd=place, input=diff, text=True, check=True)
        after = program.runs(python, path, times)
        left = _naosu(Path(place), *program.diff_options, program.file)
    return Proof(program, found, len(set(before)), len(set(after)), left, diff)


def _naosu(place: Path, *arguments: str) -> str:
    """What `naosu scan` prints in a folder.

    Raises:
        ValueError: it could not read the program.
    """
    command = [sys.executable, "-m", "wizard", "scan", *arguments]
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=_SECONDS)
    if done.returncode not in (0, 1):
        raise ValueError(f"{' '.join(arguments)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def _output(command: list[str]) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_SECONDS)
    if done.returncode:
        raise ValueError(f"{command[1]}: {done.stderr.strip()[-500:]}")
    return done.stdout


@contextmanager
def _given_folder(number: int) -> Iterator[list[str]]:
    """A folder with the same files, made in an order that is another one each time."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as place:
        values = list(range(20))
        random.Random(number).shuffle(values)
        for value in values:
            Path(place, f"{value}.txt").write_text(str(value))
        yield [place]


@contextmanager
def _nothing() -> Iterator[list[str]]:
    yield []


def has(python: str, names: tuple[str, ...]) -> bool:
    """Whether the interpreter finds these packages."""
    asked = f"import importlib.util as u, sys; sys.exit(any(u.find_spec(name) is None for name in {names!r}))"
    return subprocess.run([python, "-c", asked]).returncode == 0


def main() -> int:
    """Prove and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--only", action="append", metavar="FILE")
    parser.add_argument("--show", action="store_true", help="print the changes too")
    chosen = parser.parse_args()
    print(f"{'program':28}{'rule':26}{'':8}{'before':>8}{'after':>7}   (different results of {chosen.runs} runs)")
    proofs = []
    for program in programs():
        if chosen.only and program.file not in chosen.only:
            continue
        if not has(chosen.python, program.needs):
            print(f"{program.file:28}{program.rule:26}not run: no {', '.join(program.needs)}")
            continue
        try:
            proof = prove(program, chosen.python, chosen.runs)
        except (ValueError, subprocess.SubprocessError) as error:
            print(f"{program.file:28}{program.rule:26}{error}")
            continue
        proofs.append(proof)
        print(proof.row(), flush=True)
        if chosen.show:
            print(proof.diff, proof.left and f"and again:\n{proof.left}", sep="\n")
    rules = sorted({proof.program.rule for proof in proofs if proof.proven})
    print(f"{sum(proof.proven for proof in proofs)} of {len(proofs)} proven, {len(rules)} rules: {', '.join(rules)}")
    return 0 if all(proof.proven for proof in proofs) else 1


if __name__ == "__main__":
    sys.exit(main())
