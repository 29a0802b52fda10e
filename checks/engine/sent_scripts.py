"""The scripts that the user gave, with what their text tells. Nothing of them is run here."""

from __future__ import annotations

from pathlib import Path

import msgspec

from checks.facts import SentFile


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
    return msgspec.structs.replace(sent, examined=True, read=found.scripts[0])
