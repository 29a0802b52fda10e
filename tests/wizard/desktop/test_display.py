"""Whether a window can be shown is known before Qt is asked."""

import ctypes
import socket
import sys
from pathlib import Path

import pytest

from wizard.desktop.display import NoWindow, no_window

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
NOBODY = ":64999"


def test_no_display_is_named() -> None:
    assert no_window({}) == NoWindow("no-display")


def test_nobody_answers() -> None:
    assert no_window({"DISPLAY": NOBODY}) == NoWindow("no-display")
    assert no_window({"DISPLAY": NOBODY, "QT_QPA_PLATFORM": "xcb"}) == NoWindow("no-display")


def test_who_names_another_platform_knows_it() -> None:
    assert no_window({"QT_QPA_PLATFORM": "offscreen"}) is None


def test_wayland(tmp_path: Path) -> None:
    asked = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert no_window(asked) == NoWindow("no-display")
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(tmp_path / "wayland-0"))
        compositor.listen()
        assert no_window(asked) is None
        assert no_window({**asked, "QT_QPA_PLATFORM": "xcb"}) == NoWindow("no-display")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> None:
        assert path.endswith("libqxcb.so")
        raise OSError("libxcb-cursor.so.0: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    trouble = no_window({"DISPLAY": NOBODY})
    assert trouble == NoWindow("no-qt", "libxcb-cursor.so.0: cannot open shared object file")


def test_a_qt_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PySide6.QtWidgets", None)
    trouble = no_window({"QT_QPA_PLATFORM": "offscreen"})
    assert trouble is not None
    assert trouble.reason == "no-qt"
