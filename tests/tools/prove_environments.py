"""Let the program prove its remedies on the really broken environments, and see that nothing else changed.

    python -m tests.tools.prove_environments FOLDER [--only b01 b05] [--out FOLDER]

FOLDER as for try_environments. Each program is started by ``naosu run --prove`` in its user's setting. Printed are what
came of each remedy, seconds, megabytes that were copied, and what in the environment differs from before: paths, types,
modes, sizes, times of change and contents of all its files. Before that it is started once by itself, for Python
compiles then what it imports.
"""

import hashlib
import json
import os
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.tools.try_environments import asked_for, asked_in, started_in, symptom_of

PATIENCE = 1800  # seconds for one environment


def main() -> None:
    """Try them all and print a table."""
    places, out = asked_for("proofs")
    counts: Counter[str] = Counter()
    for place in places:
        started_in(place)
        before = _tree(place)
        started = time.monotonic()
        report = _proven(place, out / f"{place.name}.json")
        seconds = time.monotonic() - started
        proofs = report["facts"].get("proofs", []) if report else []
        best = next((proof for proof in proofs if proof["result"] in ("proven", "runs-longer")), None)
        first = proofs[0]["remedy"] if proofs else "-"
        counts["proven" if best else "not proven"] += 1
        changed = sorted(path for path, state in _tree(place).items() if before.get(path) != state)
        counts["changed"] += bool(changed)
        copied = sum(proof.get("copied_bytes") or 0 for proof in proofs) / 1e6
        words = (
            " ".join((f"{proof['remedy']}:", proof["result"], proof.get("reason", ""), *proof.get("then", ())))
            for proof in proofs
        )
        tried = ", ".join(words)
        is_first = " first" if best and best["remedy"] == first else ""
        print(f"{place.name:5} {'PROVEN' + is_first if best else '-':13} {seconds:6.1f} s {copied:6.0f} MB  {tried}")
        for path in changed[:5]:
            print(f"      changed: {path}")
        sys.stdout.flush()
    print(dict(counts))


def _proven(place: Path, path: Path) -> dict[str, Any] | None:
    path.unlink(missing_ok=True)
    command = shlex.split((place / "cmd").read_text("utf-8"))
    asked = ["run", *symptom_of(place), "--prove", "--no-redact", "--lang", "en", "--json", str(path), "--", *command]
    done = asked_in(place, asked, PATIENCE)
    path.with_suffix(".txt").write_bytes(done.stdout + done.stderr)
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def _tree(folder: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(root, name)
            state = path.lstat()
            content = (
                str(path.readlink())
                if path.is_symlink()
                else hashlib.sha256(path.read_bytes()).hexdigest()
                if path.is_file()
                else ""
            )
            is_folder = path.is_dir() and not path.is_symlink()
            found[str(path.relative_to(folder))] = (state.st_mode, 0 if is_folder else state.st_mtime_ns, content)
    return found


if __name__ == "__main__":
    main()
