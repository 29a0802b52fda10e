"""What the application holds: our modules, the data files beside them, and of Qt only what the window uses."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path, PurePath

import checks
from checks.engine.portable.archive import archive
from checks.engine.portable.command import NAME

ROOT = Path(__file__).resolve().parents[2]
VERSION = checks.__version__
PROBES = "checks/probes"  # as files, for the interpreters of users, beside the same as modules of ours

# Frameworks are the user's; what only tests, builds and other ways to draw would bring is nobody's.
EXCLUDED = (
    "torch", "tensorflow", "tf_keras", "keras", "jax", "jaxlib", "flax", "onnx", "onnxruntime", "onnxscript",
    "openvino", "cupy", "scipy", "sklearn", "pandas", "matplotlib", "PIL", "h5py", "transformers", "safetensors",
    "llama_cpp", "tensorrt", "paddle", "tvm", "ai_edge_litert", "tflite_runtime", "coremltools", "numba", "OpenGL",
    "colorcet", "IPython", "jupyter_rfb", "pytest", "hypothesis", "_pytest", "mypy", "setuptools", "pip", "wheel",
    "pkg_resources", "readline", "tkinter", "_tkinter", "turtle", "idlelib", "lib2to3", "ensurepip", "uv",
    "PyQt5", "PyQt6", "PySide2",
    *(f"PySide6.Qt{name}" for name in (
        "Bluetooth", "Concurrent", "DBus", "Designer", "Help", "Network", "OpenGL", "OpenGLWidgets", "Pdf", "Qml",
        "PrintSupport", "Quick", "QuickControls2", "QuickTest", "QuickWidgets", "Sql", "SvgWidgets", "Test", "UiTools",
        "Xml",
    )),
)  # fmt: skip

# Qt's plugins that the window needs, by folder. No TLS, SQL, QML or 3D: Naosu asks no network through Qt.
PLUGINS = {
    "platforms": ("qxcb", "qwayland", "qoffscreen", "qminimal", "qwindows", "qcocoa"),
    "xcbglintegrations": ("qxcb-egl-integration", "qxcb-glx-integration"),
    "wayland-shell-integration": ("xdg-shell",),
    "wayland-decoration-client": ("adwaita", "bradient"),
    "wayland-graphics-integration-client": ("qt-plugin-wayland-egl",),
    "platformthemes": ("qgtk3", "qxdgdesktopportal"),
    # Japanese is typed so.
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "iconengines": ("qsvgicon",),
    "imageformats": ("qsvg", "qico", "qjpeg"),
    "styles": ("qmodernwindowsstyle", "qmacstyle"),
}
# Qt's libraries that PyInstaller takes for the plugins that are left out.
_UNUSED_QT = ("Qml", "Quick", "Network", "Pdf", "VirtualKeyboard", "Egl", "WlShellIntegration")


# Libraries of the system that travel along on Linux: small, stable, and missing on many desktops. Any other comes from
# the system, which knows its display, its fonts and its drivers: ours would also be loaded into its GTK.
TRAVELLING = (
    "libpython3", "libssl", "libcrypto", "libffi", "liblzma", "libbz2", "libsqlite3",
    "libxcb-cursor", "libxcb-icccm", "libxcb-image", "libxcb-keysyms", "libxcb-render-util", "libxcb-util",
    "libxcb-xkb", "libxkbcommon-x11",
)  # fmt: skip

# What PyInstaller runs before us at each start. Nothing of ours forks by multiprocessing or looks at its own source. On
# Linux Qt finds its plugins by itself, and the hook would put our folder in place of the user's QT_PLUGIN_PATH.
UNUSED_HOOKS = {
    "pyi_rth_inspect", "pyi_rth_multiprocessing", "pyi_rth_pyqtgraph_multiprocess",
    *(("pyi_rth_pyside6",) if sys.platform.startswith("linux") else ()),
}  # fmt: skip


def data_files() -> list[tuple[str, str]]:
    """(file or folder, the folder that it goes to) of what is read as a file: resources, and the probes."""
    resources = ROOT / "resources"
    found = [
        (path, Path("resources", path.parent.relative_to(resources)))
        for path in sorted(resources.rglob("*"))
        if path.is_file() and path.relative_to(resources).parts[0] != "screenshots"  # README's
    ]
    found += [(path, path.parent.relative_to(ROOT)) for path in sorted((ROOT / PROBES).rglob("*.py"))]
    found += [(path, Path("licenses", name, path.parent.name)) for name in dependencies() for path in _licences(name)]
    return [(str(path), folder.as_posix()) for path, folder in [*found, (ROOT / "LICENSE", Path("licenses", "naosu"))]]


def probe(folder: Path) -> Path:
    """The portable probe, made in a folder: the application has no sources to make it of."""
    path = folder / NAME
    folder.mkdir(exist_ok=True)
    path.write_bytes(archive())
    path.chmod(0o755)
    return path


def dependencies() -> list[str]:
    """The names of the packages that travel along: those of pyproject.toml but PyTorch, and what these bring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in project["dependencies"]]
    return [*(name for name in named if name != "torch"), "shiboken6"]


def _licences(name: str) -> list[Path]:
    files = importlib.metadata.files(name) or []
    return [
        Path(str(file.locate()))
        for file in files
        if ".dist-info" in file.parts[0] and re.match(r"(?i)licen[cs]e|copying|notice|.*gpl", file.name)
    ]


def uv_binary() -> tuple[str, str]:
    """uv, which resolves what a remedy installs: (the file, the folder that checks/proof looks for it in)."""
    from uv import find_uv_bin

    return str(find_uv_bin()), "bin"


def modules() -> list[str]:
    """Every module of ours: many are imported by name. Those of the probes, too, for what they import."""
    files = [path for package in ("checks", "wizard") for path in sorted((ROOT / package).rglob("*.py"))]
    paths = [path.relative_to(ROOT) for path in files]
    own = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return [*own, *_compiled_parts()]


def _compiled_parts() -> list[str]:
    """What mypyc compiles of a package (tomli, charset-normalizer) imports a module with a name made of a checksum."""
    files = [file for name in dependencies() for file in importlib.metadata.files(name) or ()]
    return [file.name.partition(".")[0] for file in files if "__mypyc." in file.name and len(file.parts) == 1]


def is_needed(name: str, source: str) -> bool:
    """Whether a binary or data file that PyInstaller found belongs in; ``name``: its place in the application."""
    place = PurePath(name)
    if "translations" in place.parts:
        return place.name.startswith(("qtbase_ja", "qtbase_en"))
    if "plugins" in place.parts and "PySide6" in place.parts:
        return _is_used_plugin(place)
    if place.name.removeprefix("lib").removeprefix("Qt6").startswith(_UNUSED_QT) and "Qt6" in place.name:
        return False
    is_of_the_system = sys.platform.startswith("linux") and source.startswith(("/lib", "/usr/lib"))
    return not is_of_the_system or ".cpython-" in place.name or place.name.startswith(TRAVELLING)


def needed(found: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Of PyInstaller's table (name, source, kind) what belongs in."""
    return [entry for entry in found if is_needed(entry[0], entry[1] or "")]


def _is_used_plugin(place: PurePath) -> bool:
    folder = place.parts[place.parts.index("plugins") + 1]
    return place.name.removeprefix("lib").partition(".")[0] in PLUGINS.get(folder, ())
