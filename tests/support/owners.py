"""Files of another user, which a test that is not the superuser cannot make on the disk."""

import os
from pathlib import Path

import pytest


def strange(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """Give these files to another user."""

    def owned(look: object) -> object:
        def looked(path: Path, **more: object) -> os.stat_result:
            found = look(path, **more)  # type: ignore[operator]
            is_strange = isinstance(path, str | Path) and Path(path) in paths
            return os.stat_result((*found[:4], 4321, *found[5:])) if is_strange else found

        return looked

    monkeypatch.setattr("os.stat", owned(os.stat))
    monkeypatch.setattr("os.lstat", owned(os.lstat))
