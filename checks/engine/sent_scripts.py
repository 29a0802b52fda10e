"""The scripts that the user gave, with what their text tells. Nothing of them is run here."""

from __future__ import annotations

from pathlib import Path

import msgspec

from checks.facts import SentFile

_LONGEST = 200_000  # characters of a program that is kept in a case


def with_scripts_read(scripts: tuple[SentFile, ...]) -> tuple[SentFile, ...]:
    """The same files, those with what was read that lie on this machine and are programs."""
    return tuple(_read(sent) for sent in scripts)


def _read(sent: SentFile) -> SentFile:
    if not sent.origin or not Path(sent.origin).is_file():
        return sent
    from checks.analysis.scripts.scan import scan  # late: most examinations have no script

    found = scan([Path(sent.origin)])
    if not found.scripts:
        return sent
    return msgspec.structs.replace(sent, examined=True, text=_text(Path(sent.origin)), read=found.scripts[0])


def _text(path: Path) -> str | None:
    """The program as it is shown: of a notebook its code cells, one after the other; None where it is too long."""
    from checks.readers.scripts.sources import Unreadable, read_source

    try:
        source = read_source(path)
    except (Unreadable, OSError):
        return None
    text = "\n".join(line.text for line in source.lines) if source.lines else source.text
    return text if len(text) <= _LONGEST else None
