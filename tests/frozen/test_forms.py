"""How the systems install the application: the desktop finds it, the versions agree, and the scripts are sound."""

import configparser
import io
import os
import plistlib
import re
import shutil
import struct
import subprocess
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from application import icons, linux_forms, macos, windows

from checks import __version__
from checks.sharing.case import decode
from wizard.evidence_files import Kind, kind_of
from wizard.report.prints.json_report import to_json

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "application" / "linux"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
CASE = ROOT / "tests" / "cases" / "healthy-wsl2.json"


@pytest.fixture(scope="module")
def entry() -> configparser.SectionProxy:
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(LINUX / "naosu.desktop", "utf-8")
    return read["Desktop Entry"]


def test_the_desktop_entry(entry: configparser.SectionProxy) -> None:
    assert (entry["Type"], entry["Name"], entry["Exec"], entry["Terminal"]) == (
        "Application",
        "Naosu",
        "naosu %f",
        "false",
    )
    assert all(entry[name].endswith(";") for name in ("Categories", "MimeType", "Keywords"))
    assert entry["Comment[ja]"]
    if shutil.which("desktop-file-validate"):
        done = subprocess.run(["desktop-file-validate", LINUX / "naosu.desktop"], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A case as the window and the command line save it."""
    path = tmp_path / "any.naosu.json"
    path.write_bytes(to_json(decode(CASE.read_bytes()), "en"))
    return path


def test_the_mime_type_is_that_of_the_entry_and_fits_saved_cases(entry: configparser.SectionProxy, saved: Path) -> None:
    (kind,) = ET.parse(LINUX / "naosu.xml").getroot()
    assert entry["MimeType"].split(";")[0] == kind.attrib["type"]
    (outer,) = kind.findall(f"{MIME}magic/{MIME}match")
    (inner,) = outer
    beginning = saved.read_bytes()
    assert kind_of(saved) is Kind.REPORT
    for match in (outer, inner):
        first, last = map(int, match.attrib["offset"].split(":"))
        assert first <= beginning.find(match.attrib["value"].encode()) <= last


@pytest.mark.skipif(
    not shutil.which("update-mime-database") or not shutil.which("gio"), reason="needs a desktop's tools"
)
def test_the_desktop_knows_a_saved_case(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "mime" / "packages").mkdir(parents=True)
    shutil.copy(LINUX / "naosu.xml", tmp_path / "mime" / "packages")
    variables = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path)}
    subprocess.run(["update-mime-database", tmp_path / "mime"], env=variables, check=True, capture_output=True)
    command = ["gio", "info", "-a", "standard::content-type", saved]
    assert "application/vnd.naosu.case+json" in subprocess.check_output(command, env=variables, text=True)


def test_the_package_says_its_version_and_needs_what_qt_needs() -> None:
    control = linux_forms.control("amd64", 1_000_000)
    assert f"Version: {__version__}\n" in control
    assert "libegl1" in control
    assert "libxcb-cursor0" not in control  # it travels along
    assert "fonts-noto-cjk" in control
    assert re.fullmatch(r"([A-Z][A-Za-z-]*: .+\n)+( .+\n)+", control)


def test_the_version_resource_of_windows() -> None:
    text = windows.version_text("1.22.3")
    assert text.count('"1.22.3"') == 2
    assert "filevers=(1, 22, 3, 0)" in text
    compile(text, "version.txt", "eval")


@pytest.mark.skipif(shutil.which("makensis") is None, reason="needs NSIS")
def test_the_installer_of_windows_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "BUILD", tmp_path)
    folder = tmp_path / "naosu"
    (folder / "_internal").mkdir(parents=True)
    for name in ("naosu.exe", "naosuw.exe", "_internal/base_library.zip"):
        (folder / name).write_bytes(b"MZ")
    done = subprocess.run(
        windows.installer_command("makensis", folder, tmp_path / "naosu-setup.exe"), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "naosu-setup.exe").read_bytes()[:2] == b"MZ"


def test_the_plist_of_macos() -> None:
    plist = plistlib.loads(plistlib.dumps(macos.plist()))
    assert plist["CFBundleShortVersionString"] == __version__
    assert "com.adobe.pdf" in plist["CFBundleDocumentTypes"][0]["LSItemContentTypes"]


def test_the_icons() -> None:
    assert icons.png(32).startswith(b"\x89PNG")
    ico, icns = icons.ico(), icons.icns()
    assert struct.unpack_from("<HHH", ico) == (0, 1, len([size for size in icons.SIZES if size <= 256]))
    assert (icns[:4], struct.unpack_from(">I", icns, 4)[0]) == (b"icns", len(icns))


@pytest.fixture
def single_file(tmp_path: Path) -> Path:
    """The single file around an application that says how it was started."""
    data = b'#!/bin/sh\necho "$NAOSU_PROGRAM" "$@"\n'
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("naosu/naosu")
        member.size, member.mode = len(data), 0o755
        archive.addfile(member, io.BytesIO(data))
    file = tmp_path / "naosu.run"
    file.write_bytes(linux_forms.single_file_script("0123", 2_000_000).encode() + packed.getvalue())
    file.chmod(0o755)
    return file


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_single_file_unpacks_once_and_starts(single_file: Path, tmp_path: Path) -> None:
    def started(cache: str) -> "subprocess.CompletedProcess[str]":
        variables = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": cache}
        return subprocess.run([single_file, "a b", "c"], env=variables, capture_output=True, text=True)

    first, second = started(str(tmp_path)), started(str(tmp_path))
    assert first.stdout == second.stdout == f"{single_file} a b c\n"
    assert "unpacking once (2 MB)" in first.stderr
    assert second.stderr == ""
    assert [path.name for path in (tmp_path / "naosu").iterdir()] == ["application-0123"]
    nowhere = started("/dev/null/x")
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "set XDG_CACHE_HOME" in nowhere.stderr
