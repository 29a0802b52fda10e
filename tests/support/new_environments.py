"""New environments get a pip of a few lines: their own takes 7 seconds, and a release's tests wait for it."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.broken_environment import SMALL_PIP
from support.extent import ALL

from checks.proof.copies import environment_copy


def small_pip_in_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, until the test is over."""
    if ALL:
        return

    def make(command: Sequence[str], place: Path) -> None:
        *start, folder = command
        _make([*start, "--without-pip", folder], place)
        (site,) = Path(folder).glob("lib/python*/site-packages")
        (site / "pip").mkdir()
        (site / "pip" / "__main__.py").write_text(SMALL_PIP)

    _make = environment_copy._make
    monkeypatch.setattr(environment_copy, "_make", make)
