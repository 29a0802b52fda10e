"""The packages that carry real models: what the list says of each, and how it comes here without running any of it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import msgspec
import tomli

LIST = Path(__file__).with_name("real_packages.toml")
_SOURCE = Path(__file__).with_name("download_source.py")
_PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64")
_MOST_BYTES = 2 * 1024**3  # unpacked; the largest package of the list has 0.4 GB
_MINUTES = 10


class Models(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Models of a package: where they lie, what they are, how many."""

    glob: str
    format: str
    count: int
    part: bool = False
    but: str | None = None

    def paths(self, root: Path) -> list[Path]:
        """The models that are there."""
        return sorted(path for path in root.glob(self.glob) if self.but is None or path != root / self.but)


class Archive(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a registry holds of one version. ``source``: the source distribution, where pip has wheels too.

    Of a repository on GitHub ``version`` is a commit, whose id stands for a checksum.
    """

    registry: str = "pip"  # or "npm", "github"
    name: str
    version: str
    licence: str
    sha256: str
    source: bool = False
    python: str | None = None

    @property
    def folder(self) -> str:
        """The name of the folder that it is unpacked into."""
        if self.registry == "npm":
            return f"npm-{self.name.removeprefix('@').replace('/', '-')}-{self.version}"
        if self.registry == "github":
            return f"{self.name.replace('/', '-')}-{self.version}"
        return f"{self.name.replace('-', '_')}-{self.version}"

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Package(Archive, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A package that carries models."""

    models: tuple[Models, ...]


class _List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    package: tuple[Package, ...]


def packages() -> tuple[Package, ...]:
    """The list."""
    with LIST.open("rb") as file:
        return msgspec.convert(tomli.load(file), _List).package


def unpacked(package: Archive, scratch: Path) -> Path:
    """The folder of the package within the scratch folder; downloaded and unpacked if it is not there yet."""
    folder = scratch / package.folder
    if folder.is_dir():
        return folder
    with tempfile.TemporaryDirectory(dir=scratch, prefix=".") as place:
        if package.registry == "github":
            _check_out(package, Path(place, "unpacked", "src"))
            Path(place, "unpacked").rename(folder)
            return folder
        archive = _download(package, Path(place))
        if (found := _sha256(archive)) != package.sha256:
            raise ValueError(f"{archive.name} has the SHA-256 {found}, not that of the list")
        inside = Path(place, "unpacked")
        inside.mkdir()
        (_unzip if zipfile.is_zipfile(archive) else _untar)(archive, inside)
        inside.rename(folder)
    return folder


def _download(package: Archive, place: Path) -> Path:
    command = _npm(package, place) if package.registry == "npm" else _pip(package, place)
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=60 * _MINUTES, check=False)
    archives = [path for path in place.iterdir() if path.is_file()]
    if done.returncode or len(archives) != 1:
        raise ValueError(f"{package} was not downloaded: {done.stderr.strip()[-500:]}")
    return archives[0]


def _check_out(package: Archive, folder: Path) -> None:
    """One commit of a repository, without its history."""
    folder.mkdir(parents=True)
    source = f"https://github.com/{package.name}.git"
    for command in (
        ["git", "init", "--quiet"],
        ["git", "fetch", "--quiet", "--depth", "1", source, package.version],
        ["git", "-c", "advice.detachedHead=false", "checkout", "--quiet", "FETCH_HEAD"],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60 * _MINUTES, check=False)
        if done.returncode:
            raise ValueError(f"{package} was not downloaded: {done.stderr.strip()[-500:]}")
    shutil.rmtree(folder / ".git")


def _npm(package: Archive, place: Path) -> list[str]:
    npm = shutil.which("npm")  # on Windows a .cmd, which only its whole path starts
    if npm is None:
        raise ValueError("npm is not installed")
    return [npm, "pack", "--ignore-scripts", "--pack-destination", str(place), f"{package.name}@{package.version}"]


def _pip(package: Archive, place: Path) -> list[str]:
    wanted = f"{package.name}=={package.version}"
    if package.source:
        return [sys.executable, str(_SOURCE), str(place), wanted]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", str(place)]
    if package.python:
        command += ["--implementation", "cp", "--python-version", package.python]
        command += [part for platform in _PLATFORMS for part in ("--platform", platform)]
    return [*command, wanted]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unzip(archive: Path, folder: Path) -> None:
    """Unpack files only: zipfile itself drops what would lead out of the folder, and makes a link a file."""
    with zipfile.ZipFile(archive) as opened:
        _refuse_bombs(sum(each.file_size for each in opened.infolist()))
        opened.extractall(folder)


def _untar(archive: Path, folder: Path) -> None:
    """Unpack files only: links and devices are left out, and the filter refuses what would lead out of the folder."""
    with tarfile.open(archive) as opened:
        members = [getmember for getmember in opened.getmembers() if getmember.isfile() or getmember.isdir()]
        _refuse_bombs(sum(member.size for member in members))
        opened.extractall(folder, members, filter="data")


def _refuse_bombs(size: int) -> None:
    if size > _MOST_BYTES:
        raise ValueError(f"{size:,} bytes unpacked are more than any package of the list has")
