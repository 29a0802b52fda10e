"""For which Python, system and processor compiled modules were built: by their names, else by their headers.

Source: PEP 3149 and importlib.machinery.EXTENSION_SUFFIXES: "name.cpython-311-x86_64-linux-gnu.so",
"name.cp311-win_amd64.pyd", "name.abi3.so", "name.so".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.facts.installed import ForeignModule
from checks.interpreters import binary
from checks.interpreters.disk import names_in, start_of
from checks.interpreters.layout import Layout

_MOST_HEADERS = 6  # files of one distribution whose headers are read

_TAGGED = re.compile(
    r"^(?P<stem>[^.]+)\.(?:(?P<abi>cpython-\d+[a-z]*|cp\d+[a-z]?|pypy\d+-pp\d+|graalpy[\w.-]*?)(?:-(?P<platform>[\w-]+))?|abi3[\w.-]*?)"
    r"\.(?:so|pyd)$"
)
_MODULE = re.compile(r"\.(?:so|pyd)$")
# Surely modules, although their names tell no system. Other libraries may be there for a system that is not this one.
_HEADER_TELLS = re.compile(r"(?:\.abi3\.so|\.pyd|(?:^|/)_[^/.]*\.so|\.cpython-\d+-darwin\.so)$")
_SYSTEMS = {b"\x7fELF": "Linux", b"MZ": "Windows"}


@dataclass(frozen=True)
class Loader:
    """What one interpreter can load. ``suffix``: "cpython-311-x86_64-linux-gnu" as in its own modules; "" unread."""

    suffix: str
    minor: str  # "3.11"; "" unread
    system: str  # "Linux", "Darwin", "Windows"; "" unread
    architecture: str  # as checks/interpreters/binary.py spells it; "" unread

    @classmethod
    def of(cls, layout: Layout) -> Loader:
        """Read from the interpreter's program and its own compiled modules."""
        head = start_of(layout.origin.real, 4096) or b""
        library = layout.library
        return cls(
            suffix=_own_suffix(layout),
            minor=library.minor if library is not None else "",
            system=_system(head),
            architecture=binary.architecture(head) or "",
        )

    def refusal_by_name(self, name: str) -> str | None:
        """For what a module of this file name was built, where its name tells that it is not for this Python."""
        tagged = _TAGGED.match(name)
        if tagged is None:
            return None
        abi, platform = tagged["abi"], tagged["platform"] or ""
        if abi is None or (self.suffix and f"{abi}-{platform}".rstrip("-") == self.suffix):
            return None
        return self._other_python(abi) or self._other_platform(platform)

    def _other_python(self, abi: str) -> str | None:
        made_for = re.fullmatch(r"(?:cpython-|cp)(\d)(\d+)(?:[a-z]*)", abi)
        own = re.match(r"(cpython|pypy|graalpy)", self.suffix)
        if own is not None and made_for is None and not abi.startswith(own[1]):
            return abi
        if made_for is None:
            return None
        minor = f"{made_for[1]}.{made_for[2]}"
        if (self.minor and minor != self.minor) or (own is not None and own[1] != "cpython"):
            return f"Python {minor}"
        own_flags = re.match(r"cpython-\d+([a-z]*)", self.suffix)
        if own_flags is not None and ("t" in own_flags[1]) != abi.endswith("t"):
            return f"Python {minor}, free-threaded" if abi.endswith("t") else f"Python {minor}, with GIL"
        return None

    def _other_platform(self, platform: str) -> str | None:
        own = re.sub(r"^cpython-\d+[a-z]*-?", "", self.suffix)
        if not platform:
            return None
        system = _system_of(platform)
        if self.system and system and system != self.system:
            return _shown(platform)
        # Names of libc and architecture are compared only where the interpreter's own modules carry them.
        return _shown(platform) if own and own != platform and "-" in own and "-" in platform else None

    def refusal_by_header(self, path: Path) -> str | None:
        """For what a library was built, where its header tells that it is not for this system or processor."""
        head = start_of(path, 4096) or b""
        system, architecture = _system(head), binary.architecture(head) or ""
        if not system:
            return None
        if self.system and system != self.system:
            return " ".join(filter(None, ("macOS" if system == "Darwin" else system, architecture)))
        if not architecture or not self.architecture or "universal2" in (architecture, self.architecture):
            return None
        return None if architecture == self.architecture else architecture


def foreign_modules(folder: Path, paths: Iterator[str], loader: Loader) -> list[ForeignModule]:
    """The compiled modules among these files that this Python cannot load, where there is none that it can.

    A distribution may bring one module for several Pythons or systems: of these, one has to fit.
    """
    variants: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if _MODULE.search(path):
            parent, slash, name = path.rpartition("/")
            variants[f"{parent}{slash}{name.partition('.')[0]}"].append(path)
    found, unclear = [], []
    for files in variants.values():
        refusals = [loader.refusal_by_name(path.rpartition("/")[2]) for path in files]
        if all(refusals):
            found.append(ForeignModule(path=files[0], built_for=refusals[0] or ""))
        elif len(files) == 1 and _HEADER_TELLS.search(files[0]):
            unclear.append(files[0])
    if found:
        return found
    return _by_headers(folder, unclear, loader)


def _by_headers(folder: Path, paths: list[str], loader: Loader) -> list[ForeignModule]:
    """All libraries whose header was read, if none of them fits: some packages carry those of several systems."""
    found = []
    for path in paths[:_MOST_HEADERS]:
        refusal = loader.refusal_by_header(folder / path)
        if refusal is None:
            return []
        found.append(ForeignModule(path=path, built_for=refusal))
    return found


def _own_suffix(layout: Layout) -> str:
    """The ABI tag in the names of the interpreter's own modules; "" where there are none or several."""
    library = layout.library
    if library is None or library.windows:
        return ""
    found = set()
    for name in names_in(library.folder / "lib-dynload"):
        tagged = _TAGGED.match(name)
        if tagged is not None and tagged["abi"]:
            found.add(f"{tagged['abi']}-{tagged['platform'] or ''}".rstrip("-"))
    return found.pop() if len(found) == 1 else ""


def _system(head: bytes) -> str:
    """The system whose format it is; "" unknown. Linux stands for all that use ELF."""
    for magic, system in _SYSTEMS.items():
        if head.startswith(magic):
            return system
    return "Darwin" if binary.is_binary(head) else ""


def _system_of(platform: str) -> str:
    if platform.startswith("win"):
        return "Windows"
    return "Darwin" if "darwin" in platform else "Linux" if "linux" in platform else ""


def _shown(platform: str) -> str:
    return "macOS" if platform == "darwin" else platform
