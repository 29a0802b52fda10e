"""Where pip looks for packages: its settings from files and variables, read without starting it, as uv takes them.

https://pip.pypa.io/en/stable/topics/configuration/: all files' [global] first, then all files' [install], then the
variables. A password in an address is handed on as a variable, which no list of processes shows.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_SECTIONS = ("global", "install")
_LIST = ("extra-index-url", "find-links", "trusted-host", "constraint")
_ELSEWHERE = ("target", "prefix", "root", "user", "python")  # settings that let pip install into another place
_OFF = frozenset(("", "0", "no", "false", "off"))
_LONGEST = 1 << 20


def pip_settings(prefix: str | None, variables: Mapping[str, str]) -> dict[str, str]:
    """The settings of ``pip install`` in the environment at ``prefix``: "index-url" -> its value."""
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for path in _files(prefix, variables):
        parser = configparser.RawConfigParser()
        with contextlib.suppress(OSError, UnicodeError, configparser.Error):
            if path.stat().st_size <= _LONGEST:
                parser.read_string(path.read_text("utf-8"))
        for section in _SECTIONS:
            if parser.has_section(section):
                found[section] |= {name.replace("_", "-"): value.strip() for name, value in parser.items(section)}
    named = {
        name.removeprefix("PIP_").lower().replace("_", "-"): value
        for name, value in variables.items()
        if name.startswith("PIP_") and name != "PIP_CONFIG_FILE"
    }
    return {**found["global"], **found["install"], **named}


def _files(prefix: str | None, variables: Mapping[str, str]) -> Iterator[Path]:
    """The files that pip reads, the one that has the last word last."""
    own = variables.get("PIP_CONFIG_FILE")
    if own == os.devnull:
        return
    home = Path(variables.get("HOME") or variables.get("USERPROFILE") or Path.home())
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    if sys.platform == "win32":
        yield Path(variables.get("PROGRAMDATA", r"C:\ProgramData"), "pip", name)
        yield home / "pip" / name
        yield Path(variables.get("APPDATA", str(home)), "pip", name)
    else:
        shared = "/Library/Application Support" if sys.platform == "darwin" else "/etc/xdg"
        for folder in reversed((variables.get("XDG_CONFIG_DIRS") or shared).split(os.pathsep)):
            yield Path(folder, "pip", name)
        yield Path("/etc", name)
        yield home / ".pip" / name
        yield Path(variables.get("XDG_CONFIG_HOME") or home / ".config", "pip", name)
        if sys.platform == "darwin":
            yield home / "Library" / "Application Support" / "pip" / name
    if prefix:
        yield Path(prefix, name)
    if own:
        yield Path(own)


def from_here(variables: Mapping[str, str], prefix: str | None) -> dict[str, str]:
    """The same with folders of packages that are named from where the user stands, for installers start elsewhere.

    ``prefix``: of the environment; its pip.conf may name them, too, and those of the user and of the system.
    """
    found = dict(variables)
    places = pip_settings(prefix, variables).get("find-links", "")
    if any(map(_is_relative, places.split())):
        found["PIP_FIND_LINKS"] = places
    for name, separator in (("PIP_FIND_LINKS", " "), ("UV_FIND_LINKS", ",")):
        if name in found:
            found[name] = separator.join(map(_whole, found[name].split(separator.strip() or None)))
    return found


def _whole(place: str) -> str:
    return Path(place).absolute().as_uri() if _is_relative(place) else place


def _is_relative(place: str) -> bool:
    """Whether it is a file or folder that is named from the current one."""
    return bool(place) and "://" not in place and not Path(place).is_absolute() and Path(place).exists()


def elsewhere(settings: Mapping[str, str]) -> str:
    """The setting by which pip installs into another place than the environment; "" where there is none."""
    return next((name for name in _ELSEWHERE if settings.get(name, "").lower() not in _OFF), "")


def for_uv(settings: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The same as options and variables of uv."""
    lists = {name: " ".join(filter(_is_there, settings.get(name, "").split())) for name in _LIST}
    given = {
        "UV_DEFAULT_INDEX": settings.get("index-url", ""),
        "UV_INDEX": lists["extra-index-url"],
        "UV_FIND_LINKS": lists["find-links"].replace(" ", ","),
        "UV_INSECURE_HOST": lists["trusted-host"],
        "UV_CONSTRAINT": lists["constraint"],
        "UV_PRERELEASE": "allow" if settings.get("pre", "").lower() not in _OFF else "",
        "SSL_CERT_FILE": settings.get("cert", ""),
        "SSL_CLIENT_CERT": settings.get("client-cert", ""),
        "HTTP_PROXY": settings.get("proxy", ""),
        "HTTPS_PROXY": settings.get("proxy", ""),
    }
    options = ("--no-index",) if settings.get("no-index", "").lower() not in _OFF else ()
    return options, {name: value for name, value in given.items() if value}


def _is_there(place: str) -> bool:
    """Pip warns of a folder that is not there and goes on; uv does not."""
    path = place.removeprefix("file://")
    return "://" in path or not Path(path).is_absolute() or Path(path).exists()
