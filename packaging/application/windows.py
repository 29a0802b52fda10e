"""Windows: the version resource of the programs, their icon, and the installer. Never run on Windows until now."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from application import contents, icons

HERE = Path(__file__).parent / "windows"
BUILD = contents.ROOT / "build"

_VERSION_FILE = """VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, fileType=0x1, subtype=0x0,
                    date=(0, 0)),
  kids=[
    StringFileInfo([StringTable("040904B0", [
      StringStruct("CompanyName", "Naosu"),
      StringStruct("FileDescription", "Naosu"),
      StringStruct("FileVersion", "{version}"),
      StringStruct("InternalName", "naosu"),
      StringStruct("LegalCopyright", "Apache-2.0"),
      StringStruct("ProductName", "Naosu"),
      StringStruct("ProductVersion", "{version}"),
    ])]),
    VarFileInfo([VarStruct("Translation", [0x0409, 1200])]),
  ],
)
"""


def version_text(version: str = contents.VERSION) -> str:
    """The version resource, as PyInstaller reads it."""
    numbers = [int(part) for part in version.split(".")[:3]]
    return _VERSION_FILE.format(version=version, numbers=tuple(numbers + [0] * (4 - len(numbers))))


def version_file() -> str:
    """The version resource as a file."""
    return str(icons.written(BUILD / "version.txt", version_text().encode()))


def icon() -> str:
    """The icon of the programs."""
    return str(icons.written(BUILD / "naosu.ico", icons.ico()))


def make(folder: Path, release: Path) -> list[Path]:
    """Sign the programs where NAOSU_SIGN names a command, and make the installer with NSIS."""
    for program in ("naosu.exe", "naosuw.exe"):
        sign(folder / program)
    installer = release / f"naosu-{contents.VERSION}-setup.exe"
    compiler = shutil.which("makensis") or r"C:\Program Files (x86)\NSIS\makensis.exe"
    subprocess.run(installer_command(compiler, folder, installer), check=True)
    sign(installer)
    return [installer]


def installer_command(compiler: str, folder: Path, installer: Path) -> list[str]:
    """How NSIS is started."""
    values = {"VERSION": contents.VERSION, "FOLDER": folder, "ICON": icon(), "OUT": installer}
    return [
        compiler,
        "-V2",
        "-INPUTCHARSET",
        "UTF8",
        *(f"-D{name}={value}" for name, value in values.items()),
        str(HERE / "naosu.nsi"),
    ]


def sign(file: Path) -> None:
    """Sign with the command of NAOSU_SIGN, which ends in the file's name, e.g. "signtool sign /fd sha256 /a"."""
    command = os.environ.get("NAOSU_SIGN")
    if command:
        subprocess.run(f'{command} "{file}"', shell=True, check=True)  # noqa: S602 - the builder's own command
