"""Carry out proven remedies in really broken environments, undo each, and see that every byte is as before.

    python -m tests.tools.undo_environments [FOLDER] [--only b01 uv-six] [--uv PROGRAM] [--conda PROGRAM]
        [--work FOLDER]

FOLDER as for try_environments: each environment is copied, and the copy is bound over its place for the program alone,
so its paths hold and the original is never touched. Beside them stand small environments that are made and broken here
with pip, virtualenv, uv, and a conda with the channels that it is set to. All is done by ``naosu run --apply --yes``
and ``naosu undo --yes``, never as root: root may start this, on Linux, and becomes another user in namespaces. Printed
are what came of it, whether freeze (versions, sources, hashes) and files (kinds, modes, times of change, contents; of
folders, too) are as before, seconds, and the megabytes that were kept.
"""

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks.mending.freeze import freeze

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 1800  # seconds for one environment


@dataclass(frozen=True)
class Small:
    """An environment that is made here. ``removed``: files that somebody deletes; ``program``: what fails then."""

    packages: tuple[str, ...]
    program: str
    removed: tuple[str, ...] = ()


SMALL = {
    "six": Small(("idna",), "import six\nprint(six.__version__)"),
    "yaml": Small(("idna",), "import yaml\nprint(yaml.safe_load('[1]'))"),
    "pillow": Small(("six",), "from PIL import Image\nprint(Image.new('L', (1, 1)).size)"),
    "requests": Small(("requests",), "import requests\nprint(requests.__version__)", ("idna/core.py",)),
    "numpy": Small(("numpy<2.3",), "import numpy\nprint(numpy.ones(2))", ("numpy/_core/_multiarray_umath*.so",)),
    "setuptools": Small(("setuptools>=82",), "import pkg_resources\nprint(pkg_resources)"),
    "jinja2": Small(("jinja2==2.11.3", "markupsafe==2.1.5"), "import jinja2\nprint(jinja2.__version__)"),
}
MAKERS = ("pip", "virtualenv", "uv", "conda")


def main() -> None:
    """Try them all and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--uv", default=shutil.which("uv"))
    parser.add_argument("--virtualenv", default=shutil.which("virtualenv"))
    parser.add_argument("--conda", default=shutil.which("conda"))
    parser.add_argument("--work", type=Path, default=Path("/var/tmp/naosu-undo"))
    chosen = parser.parse_args()
    work = chosen.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    for maker in MAKERS:
        for name, small in SMALL.items():
            programs = {"uv": chosen.uv, "virtualenv": chosen.virtualenv, "conda": chosen.conda}
            program = programs.get(maker, sys.executable)
            if program and (not chosen.only or f"{maker}-{name}" in chosen.only):
                place = work / f"{maker}-{name}"
                _print(place.name, counts, lambda: _small(place, small, maker, program), place)  # noqa: B023
    for original in sorted(path.parent for path in chosen.folder.glob("*/target")) if chosen.folder else ():
        if (original / "expect").read_text().strip() and (not chosen.only or original.name in chosen.only):
            place = work / original.name
            _print(original.name, counts, lambda: _real(original, place), place)  # noqa: B023
    print(dict(counts))


def _print(name: str, counts: Counter[str], make: Callable[[], "Case"], place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    began = time.monotonic()
    case = make()
    tree, frozen = tree_of(case.environment), freeze(case.environment)
    report = case.naosu(
        "run", "--apply", "--yes", "--no-redact", "--lang", "en", "--json", case.report, "--", *case.command
    )
    mendings = report["facts"].get("mendings", []) if report else []
    last = mendings[-1] if mendings else {}
    if not last.get("id") or last.get("is_undone"):
        counts["undone at once" if last.get("is_undone") else "not applied"] += 1
        same = _same(tree, tree_of(case.environment))
        counts["changed"] += bool(same)
        print(f"{name:20} {last.get('result', '-')} {last.get('reason', '')}  {same or ''}", flush=True)
    else:
        changed = len(_same(tree, tree_of(case.environment)))
        undone = case.naosu("undo", "--yes", "--json", case.report) or {}
        different = _same(tree, tree_of(case.environment))
        is_same = undone.get("result") == "undone" and not different and freeze(case.environment) == frozen
        counts["applied"] += 1
        counts[last["result"]] += 1
        counts["undone exactly" if is_same else "NOT AS BEFORE"] += 1
        size = last.get("saved_bytes", 0) / 1e6
        told = "as before" if is_same else f"DIFFERENT: {undone.get('result')} {different[:4]}"
        print(
            f"{name:20} {last['result']:13} {last['remedy']:30} {changed:6} paths changed, {size:6.1f} MB kept, "
            f"{time.monotonic() - began:5.0f} s: {told}",
            flush=True,
        )
    shutil.rmtree(place, ignore_errors=True)


@dataclass(frozen=True)
class Case:
    """``bound``: the place over which the copy lies for the program; None: it is where it was made."""

    environment: Path
    command: list[str]
    folder: str
    wrap: list[str]
    place: Path
    bound: Path | None = None

    @property
    def report(self) -> str:
        return str(self.place / "report.json")

    def naosu(self, *words: str) -> Any:
        """What a command wrote as JSON."""
        Path(self.report).unlink(missing_ok=True)
        python = [sys.executable, "-m", "wizard", *words]
        data = {"XDG_DATA_HOME": str(self.place / "data"), "XDG_CACHE_HOME": str(self.place / "cache")}
        variables = {**os.environ, **data, "PYTHONPATH": str(ROOT)}
        line = f"cd {shlex.quote(self.folder)} && exec {shlex.join([*_AS_USER, *self.wrap, *python])}"
        if self.bound:
            line = f"mount --bind {shlex.quote(str(self.place))} {shlex.quote(str(self.bound))} && {line}"
            # The report and the data lie in the copy.
            line = line.replace(f"{self.place}/report.json", f"{self.bound}/report.json")
            variables |= {name: value.replace(str(self.place), str(self.bound)) for name, value in data.items()}
        inside = ["unshare", "--mount", "sh", "-c", line] if self.bound else ["sh", "-c", line]
        done = subprocess.run(inside, env=variables, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        told = self.place.with_name(f"{self.place.name}-{words[0]}.txt")
        told.write_bytes(done.stdout + done.stderr)
        return json.loads(Path(self.report).read_text("utf-8")) if Path(self.report).exists() else None


_AS_USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000") if os.geteuid() == 0 else ()


def _real(original: Path, place: Path) -> Case:
    subprocess.run(["cp", "-a", str(original), str(place)], check=True)
    # The environment lies at "env", or in the project's folder.
    inside = next(path.parent for pattern in ("*", "*/*") for path in original.glob(f"{pattern}/pyvenv.cfg"))
    return Case(
        environment=place / inside.relative_to(original),
        command=shlex.split((original / "cmd").read_text("utf-8")),
        folder=(original / "cwd").read_text("utf-8").strip(),
        wrap=[str(original / "wrap")],
        place=place,
        bound=original,
    )


def _small(place: Path, small: Small, maker: str, program: str) -> Case:
    environment = place / "env"
    place.mkdir(parents=True)
    python = str(environment / "bin" / "python")
    base = str(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))
    quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL}
    if maker == "conda":
        version = f"python={sys.version_info[0]}.{sys.version_info[1]}"
        called = [program, "create", "--yes", "--quiet", "--prefix", str(environment)]
        subprocess.run([*called, version, "pip", *small.packages], **quiet)
    elif maker == "uv":
        subprocess.run([program, "venv", "--quiet", "--python", base, str(environment)], **quiet)
        subprocess.run([program, "pip", "install", "--quiet", "--python", python, *small.packages], **quiet)
    else:
        made = [base, "-m", "venv"] if maker == "pip" else [program, "--quiet", "--python", base]
        subprocess.run([*made, str(environment)], **quiet)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *small.packages], **quiet)
    (site,) = environment.glob("lib/python*/site-packages")
    for pattern in small.removed:
        for path in site.glob(pattern):
            path.unlink()
    (place / "prog.py").write_text(small.program + "\n")
    is_told = maker in ("uv", "conda")
    path = f"PATH={Path(program).parent}:{os.environ['PATH']}" if is_told else "NAOSU_TRIED=1"
    return Case(environment, [python, "prog.py"], str(place), ["env", path], place)


def tree_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every file, folder and link: mode, time of change, content."""
    found: dict[str, tuple[object, ...]] = {}
    for root, folders, files in os.walk(folder):
        for path in (Path(root), *(Path(root, name) for name in (*folders, *files))):
            state = path.lstat()
            content = ""
            if path.is_symlink():
                content = str(path.readlink())
            elif path.is_file():
                with open(path, "rb") as file:
                    content = hashlib.file_digest(file, "sha256").hexdigest()
            found[str(path.relative_to(folder))] = (state.st_mode, state.st_mtime_ns, content)
    return found


def _same(before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]) -> list[str]:
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


if __name__ == "__main__":
    main()
