"""The distributions installed in folders, from their metadata files. Nothing is imported or started.

importlib.metadata would find the same, but parses every METADATA as a mail (with the whole project description) and
needs one search path per interpreter; reading the few header lines that count is five times faster. The tests compare
the two. Formats: the core metadata and installed-project specifications on packaging.python.org, setuptools'
.egg-info and .egg-link, conda's conda-meta/<name>-<version>-<build>.json.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from checks.facts import Package
from checks.interpreters.disk import is_folder, names_in, start_of, start_until, text_of
from checks.knowledge.packages.ai_packages import framework_of_package, is_examined

_CHUNK = 16 * 1024  # bytes read at a time until the header ends
_MOST_HEADER = 1024 * 1024  # bytes; some projects put whole licences into the header
_MOST_ENTRIES = 20_000  # in one folder
_RECORD_START = 64 * 1024  # bytes of a conda record; the list of files follows and may have megabytes
_MOST_LINKED = 200  # folders that .pth and .egg-link files may add

_HEADERS = re.compile(rb"^(Name|Version|Requires-Dist|Requires-Python):[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_TAGS = re.compile(rb"^Tag:[ \t]*(\S+)[ \t\r]*$", re.MULTILINE)
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_SEPARATORS = re.compile(r"[-_.]+")
_REQUIRED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_METADATA_FOLDER = re.compile(r"(?P<name>[^-]+)-(?P<version>.+?)(?:-py\d[\d.]*(?:-.+)?)?\.(?:dist|egg)-info")
_EXTRA = re.compile(r"\bextra\s*[=!]=")
_CONDA_RECORD = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+)\.json")
_CONDA_CHANNEL = re.compile(rb'"channel"\s*:\s*"((?:[^"\\]|\\.)*)"')


@dataclass
class Packages:
    """What was found, in the order of the search path; ``unread`` names metadata that is damaged, and why."""

    found: list[Package] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


def normalised(name: str) -> str:
    """A distribution's name as PEP 503 compares it: "Ruamel.Yaml" -> "ruamel-yaml"."""
    return _SEPARATORS.sub("-", name).lower()


def read_packages(folders: Iterable[Path], site_folders: Iterable[Path] = ()) -> Packages:
    """The distributions in the folders of a search path; in ``site_folders`` .pth and .egg-link files count too.

    A distribution that stands in two folders is listed twice, each with its location; the first one is imported.
    """
    result = Packages()
    sites = list(site_folders)
    waiting = [*folders, *(site for site in sites)]
    seen: set[str] = set()
    linked = 0
    while waiting:
        folder = waiting.pop(0)
        key = os.path.realpath(folder)
        if key in seen:
            continue
        seen.add(key)
        names = _listed(folder, result)
        for name in names:
            package = _package(folder, name, result)
            if package is not None:
                result.found.append(package)
        if folder in sites:
            links = [name for name in names if name.endswith((".pth", ".egg-link"))]
            added = [package for name in links for package in _linked(folder, name)]
            added = added[: _MOST_LINKED - linked]
            linked += len(added)
            waiting[0:0] = added
    return result


def read_package(folder: Path, name: str) -> Package | None:
    """One distribution by the name of its metadata folder; None where that cannot be read."""
    return _package(folder, name, Packages())


def _listed(folder: Path, result: Packages) -> list[str]:
    """Names in a folder that may be metadata, sorted; an egg on the search path has its metadata in EGG-INFO."""
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if entry.name.endswith((".dist-info", ".egg-info", ".pth", ".egg-link")) or entry.name == "EGG-INFO":
                    names.append(entry.name)
                if count >= _MOST_ENTRIES:
                    result.unread["packages"] = f"{folder}: more than {_MOST_ENTRIES} entries"
                    break
    except FileNotFoundError:
        pass
    except OSError as error:
        result.unread["packages"] = f"{folder}: {error.strerror}"
    return sorted(names)


def _linked(folder: Path, name: str) -> Iterator[Path]:
    """The folders that a .pth or .egg-link file adds to the search path (site.py's rules; code lines are not run)."""
    lines = (text_of(folder / name) or "").splitlines()
    if name.endswith(".egg-link"):
        lines = lines[:1]  # the second is the way from the metadata to the project's root
    for line in lines:
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            path = Path(os.path.normpath(folder / line.rstrip()))
            if is_folder(path):
                yield path


def linked_folders(folder: Path) -> tuple[Path, ...]:
    """The folders that the .pth and .egg-link files of a site folder add to the search path."""
    links = [name for name in names_in(folder) if name.endswith((".pth", ".egg-link"))]
    return tuple(added for name in links for added in _linked(folder, name))[:_MOST_LINKED]


def _package(folder: Path, name: str, result: Packages) -> Package | None:
    # pip renames what it replaces to "~..." and leaves it behind when it is interrupted.
    if name.startswith("~") or name.endswith((".pth", ".egg-link")):
        return None
    base = f"{folder}{os.sep}{name}"
    is_wheel = name.endswith(".dist-info")
    header = _header(f"{base}{os.sep}{'METADATA' if is_wheel else 'PKG-INFO'}")
    if header is None and not is_wheel:
        header = _header(base)  # distutils wrote PKG-INFO as a file
    fields: dict[bytes, list[bytes]] = {}
    for match in _HEADERS.finditer(header or b""):
        fields.setdefault(match[1], []).append(match[2])

    named = _METADATA_FOLDER.fullmatch(name)
    title = _one(fields, b"Name") or (named["name"] if named else "")
    version = _one(fields, b"Version") or (named["version"] if named else "")
    if not header:
        result.unread[f"packages.{name}"] = "no metadata" if header is None else "empty metadata"
    if not title or not version:
        result.unread.setdefault(f"packages.{name}", "no name or version")
        return None
    requires = [line.decode("utf-8", "replace") for line in fields.get(b"Requires-Dist", ())]
    examined = is_examined(normalised(title))
    if not is_wheel and not requires:
        requires = list(_egg_requirements(base)) if examined else []
    return package_of(
        title,
        version,
        location=str(folder),
        installer=((text_of(f"{base}{os.sep}INSTALLER") or "").strip() or None) if is_wheel else None,
        requires=requires if header else None,
        requires_python=_one(fields, b"Requires-Python") or None,
        tags=_tags(base) if is_wheel and examined else None,
    )


def package_of(
    name: str,
    version: str,
    *,
    location: str,
    installer: str | None,
    requires: list[str] | None,
    requires_python: str | None,
    tags: tuple[str, ...] | None,
) -> Package:
    """A distribution from its metadata as they came, with what is kept of them (see :class:`Package`)."""
    plain = normalised(name)
    return Package(
        name=plain,
        version=version,
        location=location,
        installer=installer,
        requires=None if requires is None else _kept_requirements(plain, requires),
        requires_python=requires_python,
        tags=tags if is_examined(plain) else None,
    )


def _kept_requirements(name: str, lines: list[str]) -> tuple[str, ...]:
    """All lines of a framework, extras too; of others those that always apply and, if unexamined, name what is."""
    if name in framework_of_package():
        return tuple(lines)
    lines = [line for line in lines if not _EXTRA.search(line)]
    if is_examined(name):
        return tuple(lines)
    names = ((line, _REQUIRED_NAME.match(line)) for line in lines)
    return tuple(line for line, match in names if match and is_examined(normalised(match.group())))


def _one(fields: dict[bytes, list[bytes]], name: bytes) -> str:
    return fields[name][0].decode("utf-8", "replace") if name in fields else ""


def _header(path: str) -> bytes | None:
    """The header of a metadata file, without the description; None if it is missing or cannot be read."""
    return start_until(path, _HEADER_END, _CHUNK, _MOST_HEADER)


def _tags(base: str) -> tuple[str, ...] | None:
    data = _header(f"{base}{os.sep}WHEEL")
    return None if data is None else tuple(tag.decode("ascii", "replace") for tag in _TAGS.findall(data))


def _egg_requirements(base: str) -> Iterator[str]:
    """requires.txt of an .egg-info as Requires-Dist lines: [extra:marker] sections become markers."""
    marker = ""
    for line in (text_of(f"{base}{os.sep}requires.txt") or "").splitlines():
        text = line.strip()
        if text.startswith("[") and text.endswith("]"):
            extra, _, condition = text[1:-1].partition(":")
            parts = [f"({condition})" if condition and extra else condition, f'extra == "{extra}"' if extra else ""]
            marker = " and ".join(part for part in parts if part)
        elif text:
            yield f"{text}; {marker}" if marker else text


# --- conda -----------------------------------------------------------------------------------------------------------


def with_conda_records(packages: list[Package], prefix: Path) -> list[Package]:
    """The packages, those that conda installed with build and channel, then conda's others (CUDA, cuDNN, MKL)."""
    records = {conda_record.name: conda_record for conda_record in _conda_records(prefix)}
    merged = []
    for package in packages:
        record = records.get(package.name)
        if record is not None and record.version == package.version:
            del records[package.name]
            package = msgspec.structs.replace(  # noqa: PLW2901 - the same package, with more known
                package, build=record.build, channel=record.channel, installer=package.installer or "conda"
            )
        merged.append(package)
    return [*merged, *records.values()]


def _conda_records(prefix: Path) -> Iterator[Package]:
    folder = prefix / "conda-meta"
    for name in names_in(folder)[:_MOST_ENTRIES]:
        record = _CONDA_RECORD.fullmatch(name)
        if record is not None:
            channel = _CONDA_CHANNEL.search(start_of(folder / name, _RECORD_START) or b"")
            yield Package(
                name=normalised(record["name"]),
                version=record["version"],
                location=str(folder),
                installer="conda",
                build=record["build"],
                channel=channel[1].decode("utf-8", "replace").rstrip("/") if channel else None,
            )
