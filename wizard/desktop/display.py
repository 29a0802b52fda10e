"""Whether a window can be shown here. Asked before Qt is, because Qt ends the whole program where it cannot."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class NoWindow:
    """Why there can be none: "no-display", or "no-qt" with the system library that is missing in ``detail``."""

    reason: str
    detail: str = ""


def no_window(environment: Mapping[str, str] = os.environ) -> NoWindow | None:
    """Why no window can be shown, or None where one can. Loads Qt's widgets, which the window needs next."""
    platform = environment.get("QT_QPA_PLATFORM", "")
    asks_for_x11 = sys.platform.startswith("linux") and platform in {"", "xcb"}  # who names another one knows it
    if asks_for_x11 and (platform or not _has_wayland(environment)):
        trouble = _without_x11(environment.get("DISPLAY", ""))
        if trouble is not None:
            return trouble
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        return NoWindow("no-qt", str(error))
    return None


def _without_x11(display: str) -> NoWindow | None:
    if not display:
        return NoWindow("no-display")
    missing = _missing_library()
    if missing:
        return NoWindow("no-qt", missing)
    return None if _has_x11(display) else NoWindow("no-display")


def _has_wayland(environment: Mapping[str, str]) -> bool:
    name = environment.get("WAYLAND_DISPLAY")
    if not name:
        return False
    import socket  # where it is asked for alone, as in all of this module: the first window waits for it

    path = Path(environment.get("XDG_RUNTIME_DIR", ""), name)  # an absolute name stays as it is
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return False
    return True


def _missing_library() -> str:
    """What the system's loader says of Qt's plugin for X11; "" where it loads. Qt itself only aborts."""
    import ctypes

    found = importlib.util.find_spec("PySide6")
    for folder in found.submodule_search_locations or () if found else ():
        plugin = Path(folder, "Qt", "plugins", "platforms", "libqxcb.so")
        if plugin.is_file():
            try:
                ctypes.CDLL(str(plugin))
            except OSError as error:
                return str(error)
    return ""


def _has_x11(display: str) -> bool:
    """Whether an X server lets us in, asked as Qt asks it."""
    import ctypes

    xcb = ctypes.CDLL("libxcb.so.1")  # the plugin that was loaded stands on it
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    connection = xcb.xcb_connect(os.fsencode(display), None)
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)
