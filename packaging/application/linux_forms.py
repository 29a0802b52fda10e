"""Linux: the folder with its starter, the Debian package, and the single file that unpacks itself."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from application import contents, icons

HERE = Path(__file__).parent / "linux"
STARTER = contents.ROOT / "packaging" / "installed" / "naosu"
# Letters of both languages in window and PDF; and what a Wayland session has anyway.
_RECOMMENDED = (
    "fonts-dejavu-core, fonts-liberation, fonts-morisawa-bizud-gothic | fonts-noto-cjk, "
    "libwayland-cursor0, libwayland-egl1"
)
_COMMON = contents.ROOT / "packaging" / "common.sh"


def make(folder: Path, release: Path) -> list[Path]:
    """All three, of the folder that PyInstaller made: the application's folder, the package, the single file."""
    application = with_starter(folder, release)
    return [application, single_file(application, release), debian_package(application, release)]


def with_starter(folder: Path, release: Path) -> Path:
    """``naosu`` beside ``app``: it takes the loader's settings of the user aside before our Python starts."""
    application = release / "naosu"
    shutil.rmtree(application, ignore_errors=True)
    application.mkdir()
    folder.rename(application / "app")
    shutil.copy(STARTER, application / "naosu")
    return application


def single_file(application: Path, release: Path) -> Path:
    """A script with the folder behind it. An AppImage would need a starter that has to be downloaded for each build."""
    archive = release / "naosu.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=6) as packed:
        packed.add(application, "naosu", filter=_of_nobody)
    script = single_file_script(hashlib.sha256(archive.read_bytes()).hexdigest()[:16], size_of(application))
    file = release / f"naosu-{contents.VERSION}-{platform.machine()}.run"
    with file.open("wb") as whole, archive.open("rb") as data:
        whole.write(script.encode())
        shutil.copyfileobj(data, whole)
    archive.unlink()
    file.chmod(0o755)
    return file


def single_file_script(checksum: str, size: int) -> str:
    """What stands before the archive; ``size``: bytes once unpacked."""
    script = (HERE / "single-file.sh").read_text("utf-8")
    values = {"SUM": checksum, "SIZE": str(size // 1_000_000), "LINES": str(script.count("\n") + 1)}
    return re.sub("@([A-Z]+)@", lambda found: values[found[1]], script)


def debian_package(application: Path, release: Path) -> Path:
    """The package for Debian and Ubuntu."""
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    ).stdout.strip()
    root = release / "debian"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(application, root / "usr/lib/naosu", symlinks=True)
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/naosu").symlink_to("../lib/naosu/naosu")
    for name, place in (
        ("naosu.desktop", "usr/share/applications"),
        ("naosu.xml", "usr/share/mime/packages"),
        ("copyright", "usr/share/doc/naosu"),
    ):
        icons.written(root / place / name, (HERE / name).read_bytes())
    for size in icons.SIZES:
        icons.written(root / f"usr/share/icons/hicolor/{size}x{size}/apps/naosu.png", icons.png(size))
    icons.written(root / "usr/share/icons/hicolor/scalable/apps/naosu.svg", icons.SVG.read_bytes())
    _readable_by_all(root)
    icons.written(root / "DEBIAN/control", control(architecture, size_of(application)).encode())
    package = release / f"naosu_{contents.VERSION}_{architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, package], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)
    return package


def control(architecture: str, size: int) -> str:
    """What dpkg knows of the package; ``size``: bytes once installed."""
    glibc = platform.libc_ver()[1]
    return f"""Package: naosu
Version: {contents.VERSION}
Architecture: {architecture}
Maintainer: Naosu <naosu@localhost>
Installed-Size: {size // 1024}
Section: devel
Priority: optional
Depends: {", ".join([f"libc6 (>= {glibc})", "libstdc++6", "zlib1g", *system_libraries()])}
Recommends: {_RECOMMENDED}
Description: find out why an AI program does not run here, and what mends it
 Naosu looks at the GPU, its driver, the Python that fails and the model file,
 and ends in a report: the cause in plain words, the remedy, and how to verify
 it. It brings its own Python and touches no other.
"""


def system_libraries() -> list[str]:
    """The packages of the libraries that Qt needs of the system, as packaging/common.sh lists them."""
    (listed,) = re.findall(r"^system_packages=\((.*?)\)$", _COMMON.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [name for name in listed.split() if name.startswith("lib") and not name.startswith(contents.TRAVELLING)]


def size_of(folder: Path) -> int:
    """Bytes of all files, each counted once."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _readable_by_all(root: Path) -> None:
    """Whatever the mask of the builder was."""
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
