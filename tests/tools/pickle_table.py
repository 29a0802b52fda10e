"""What Naosu and other scanners say of the hostile and the harmless pickles of the tests, in one table.

    PYTHONPATH=. python tests/tools/pickle_table.py

Scanners that are installed beside the tests are asked, too: picklescan, fickling, modelscan. Nothing is loaded here;
that the hostile ones run something shows tests/live/test_hostile_proof.py. Of Naosu, "named" is blocking and first; of
all, "warned" is also what could not be read. Seen on 2026-11-24 with NAOSU_TESTS=all: 512 hostile files of 41 tricks,
335 harmless ones:

    scanner           hostile: named  warned  nothing    harmless: named  warned  nothing
    Naosu                        505       7        0                  0       0      335
    picklescan 1.0.5             385     102       25                  3     254       78
    fickling 0.1.12              511       0        1                330       0        5
    modelscan 0.8.8              271      73      168                  0      91      244
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

NAMED, WARNED, NOTHING = "named", "warned", "nothing"


def naosu(path: Path) -> str:
    """What `naosu inspect` says."""
    from checks.facts import Facts, Symptom
    from checks.facts.case import Answers
    from checks.facts.question import MODELS
    from checks.judgement.judge import judged
    from checks.judgement.models.standing import is_any_serious, is_harmful
    from checks.readers.models import read_models

    facts = Facts(models=read_models(path), symptom=Symptom(origin="user", name=MODELS))
    case = judged(facts, Answers(symptom=MODELS))
    if case.findings and is_harmful(case.findings[0]):
        return NAMED
    return WARNED if case.findings or is_any_serious(facts, case.findings, case.verdicts) else NOTHING


def picklescan(path: Path) -> str:
    """Its issues; what it calls suspicious, or cannot read, is a warning."""
    from picklescan.scanner import SafetyLevel, scan_file_path

    found = scan_file_path(str(path))
    if found.issues_count:
        return NAMED
    is_odd = found.scan_err or any(name.safety == SafetyLevel.Suspicious for name in found.globals)
    return WARNED if is_odd else NOTHING


def fickling(path: Path) -> str:
    """Whatever it does not call likely safe; an error is a warning."""
    from fickling.loader import scan_file

    found = scan_file(str(path), graceful=True)
    return NAMED if not found.is_safe else WARNED if found.errors else NOTHING


def modelscan(path: Path) -> str:
    """Its issues; what it skips or cannot read is a warning."""
    from modelscan.modelscan import ModelScan

    found = ModelScan().scan(str(path))
    if found["issues"]:
        return NAMED
    is_read = found["summary"]["scanned"]["total_scanned"] and not found["errors"]
    return NOTHING if is_read else WARNED


SCANNERS: dict[str, Callable[[Path], str]] = {
    "naosu": naosu,
    "picklescan": picklescan,
    "fickling": fickling,
    "modelscan": modelscan,
}


def counted(scan: Callable[[Path], str], files: Iterable[tuple[str, bytes]]) -> Counter[str]:
    """How often it says what."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files:
            path = Path(folder) / name
            path.write_bytes(content)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                try:
                    found[scan(path)] += 1
                except Exception:  # noqa: BLE001 - a scanner that breaks has read nothing
                    found[WARNED] += 1
            path.unlink()
    return found


def main() -> None:
    """Print the table."""
    from support.harmless_pickles import harmless_pickles
    from support.hostile.corpus import samples

    logging.disable(logging.CRITICAL)
    hostile = [(sample.file, sample.content) for sample in samples()]
    harmless = [(made.file, made.content) for made in harmless_pickles()]
    print(f"{len(hostile)} hostile, {len(harmless)} harmless")
    for name, scan in SCANNERS.items():
        if name != "naosu" and importlib.util.find_spec(name) is None:
            continue
        one, other = counted(scan, hostile), counted(scan, harmless)
        print(name, *(f"{said} {one[said]}/{other[said]}" for said in (NAMED, WARNED, NOTHING)), sep="\t")


if __name__ == "__main__":
    main()
