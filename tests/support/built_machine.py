"""Machines built in a folder: the files that installers and tools really leave, as far as the search reads them."""

from __future__ import annotations

import struct
from pathlib import Path

from checks.interpreters import Places
from checks.interpreters.finding.windows_registry import RegistryKey

# The first bytes of markupsafe 3.0.4's (universal2, i686: 3.0.2's) compiled modules, as the wheels hold them.
HEADS = {
    "x86_64 linux": bytes.fromhex("7f454c4602010100000000000000000003003e00010000000000000000000000"),
    "aarch64": bytes.fromhex(
        "7f454c460201010000000000000000000300b7000100000000000000000000004000000000000000387c030000000000"
    ),
    "ppc64le": bytes.fromhex(
        "7f454c46020101000000000000000000030015000100000000000000000000004000000000000000a875030000000000"
    ),
    "x86 linux": bytes.fromhex(
        "7f454c4601010100000000000000000003000300010000000000000034000000dc86000000000000340020000a002800"
    ),
    "arm64": bytes.fromhex(
        "cffaedfe0c00000100000000080000000e00000088050000850000000000000019000000280200005f5f544558540000"
    ),
    "x86_64 macos": bytes.fromhex(
        "cffaedfe0700000103000000080000000c00000020050000850000000000000019000000280200005f5f544558540000"
    ),
    "universal2": bytes.fromhex(
        "cafebabe00000002010000070000000300001000000023d00000000c0100000c00000000000040000000c5f00000000e"
    ),
    "AMD64": b"MZ" + bytes(58) + struct.pack("<I", 264) + bytes(200) + bytes.fromhex("5045000064860600"),
    "ARM64": b"MZ" + bytes(58) + struct.pack("<I", 272) + bytes(208) + bytes.fromhex("5045000064aa0600"),
    "x86 windows": b"MZ" + bytes(58) + struct.pack("<I", 256) + bytes(192) + bytes.fromhex("504500004c010500"),
}


class BuiltMachine:
    """A machine below a folder; ``places`` is what the search sees of it."""

    def __init__(self, root: Path, system: str = "Linux") -> None:
        self.root = root
        self.system = system
        self.home = root / ("Users/aya" if system != "Linux" else "home/aya")
        self.home.mkdir(parents=True)
        self.environ: dict[str, str] = {}
        self.path: list[Path] = []
        self.near: list[Path] = []
        self.registry: tuple[RegistryKey, ...] = ()
        self.head = HEADS[{"Linux": "x86_64 linux", "Darwin": "arm64", "Windows": "AMD64"}[system]]
        if system == "Windows":
            self.environ = {
                "APPDATA": str(self.home / "AppData/Roaming"),
                "LOCALAPPDATA": str(self.home / "AppData/Local"),
                "ProgramData": str(root / "ProgramData"),
                "ProgramFiles": str(root / "Program Files"),
            }

    @property
    def places(self) -> Places:
        return Places(
            home=self.home,
            system=self.system,
            root=self.root,
            environ=self.environ,
            path_entries=tuple(self.path),
            near=tuple(self.near),
            registry=lambda: self.registry,
        )

    def program(self, path: Path, head: bytes | None = None) -> Path:
        """An executable file with the head of a real one."""
        return write(path, (self.head if head is None else head) + b"\0Py_BytesMain\0", executable=True)

    def posix_python(self, prefix: Path, version: str, *, headers: bool = True, build: str = "") -> Path:
        """What ``make install`` leaves: bin/python3.11 with two links to it, lib/python3.11, include/python3.11."""
        minor = version.rpartition(".")[0] + build
        program = self.program(prefix / "bin" / f"python{minor}")
        for link in ("python3", "python"):
            (prefix / "bin" / link).symlink_to(program.name)
        write(prefix / "lib" / f"python{minor}" / "os.py")
        (prefix / "lib" / f"python{minor}" / "site-packages").mkdir()
        if headers:
            write(prefix / "include" / f"python{minor}" / "patchlevel.h", f'#define PY_VERSION      \t"{version}"\n')
        return program

    def windows_python(self, prefix: Path, version: str, *, headers: bool = True) -> Path:
        """What the installer of python.org, conda and NuGet leave: python.exe, python311.dll, Lib, include."""
        major, minor, _ = version.split(".")
        write(prefix / f"python{major}{minor}.dll", self.head)
        write(prefix / "Lib" / "os.py")
        (prefix / "Lib" / "site-packages").mkdir()
        if headers:
            write(prefix / "include" / "patchlevel.h", f'#define PY_VERSION "{version}"\n')
        return self.program(prefix / "python.exe")

    def venv(self, prefix: Path, base: Path, config: str | None = None, *, system_site: bool = False) -> Path:
        """What ``python -m venv`` leaves; ``config`` replaces its pyvenv.cfg."""
        home = base.parent
        site = str(system_site).lower()
        config = (
            config or f"home = {home}\ninclude-system-site-packages = {site}\nversion = 3.11.7\nexecutable = {base}\n"
        )
        write(prefix / "pyvenv.cfg", config)
        if self.system == "Windows":
            (prefix / "Lib" / "site-packages").mkdir(parents=True)
            return self.program(prefix / "Scripts" / "python.exe")
        minor = base.resolve().name
        (prefix / "lib" / minor / "site-packages").mkdir(parents=True)
        (prefix / "bin").mkdir()
        (prefix / "bin" / "python").symlink_to(base)
        (prefix / "bin" / "python3").symlink_to("python")
        return prefix / "bin" / "python"


def write(path: Path, content: str | bytes = "", *, executable: bool = False) -> Path:
    """A file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    if executable:
        path.chmod(0o755)
    return path


def install(site: Path, name: str, version: str, *headers: str, installer: str = "pip", tag: str = "") -> Path:
    """A wheel's .dist-info, as pip writes it."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        *headers,
        "",
        "A description.",
        "Name: no",
    ]
    write(folder / "METADATA", "\n".join(lines))
    write(folder / "INSTALLER", installer + "\n")
    write(folder / "RECORD")
    if tag:
        write(folder / "WHEEL", f"Wheel-Version: 1.0\nGenerator: setuptools\nRoot-Is-Purelib: false\nTag: {tag}\n\n")
    return folder
