"""Record what a checkout of Naosu hides in everything that was recorded, and compare two such records.

    python tests/tools/same_hidden.py record CHECKOUT OUT.jsonl [FILE ...]
    python tests/tools/same_hidden.py compare BEFORE.jsonl AFTER.jsonl

``record`` hides, by the code of CHECKOUT, the texts of *this* checkout: each ticket, case, file of words and tables and
text of the recordings alone and as a case would (learned from itself, its home folder ours), all tickets together, and
lines of all of them in disorder, so that what stands beside each other never did before. One line each: a digest of the
hidden text and how many values of each kind were hidden; with the whole text where it is short. ``compare`` names what
differs. Exit status: 0 the same, 1 a difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
ENDINGS = (".txt", ".json", ".jsonl", ".toml", ".log", ".md", ".py", ".cfg", ".xml")
LONGEST, SHOWN = 3_000_000, 4000


def texts(files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """What is hidden, with its name."""
    tickets = []
    for path in sorted((TESTS / "tickets").rglob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            tickets.append(json.loads(line)["text"])
            yield f"{path.parent.name}/{path.name}:{number}", tickets[-1]
    folders = [TESTS / name for name in ("cases", "recordings", "checks/sharing")] + [ROOT / "resources", *files]
    paths = sorted(path for folder in folders for path in (folder.rglob("*") if folder.is_dir() else [folder]))
    read = {
        path: path.read_text("utf-8", "replace")
        for path in paths
        if path.suffix in ENDINGS and path.stat().st_size < LONGEST
    }
    for path, text in read.items():
        yield (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix(), text
    yield "all tickets", "\n".join(tickets)
    lines = [line[:400] for text in (*tickets, *read.values()) for line in text.splitlines()]
    disorder = random.Random(7)
    for number in range(400):
        yield f"disorder {number}", "\n".join(disorder.sample(lines, 60))
    yield "homes", "".join(f"/home/u{number}x{number * 7919 % 10007}/x " for number in range(1000))
    yield "much disorder", "\n".join(disorder.sample(lines, 30_000))


def record(checkout: Path, out: Path, files: Sequence[Path]) -> None:
    """Write one line per text."""
    sys.path.insert(0, str(checkout.resolve()))
    from checks.sharing.redact import Own, Redaction, learned

    own = Own(user="mizushima", home="/home/mizushima", host="kestrel-dl04")
    with out.open("w", encoding="utf-8") as file:
        for name, text in texts(files):
            names = learned([text], "/home/mizushima/venv/bin/python", own)
            names.word("Blackwell")
            redaction = Redaction(names)
            hidden = redaction.hide(text, "text"), redaction.hide(text, "version"), redaction.is_plain(text[:40])
            secrets = Redaction(type(names)(), only_secrets=True).hide(text, "text")
            answer = json.dumps([*hidden, secrets, sorted(names.counts().items())], ensure_ascii=False)
            digest = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
            kept = answer if len(answer) < SHOWN else ""
            file.write(json.dumps({"text": name, "digest": digest, "hidden": kept}) + "\n")


def compare(before: Path, after: Path) -> int:
    """Print what differs; 1 where something does."""
    first, second = (
        {plain["text"]: plain for plain in map(json.loads, path.read_text("utf-8").splitlines())}
        for path in (before, after)
    )
    differing = [name for name in first if first[name]["digest"] != second.get(name, {}).get("digest")]
    for name in differing:
        print(name, first[name]["hidden"], second.get(name, {}).get("hidden", ""), sep="\n    ")
    print(f"{len(first)} compared, {len(differing)} differ, {len(first.keys() ^ second.keys())} in one record only")
    return int(bool(differing) or first.keys() != second.keys())


def main() -> int:
    """Read the arguments and do what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("checkout", type=Path)
    recording.add_argument("out", type=Path)
    recording.add_argument("files", type=Path, nargs="*")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    chosen = parser.parse_args()
    if chosen.command == "record":
        record(chosen.checkout, chosen.out, chosen.files)
        return 0
    return compare(chosen.before, chosen.after)


if __name__ == "__main__":
    sys.exit(main())
