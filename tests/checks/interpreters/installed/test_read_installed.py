"""Files on the disk against what was installed: trees that are really built, and then really broken."""

import json
import sys
from pathlib import Path

import pytest
from support.built_machine import HEADS, BuiltMachine, write
from support.wheels import put

from checks.facts import InstalledFiles, InterpreterFacts
from checks.interpreters import read_interpreter
from checks.interpreters.installed import merged_content, read_installed

TAG = "cpython-311-x86_64-linux-gnu"
ELF = HEADS["x86_64 linux"] + bytes(4000)
PACKAGE = {
    "pkg/__init__.py": "from .core import run\n",
    "pkg/core.py": "def run():\n    return 1\n",
    f"pkg/_fast.{TAG}.so": ELF,
    "pkg/data.json": "{}",
    "pkg/tests/test_core.py": "assert True\n",
    "pkg/include/pkg.h": "int x;\n",
}


class Tree:
    """A venv with one package, and what is seen of it."""

    def __init__(self, root: Path, system: str = "Linux") -> None:
        self.machine = BuiltMachine(root, system)
        base = self.machine.posix_python(root / "usr", "3.11.7")
        write(root / "usr/lib/python3.11/lib-dynload" / f"_json.{TAG}.so", self.machine.head)
        self.python = self.machine.venv(root / "venv", base)
        self.site = root / "venv/lib/python3.11/site-packages"

    def read(self, **options: object) -> InstalledFiles:
        interpreter = read_interpreter(self.python, places=self.machine.places)
        return read_installed(interpreter, self.machine.places, **options)  # type: ignore[arg-type]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    put(made.site, "Pkg", "1.0", PACKAGE)
    return made


def states(seen: InstalledFiles) -> dict[str, str]:
    return {file.path: file.state for package in seen.packages for file in package.files}


def test_healthy(tree: Tree) -> None:
    seen = tree.read(thorough=True)
    assert (seen.packages, seen.shared, seen.twice, seen.leftovers) == ((), (), (), ())
    assert (seen.examined, seen.is_complete, seen.hashed) == (1, True, ("pkg",))


def test_a_project_that_is_edited_in_place(tree: Tree, tmp_path: Path) -> None:
    folder = tmp_path / "my src"
    folder.mkdir()
    url = {"dir_info": {"editable": True}, "url": folder.as_uri()}
    put(tree.site, "Own", "0.3", {"own.pth": f"{folder}\n"})
    (tree.site / "Own-0.3.dist-info/direct_url.json").write_text(json.dumps(url), "utf-8")
    (tree.site / "Own-0.3.dist-info/top_level.txt").write_text("own_code\n", "utf-8")
    assert tree.read().packages == ()
    folder.rmdir()
    (own,) = tree.read().packages
    assert (own.name, own.modules, own.project, own.damaged) == ("own", ("own_code",), str(folder), 0)


@pytest.mark.parametrize(
    "data", ["", "{", "[]", '{"url": 3}', '{"url": "git+https://x/y", "dir_info": {"editable": true}}']
)
def test_what_tells_of_no_such_project(tree: Tree, data: str) -> None:
    (tree.site / "Pkg-1.0.dist-info/direct_url.json").write_text(data, "utf-8")
    assert tree.read().packages == ()


def test_what_is_left_out_of_slim_environments_and_what_users_add(tree: Tree) -> None:
    (tree.site / "pkg/tests/test_core.py").unlink()
    (tree.site / "pkg/include/pkg.h").unlink()
    write(tree.site / "pkg/__pycache__/core.cpython-311.pyc", b"x")
    write(tree.site / "pkg/notes.txt", "mine")
    assert tree.read().packages == ()


def test_folders_of_bytecode_that_virtualenv_lists(tree: Tree) -> None:
    """It lists those of its pip, which are made when that is first called."""
    (record,) = tree.site.glob("*.dist-info/RECORD")
    record.write_text(record.read_text() + "pkg/__pycache__,,\npkg/inner/__pycache__/,,\n")
    assert tree.read().packages == ()


def test_missing_empty_zeros_cut_and_edited(tree: Tree) -> None:
    (tree.site / "pkg/core.py").unlink()
    (tree.site / "pkg/data.json").write_bytes(b"")
    (tree.site / "pkg/__init__.py").write_bytes(bytes(7))
    seen = tree.read()
    assert states(seen) == {"pkg/__init__.py": "zeros", "pkg/core.py": "missing", "pkg/data.json": "empty"}
    (package,) = seen.packages
    assert (package.name, package.version, package.modules, package.damaged) == ("pkg", "1.0", ("pkg",), 3)
    assert (package.listed, package.gone, package.installer) == (4, (), "pip")


def test_a_cut_library_and_a_stripped_one(tree: Tree) -> None:
    """Distributions strip libraries: smaller, and whole."""
    real = Path(sys.executable).resolve().read_bytes()
    put(tree.site, "native", "2", {f"native/_n.{TAG}.so": real})
    library = tree.site / f"native/_n.{TAG}.so"
    library.write_bytes(real[: len(real) // 2])
    assert states(tree.read()) == {f"native/_n.{TAG}.so": "cut"}
    library.write_bytes(real + b"more")
    assert states(tree.read()) == {f"native/_n.{TAG}.so": "size"}


def test_zeros_of_the_same_size_are_seen_by_content(tree: Tree) -> None:
    path = tree.site / "pkg/core.py"
    path.write_bytes(bytes(path.stat().st_size))
    assert states(tree.read(by_content=("pkg",))) == {"pkg/core.py": "zeros"}


def test_same_size_other_content(tree: Tree) -> None:
    (tree.site / "pkg/core.py").write_text("def run():\n    return 2\n")
    before = tree.read()
    assert before.packages == ()
    after = merged_content(before, tree.read(by_content=("pkg",)))
    assert states(after) == {"pkg/core.py": "content"}
    assert after.hashed == ("pkg",)


def test_only_the_metadata_is_left(tree: Tree) -> None:
    for path in sorted((tree.site / "pkg").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (tree.site / "pkg").rmdir()
    (package,) = tree.read().packages
    assert (package.gone, package.damaged) == (("pkg",), package.listed)


def test_modules_of_two_releases(tree: Tree) -> None:
    """What a sibling asks for is not there: an edit would not do that."""
    (tree.site / "pkg/core.py").write_text("def walk():\n    return 1\n")
    (package,) = tree.read().packages
    assert (package.damaged, package.changed, package.unmet) == (0, 1, ("pkg.core.run",))


@pytest.mark.parametrize(
    "text",
    [
        "def run():\n    return 'edited by hand'\n",
        "from os.path import *\n",
        "def __getattr__(name):\n    return 1\n",
        "import sys\nsys.modules[__name__] = object()\n",
        "globals()['run'] = 1\n",
        "try:\n    run = 1\nexcept ImportError:\n    run = None\n",
        "syntax of a newer Python ???",
    ],
)
def test_an_edit_is_no_mixture(tree: Tree, text: str) -> None:
    (tree.site / "pkg/core.py").write_text(text)
    (package,) = tree.read().packages
    assert (package.damaged, package.unmet) == (0, ())


def test_a_changed_module_asks_for_what_never_was_there(tree: Tree) -> None:
    (tree.site / "pkg/core.py").write_text("from .assets import TABLE\n\ndef run():\n    return TABLE\n")
    (package,) = tree.read().packages
    assert package.unmet == ("pkg.assets",)


@pytest.mark.parametrize(
    ("name", "built_for"),
    [
        ("_fast.cpython-310-x86_64-linux-gnu.so", "Python 3.10"),
        ("_fast.cpython-311-darwin.so", "macOS"),
        ("_fast.cpython-311-aarch64-linux-gnu.so", "aarch64-linux-gnu"),
        ("_fast.cpython-311-x86_64-linux-musl.so", "x86_64-linux-musl"),
        ("_fast.cp311-win_amd64.pyd", "win_amd64"),
        ("_fast.pypy39-pp73-x86_64-linux-gnu.so", "pypy39-pp73"),
        ("_fast.cpython-311t-x86_64-linux-gnu.so", "Python 3.11, free-threaded"),
    ],
)
def test_modules_for_another_python_or_system(tree: Tree, name: str, built_for: str) -> None:
    put(tree.site, "fast", "3", {"fast/__init__.py": "", f"fast/{name}": ELF})
    (package,) = tree.read().packages
    assert [(module.path, module.built_for) for module in package.foreign] == [(f"fast/{name}", built_for)]


@pytest.mark.parametrize(
    ("head", "built_for"),
    [("aarch64", "aarch64"), ("arm64", "macOS arm64"), ("AMD64", "Windows AMD64"), ("x86_64 linux", None)],
)
def test_a_stable_abi_module_by_its_header(tree: Tree, head: str, built_for: str | None) -> None:
    put(tree.site, "fast", "3", {"fast/_rust.abi3.so": HEADS[head] + b"x"})
    found = [module.built_for for package in tree.read().packages for module in package.foreign]
    assert found == ([built_for] if built_for else [])


def test_one_of_several_variants_is_enough(tree: Tree) -> None:
    """nvidia-dali brings a module for each Python, debugpy libraries for each system."""
    files = {f"fast/_b.cpython-{minor}-x86_64-linux-gnu.so": ELF for minor in (310, 311, 312)}
    put(tree.site, "fast", "3", {**files, "fast/attach_windows.so": HEADS["AMD64"], "fast/libx.so": HEADS["arm64"]})
    assert tree.read().packages == ()


def test_packages_that_share_a_module(tree: Tree) -> None:
    put(tree.site, "opencv-python", "4.11", {"cv2/__init__.py": "gui = 1\n", "cv2/same.py": "x = 1\n"})
    put(tree.site, "opencv-python-headless", "4.11", {"cv2/__init__.py": "gui = False\n", "cv2/same.py": "x = 1\n"})
    seen = tree.read()
    (shared,) = seen.shared
    assert (shared.module, shared.overwritten) == ("cv2", 1)
    assert shared.packages == ("opencv-python-headless 4.11", "opencv-python 4.11")
    assert seen.packages == ()


def test_a_shared_namespace_is_harmless(tree: Tree) -> None:
    for name in ("nvidia-a", "nvidia-b"):
        put(tree.site, name, "1", {"nvidia/__init__.py": "", f"nvidia/{name[-1]}.py": ""})
    seen = tree.read()
    assert (seen.shared, seen.packages) == ((), ())


def test_one_distribution_twice(tree: Tree) -> None:
    put(tree.site, "Pkg", "0.9", {"pkg/old.py": "", "pkg/core.py": "def run():\n    return 0.9\n"})
    put(tree.site, "Pkg", "1.0", PACKAGE)
    (tree.site / "pkg/old.py").unlink()
    seen = tree.read()
    (twice,) = seen.twice
    assert (twice.name, set(twice.versions), twice.version_of_files) == ("pkg", {"0.9", "1.0"}, "1.0")
    assert (seen.packages, seen.shared) == ((), ())


def test_a_second_entry_without_a_list_of_files(tree: Tree) -> None:
    put(tree.site, "Pkg", "1.0", PACKAGE)
    stale = tree.site / "Pkg-0.9.dist-info"
    stale.mkdir()
    (stale / "METADATA").write_text("Metadata-Version: 2.1\nName: Pkg\nVersion: 0.9\n")
    (twice,) = tree.read().twice
    assert (set(twice.versions), twice.version_of_files, twice.stale) == ({"0.9", "1.0"}, "1.0", (str(stale),))


def test_leftovers(tree: Tree) -> None:
    (tree.site / "~orch").mkdir()
    (tree.site / "numpy-1.26.4.dist-info").mkdir()
    write(tree.site / "torch/__pycache__/x.cpython-311.pyc", b"x")
    write(tree.site / "sklearn/__init__.py")
    write(tree.site / "helpers/__init__.py")  # not known: the user's own
    kinds = {(Path(leftover.path).name, leftover.kind) for leftover in tree.read().leftovers}
    assert kinds == {
        ("~orch", "renamed"),
        ("numpy-1.26.4.dist-info", "no-metadata"),
        ("torch", "shell"),
        ("sklearn", "unowned"),
    }


def test_without_lists_nothing_is_unowned(tree: Tree) -> None:
    """Debian's packages have none."""
    write(tree.site / "PyYAML-6.0.egg-info", "Name: PyYAML\nVersion: 6.0\n")
    write(tree.site / "yaml/__init__.py")
    seen = tree.read()
    assert (seen.leftovers, seen.unlisted) == ((), 1)


def test_an_editable_installation(tree: Tree) -> None:
    write(tree.site.parent / "project/mine/__init__.py", "x = 1\n")
    put(tree.site, "mine", "0.1", {"__editable__.mine-0.1.pth": f"{tree.site.parent / 'project'}\n"})
    assert tree.read().packages == ()


def test_conda(tmp_path: Path) -> None:
    """conda rewrites prefixes after the installation, and pip may replace its packages."""
    machine = BuiltMachine(tmp_path)
    python = machine.posix_python(tmp_path / "conda", "3.11.7")
    site = tmp_path / "conda/lib/python3.11/site-packages"
    put(site, "numpy", "1.26.4", {"numpy/__init__.py": "", "numpy/__config__.py": "prefix"}, installer="conda")
    (site / "numpy/__config__.py").write_text("rewritten prefix")
    start = "lib/python3.11/site-packages"
    paths = [
        {"_path": f"{start}/numpy/__init__.py", "size_in_bytes": 0, "path_type": "hardlink"},
        {"_path": f"{start}/numpy/__config__.py", "size_in_bytes": 6, "prefix_placeholder": "/opt/build"},
        {"_path": f"{start}/numpy/_core.py", "size_in_bytes": 5, "path_type": "hardlink"},
        {"_path": "lib/libopenblas.so", "size_in_bytes": 9, "path_type": "hardlink"},
    ]
    record = {"name": "numpy", "version": "1.26.4", "build": "py311_0", "paths_data": {"paths": paths}}
    write(tmp_path / "conda/conda-meta/numpy-1.26.4-py311_0.json", json.dumps(record))
    gone = {**record, "name": "scipy", "paths_data": {"paths": [{"_path": f"{start}/scipy/__init__.py"}]}}
    write(tmp_path / "conda/conda-meta/scipy-1.10-py311_0.json", json.dumps(gone))  # removed with pip
    seen = read_installed(read_interpreter(python, places=machine.places), machine.places)
    assert states(seen) == {f"{start}/numpy/_core.py": "missing"}
    assert [(package.installer, package.modules) for package in seen.packages] == [("conda", ("numpy",))]


def test_bounded(tree: Tree) -> None:
    (tree.site / "pkg/core.py").unlink()
    seen = tree.read(seconds=1e-9)
    assert not seen.is_complete
    assert seen.packages == ()


def test_hostile_lists(tree: Tree) -> None:
    record = tree.site / "Pkg-1.0.dist-info/RECORD"
    with record.open("a") as lines:
        lines.write('../../../etc/passwd,,1\n/etc/shadow,,1\n"unclosed,,\na\0b.py,,3\n,,\n"pkg/with,comma.py",,1\n')
        lines.write(f"pkg/{'x' * 300}.py,,1\npkg/core.py/below.py,,9\npkg/core.py,sha256=?,{'9' * 400}\n")
    assert set(states(tree.read())) == {"pkg/with,comma.py", "pkg/core.py/below.py"}


def test_without_an_interpreter() -> None:
    seen = read_installed(InterpreterFacts(path="/nowhere/python", problem="missing"))
    assert (seen.examined, seen.unread) == (0, {"installed": "missing"})


def test_the_running_interpreter_is_healthy() -> None:
    seen = read_installed(read_interpreter(sys.executable))
    assert [package for package in seen.packages if package.damaged or package.foreign or package.unmet] == []
    assert seen.examined
    assert seen.is_complete


def test_libraries_beside_a_package_belong_to_it(tree: Tree) -> None:
    put(tree.site, "numpy", "2", {"numpy/__init__.py": "", "numpy.libs/libopenblas-1.so": ELF})
    (tree.site / "numpy.libs/libopenblas-1.so").unlink()
    (package,) = tree.read().packages
    assert (package.modules, package.damaged, package.gone) == (("numpy",), 1, ())
