"""What the application carries is whole: resources, probes, modules, and which binaries belong in."""

import re
import sys
from pathlib import Path

import pytest
from application import contents

from checks.engine.scripts import FOLDER

ROOT = Path(__file__).resolve().parents[2]
CARRIED = {Path(folder) / Path(source).name for source, folder in contents.data_files()}


def test_every_resource_is_carried() -> None:
    resources = {
        path.relative_to(ROOT)
        for path in (ROOT / "resources").rglob("*")
        if path.is_file() and "screenshots" not in path.parts
    }
    assert resources
    assert resources <= CARRIED
    assert not [path for path in CARRIED if "screenshots" in path.parts]


def test_every_probe_is_carried_as_a_file_and_as_a_module() -> None:
    probes = {path.relative_to(ROOT) for path in FOLDER.rglob("*.py")}
    assert probes <= CARRIED
    assert {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in probes} <= set(
        contents.modules()
    )


def test_the_licences_of_what_travels_along_do_too() -> None:
    named = {path.parts[1] for path in CARRIED if path.parts[0] == "licenses"}
    assert {"naosu", "numpy", "pypdf", "uv"} <= named
    assert "torch" not in contents.dependencies()
    assert "PySide6-Essentials" in contents.dependencies()


def test_what_mypyc_compiled_brings_its_module() -> None:
    import tomli

    if any(Path(tomli.__file__).parent.glob("*.so")):
        assert [name for name in contents.modules() if name.endswith("__mypyc")]


def test_uv_lies_where_the_application_looks_for_it() -> None:
    source, folder = contents.uv_binary()
    assert Path(source).is_file()
    assert (folder, Path(source).stem) == ("bin", "uv")


def test_no_module_of_qt_that_the_window_imports_is_left_out() -> None:
    texts = (path.read_text("utf-8") for path in (ROOT / "wizard").rglob("*.py"))
    imported = {name for text in texts for name in re.findall(r"from (PySide6\.\w+) import", text)}
    assert imported >= {"PySide6.QtCore", "PySide6.QtSvg"}
    assert not imported & set(contents.EXCLUDED)


@pytest.mark.parametrize(
    ("name", "source", "needed"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", "/venv/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqminimalegl.so", "/venv/libqminimalegl.so", False),
        ("PySide6/Qt/plugins/sqldrivers/libqsqlite.so", "/venv/libqsqlite.so", False),
        ("PySide6/plugins/platforms/qwindows.dll", "C:/venv/qwindows.dll", True),
        ("PySide6/Qt/translations/qtbase_ja.qm", "/venv/qtbase_ja.qm", True),
        ("PySide6/Qt/translations/qtbase_fr.qm", "/venv/qtbase_fr.qm", False),
        ("PySide6/Qt/lib/libQt6Quick.so.6", "/venv/libQt6Quick.so.6", False),
        ("PySide6/Qt/lib/libQt6OpenGL.so.6", "/venv/libQt6OpenGL.so.6", True),
    ],
)
def test_of_qt_only_what_the_window_uses(name: str, source: str, needed: bool) -> None:
    assert contents.is_needed(name, source) is needed


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has libraries of the system to leave out")
@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("libxcb-cursor.so.0", True),
        ("libpython3.13.so.1.0", True),
        ("python3.13/lib-dynload/_ssl.cpython-313-x86_64-linux-gnu.so", True),
        ("libglib-2.0.so.0", False),
        ("libstdc++.so.6", False),
        ("libGL.so.1", False),
    ],
)
def test_libraries_of_the_system_stay_there(name: str, needed: bool) -> None:
    assert contents.is_needed(name, f"/lib/x86_64-linux-gnu/{Path(name).name}") is needed
    assert contents.is_needed(name, f"/venv/lib/{Path(name).name}")
