"""Let the program examine the really broken environments, and list what came of resolving its remedies.

    python -m tests.tools.resolve_environments FOLDER [--only b01 b05] [--out FOLDER]

FOLDER as for try_environments. Each program is started by ``naosu run`` in its user's setting. Of the first finding
that is no note every remedy is printed in the order in which it is shown, with its resolution and how long that took.
"""

import json
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.tools.try_environments import SERIOUS, asked_for, asked_in

PATIENCE = 900  # seconds for one environment


def main() -> None:
    """Try them all and print a table."""
    places, out = asked_for("resolutions")
    counts: Counter[str] = Counter()
    for place in places:
        started = time.monotonic()
        report = _examined(place, out / f"{place.name}.json")
        seconds = time.monotonic() - started
        findings = report["findings"] if report else []
        first = next((finding for finding in findings if finding["severity"] in SERIOUS), None)
        remedies = first["remedies"] if first else []
        result = _result(remedies[0]) if remedies else "no remedy"
        counts[result] += 1
        resolutions = report["facts"].get("resolutions", []) if report else []
        asked = max((resolution.get("seconds", 0.0) for resolution in resolutions), default=0.0)
        print(f"{place.name:5} {seconds:5.1f} s, {asked:4.1f} s of it for {len(resolutions)} remedies: {result}")
        for remedy in remedies:
            print(f"      {remedy['id']:28} {_result(remedy):16} {_in_short(remedy)}")
        sys.stdout.flush()
    print(dict(counts))


def _result(remedy: dict[str, Any]) -> str:
    return remedy["resolution"]["result"] if remedy.get("resolution") else "installs nothing"


def _in_short(remedy: dict[str, Any]) -> str:
    found = remedy.get("resolution")
    if not found:
        return " ; ".join(step.get("code", "").replace("\n", " ; ") for step in remedy["steps"] if step.get("code"))
    changes = [
        f"{change['name']} {change.get('version_before', '-')}>{change.get('version_after', '-')}"
        for change in found.get("changes", [])
    ]
    size = f"{found['download_bytes'] / 1e6:.1f} MB" if found.get("download_bytes") else ""
    unsized = f"+{found['unsized']} unknown" if found.get("unsized") else ""
    said = " ".join(found.get("said", "").split())[:120]
    asked = " && ".join(found.get("commands", [])).replace(str(Path.cwd()), "")[-60:]
    more = f"+{len(changes) - 4} more" if len(changes) > 4 else ""
    broken = "breaks " + "; ".join(found["conflicts"][:2]) if found.get("conflicts") else ""
    words = (f"{found.get('seconds', 0):.1f}s", *changes[:4], more, size, unsized, broken, found.get("reason"), said)
    return " | ".join((asked, " ".join(filter(None, words))))


def _examined(place: Path, path: Path) -> dict[str, Any] | None:
    path.unlink(missing_ok=True)
    command = shlex.split((place / "cmd").read_text("utf-8"))
    asked = ["run", "--no-redact", "--lang", "en", "--json", str(path), "--", *command]
    done = asked_in(place, asked, PATIENCE)
    path.with_suffix(".txt").write_bytes(done.stdout + done.stderr)
    return json.loads(path.read_text("utf-8")) if path.exists() else None


if __name__ == "__main__":
    main()
