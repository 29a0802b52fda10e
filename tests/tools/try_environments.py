"""Show the program the really broken environments, and count whether the right cause comes first.

    python -m tests.tools.try_environments FOLDER [--by run check] [--only b01 h05] [--out FOLDER]

FOLDER holds one folder per environment, with these files: ``cmd`` (how its user starts the program), ``cwd`` (where he
stands), ``wrap`` (a program that runs its arguments in his setting), ``target`` (his environment), ``label``, and
``expect``: the causes that fit, by their ids; empty where it works; and, perhaps, ``symptom``: what is asked.
``other`` fits a cause that the catalogue did not have when the environment was written down: those are named in FITS.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 600  # seconds for one environment
SERIOUS = ("blocking", "warning")

# What "other" stands for, by environment.
FITS = {
    "b09": ("damaged-installation", "packages-overwrite-each-other"),
    "b10": ("damaged-installation", "packages-overwrite-each-other"),
    "b40": ("damaged-installation",),
    "b42": ("damaged-installation",),
    "b47": ("damaged-installation", "wheel-for-another-platform"),
    "b51": ("damaged-installation",),
    "b60": ("shadowing-file",),
    "b69": ("wrong-package-of-same-name",),
    "b71": ("python-part-missing",),
    "b86": ("folder-not-executable",),
    "b89": ("environment-variable-invalid",),
    "b91": ("environment-variable-invalid",),
    "b93": ("environment-variable-invalid",),
    "b97": ("package-not-installed",),
    "b100": ("interpreter-not-usable",),
    "b103": ("wheel-for-another-platform", "damaged-installation"),
}


def main() -> None:
    """Try them all and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--by", nargs="*", default=["check", "run"], choices=["check", "script", "run"])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=None, help="where the reports are kept")
    chosen = parser.parse_args()
    out = (chosen.out or chosen.folder / "reports").absolute()
    out.mkdir(parents=True, exist_ok=True)
    counts: dict[str, Counter[str]] = {way: Counter() for way in chosen.by}
    for place in sorted(path.parent for path in chosen.folder.glob("*/target")):
        if chosen.only and place.name not in chosen.only:
            continue
        for way in chosen.by:
            verdict, first, seconds = _tried(place, way, out)
            counts[way]["broken" if place.name.startswith("b") else "healthy"] += 1
            counts[way][verdict] += 1
            print(f"{place.name:5} {way:5} {verdict:9} {seconds:5.1f} s  {first}", flush=True)
    for way, count in counts.items():
        print(way, dict(count))


def _tried(place: Path, way: str, out: Path) -> tuple[str, str, float]:
    report = out / f"{place.name}-{way}.json"
    report.unlink(missing_ok=True)
    target = (place / "target").read_text().strip()
    if way in ("check", "script"):
        asked = ["check", "--target", target, "--symptom", "does-not-start", "--quiet", "--no-redact"]
        asked += ["--json", str(report), *(_script_of(place) if way == "script" else ())]
    else:
        command = shlex.split((place / "cmd").read_text())
        asked = ["run", *symptom_of(place), "--quiet", "--no-redact", "--json", str(report), "--", *command]
    began = time.monotonic()
    try:
        done = asked_in(place, asked)
        (out / f"{place.name}-{way}.txt").write_bytes(done.stdout + done.stderr)
    except subprocess.TimeoutExpired:
        return "timed-out", "", PATIENCE
    seconds = time.monotonic() - began
    try:
        findings = json.loads(report.read_text())["findings"]
    except (OSError, ValueError, KeyError):
        return "no-report", done.stderr.decode("utf-8", "replace").strip()[-200:], seconds
    return *_judged(place, findings), seconds


def _script_of(place: Path) -> list[str]:
    """The option that names the program of an environment, where its command has one."""
    words = [word for word in shlex.split((place / "cmd").read_text()) if word.endswith(".py")]
    folder = (place / "cwd").read_text().strip()
    return ["--script", str(Path(folder, words[-1]))] if words else []


def asked_for(tool: str) -> tuple[list[Path], Path]:
    """The broken environments that a tool's command line names, and the folder for its reports, which is made."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=None, help="where the reports are kept")
    chosen = parser.parse_args()
    out = (chosen.out or chosen.folder / tool).absolute()
    out.mkdir(parents=True, exist_ok=True)
    places = sorted(path.parent for path in chosen.folder.glob("*/target"))
    named = [place for place in places if not chosen.only or place.name in chosen.only]
    return [place for place in named if (place / "expect").read_text().strip()], out


def symptom_of(place: Path) -> list[str]:
    """The option by which an environment's user says what is wrong; empty where he leaves it to the program."""
    file = place / "symptom"
    symptom = file.read_text("utf-8").strip() if file.exists() else ""
    return ["--symptom", symptom] if symptom else []


def asked_in(place: Path, arguments: list[str], patience: float = PATIENCE) -> "subprocess.CompletedProcess[bytes]":
    """Start Naosu in the setting of an environment's user. Its own start is isolated; the setting is for the program.

    Raises:
        TimeoutExpired: it took longer than this.
    """
    start = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_module('wizard', run_name='__main__')"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment["NAOSU_HISTORY"] = "off"  # what is tried here is no history of this machine
    return subprocess.run(
        [str(place / "wrap"), sys.executable, "-I", "-c", start, *arguments],
        cwd=(place / "cwd").read_text().strip(),
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=patience,
    )


def started_in(place: Path) -> None:
    """Start the program of an environment as its user does, and let nobody look."""
    command = [str(place / "wrap"), *shlex.split((place / "cmd").read_text("utf-8"))]
    folder = (place / "cwd").read_text("utf-8").strip()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)


def _judged(place: Path, findings: list[dict[str, object]]) -> tuple[str, str]:
    serious = [finding for finding in findings if finding["severity"] in SERIOUS]
    words = ", ".join(f"{finding['cause']} {finding['severity']} {finding['confidence']:.2f}" for finding in findings)
    expected = (place / "expect").read_text().split()
    if not expected:
        return ("disturbed" if serious else "calm"), words
    if not serious:
        return "silent", words
    fitting = {*expected, *FITS.get(place.name, ())}
    return ("right" if serious[0]["cause"] in fitting else "wrong"), words


if __name__ == "__main__":
    main()
