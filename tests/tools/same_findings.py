"""Record what a checkout of Naosu finds in everything that was recorded, and compare two such records.

    python tests/tools/same_findings.py record CHECKOUT OUT.jsonl [TICKETS.jsonl ...] [--every N]
    python tests/tools/same_findings.py compare BEFORE.jsonl AFTER.jsonl [--words] [--ignore KEY ...]

``record`` runs the commands of CHECKOUT (its packages, in this interpreter) over the recordings of *this* checkout, so
that both sides see the same input: every case, measurement and model file of tests/, every ticket of tests/tickets and
of the files that are named (with ``--every N`` each Nth file of tickets alone). One line each: what was found, in which
order, how sure, with which evidence, remedies and outcomes; and, apart from that, the words.

``compare`` prints how many inputs were compared and every one that differs; with ``--words`` the texts count, too; with
``--ignore`` fields of that name do not, for a change of form that is meant.
Exit status: 0 the same, 1 a difference.

Only the command line is used, which outlives a rebuild of the packages behind it.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
WORDS = ("title", "why", "explanation", "questions", "sources", "text", "expect", "risk", "label", "note", "advice")


def record(checkout: Path, out: Path, tickets: Sequence[Path], every: int = 1) -> None:
    """Write one line per input."""
    sys.path.insert(0, str(checkout.resolve()))
    from wizard.__main__ import main

    with out.open("w", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for name, found in _all(main, Path(folder), tickets, every):
            file.write(json.dumps({"input": name, **found}, ensure_ascii=False, sort_keys=True) + "\n")


def _all(
    main: Callable[[Sequence[str]], int], folder: Path, tickets: Sequence[Path], every: int
) -> Iterator[tuple[str, Any]]:
    answer = folder / "answer.json"

    def asked(*arguments: str) -> dict[str, Any]:
        answer.unlink(missing_ok=True)
        status = main([*arguments, "--quiet", "--lang", "en", "--json", str(answer)])
        return _of_case(json.loads(answer.read_bytes()) if answer.exists() else {}, status)

    for path in sorted((TESTS / "cases").glob("*.json")):
        yield f"case {path.stem}", asked("show", str(path))
    for path in sorted((TESTS / "recordings" / "computations").glob("*.json")):
        measured = json.loads(path.read_bytes())
        for symptom in ("results-change", "results-differ"):
            case = folder / "case.json"
            facts = {"measurements": measured["measurements"], "symptom": {"name": symptom}}
            case.write_text(json.dumps({"format": 1, "answers": {"symptom": symptom}, "facts": facts}))
            yield f"computation {path.stem} {symptom}", asked("show", str(case))
    for path in sorted((TESTS / "recordings" / "models").glob("*/*")):
        for inner in sorted(path.iterdir()) if path.name == "made" else [path]:
            name = inner.relative_to(TESTS / "recordings" / "models").as_posix()
            yield f"model {name}", asked("inspect", str(inner))
    for path in sorted([*(TESTS / "tickets").rglob("*.jsonl"), *tickets])[::every]:
        yield from _of_tickets(main, path)


def _of_tickets(main: Callable[[Sequence[str]], int], path: Path) -> Iterator[tuple[str, Any]]:
    stdout, printed = sys.stdout, io.BytesIO()
    sys.stdout = io.TextIOWrapper(printed, encoding="utf-8")
    try:
        main(["diagnose", "--lang", "en", "--json-lines", str(path)])
        sys.stdout.flush()
        answers = printed.getvalue().splitlines()
    finally:
        sys.stdout = stdout
    for number, line in enumerate(answers, start=1):
        yield f"ticket {path.parent.name}/{path.name}:{number}", _of_case(json.loads(line), 0)


def _of_case(plain: dict[str, Any], status: int) -> dict[str, Any]:
    """What was found, and in which words, apart."""
    found = {
        "status": status,
        "findings": [_parted(finding, words=False) for finding in plain.get("findings", ())],
        "outcomes": {
            outcome["cause"]: [outcome.get("status"), outcome.get("reason", ""), len(outcome.get("findings", ()))]
            for outcome in plain.get("outcomes", ())
        },
        "models": [
            {name: model.get(name) for name in ("format", "version", "problem", "dependence", "verdicts")}
            for model in (plain.get("facts") or {}).get("models") or ()
        ],
        "state": (plain.get("verdict") or {}).get("state"),
    }
    words = [_parted(finding, words=True) for finding in plain.get("findings", ())]
    return {"found": found, "words": [words, (plain.get("verdict") or {}).get("sentence")]}


def _parted(value: Any, *, words: bool, name: str = "") -> Any:
    """A value without the texts for readers, or (``words``) nothing but these."""
    if isinstance(value, dict):
        parts = {key: _parted(inner, words=words, name=key) for key, inner in value.items()}
        return {key: part for key, part in parts.items() if part not in (None, {}, [])}
    if isinstance(value, list):
        return [_parted(inner, words=words, name=name) for inner in value]
    return value if (name in WORDS) == words else None


def compare(before: Path, after: Path, *, words: bool, ignored: Sequence[str] = ()) -> int:
    """Print what differs; 1 where something does."""
    first, second = _lines(before, ignored), _lines(after, ignored)
    parts = ("found", "words") if words else ("found",)
    differing = [name for name in first if any(first[name][part] != second.get(name, {}).get(part) for part in parts)]
    for name in differing:
        print(name)
        for part in parts:
            for place, here, there in _apart(first[name][part], second.get(name, {}).get(part), part):
                print(f"    {place}: {_short(here)} -> {_short(there)}")
    print(f"{len(first)} compared, {len(differing)} differ, {len(first.keys() ^ second.keys())} in one record only")
    return int(bool(differing) or first.keys() != second.keys())


def _apart(here: Any, there: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(here, dict) and isinstance(there, dict):
        for key in sorted(here.keys() | there.keys()):
            yield from _apart(here.get(key), there.get(key), f"{place}.{key}")
    elif isinstance(here, list) and isinstance(there, list) and len(here) == len(there):
        for index, (left, right) in enumerate(zip(here, there, strict=True)):
            yield from _apart(left, right, f"{place}[{index}]")
    elif here != there:
        yield place, here, there


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def _lines(path: Path, ignored: Sequence[str]) -> dict[str, Any]:
    def kept(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in fields.items() if name not in ignored}

    with path.open(encoding="utf-8") as file:
        return {plain["input"]: plain for plain in (json.loads(line, object_hook=kept) for line in file)}


def main() -> int:
    """Read the arguments and do what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("checkout", type=Path)
    recording.add_argument("out", type=Path)
    recording.add_argument("tickets", type=Path, nargs="*")
    recording.add_argument("--every", type=int, default=1)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--words", action="store_true")
    comparing.add_argument("--ignore", nargs="*", default=(), metavar="KEY")
    chosen = parser.parse_args()
    if chosen.command == "record":
        record(chosen.checkout, chosen.out, chosen.tickets, chosen.every)
        return 0
    return compare(chosen.before, chosen.after, words=chosen.words, ignored=chosen.ignore)


if __name__ == "__main__":
    sys.exit(main())
