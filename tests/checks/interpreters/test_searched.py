"""What in the user's folders hides a module, and environments that were moved: really built trees."""

import shutil
from pathlib import Path

import pytest
from support.built_machine import BuiltMachine, write
from support.wheels import put

from checks.facts import Place, SearchedFacts
from checks.interpreters import read_interpreter
from checks.interpreters.searched import read_searched


class Project:
    """A project folder with a venv that has torch and a few others."""

    def __init__(self, root: Path) -> None:
        self.machine = BuiltMachine(root)
        base = self.machine.posix_python(root / "usr", "3.11.7")
        library = root / "usr/lib/python3.11"
        for name in (
            "random.py",
            "types.py",
            "turtle.py",
            "json/__init__.py",
            "lib-dynload/math.cpython-311-x86_64.so",
        ):
            write(library / name)
        self.folder = root / "project"
        self.folder.mkdir()
        self.python = self.machine.venv(self.folder / ".venv", base)
        self.site = self.folder / ".venv/lib/python3.11/site-packages"
        put(self.site, "torch", "2.13.0", {"torch/__init__.py": "", "torch/_C.cpython-311-x86_64-linux-gnu.so": "x"})
        put(self.site, "tokenizers", "0.19", {"tokenizers/__init__.py": "", "tests/__init__.py": ""})
        put(self.site, "typing-extensions", "4.1", {"typing_extensions.py": ""})

    def read(self, *folders: Path, place: Place = Place.PROJECT) -> SearchedFacts:
        interpreter = read_interpreter(self.python, places=self.machine.places)
        return read_searched(interpreter, dict.fromkeys(folders or (self.folder,), place), self.machine.places)

    def hiding(self, *folders: Path) -> dict[str, str]:
        return {hiding.module: hiding.package for hiding in self.read(*folders).hiding}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [
        ("torch.py", "torch", "torch 2.13.0"),
        ("torch.pyc", "torch", "torch 2.13.0"),
        ("torch.cpython-311-x86_64-linux-gnu.so", "torch", "torch 2.13.0"),
        ("tokenizers/__init__.py", "tokenizers", "tokenizers 0.19"),
        ("typing_extensions.py", "typing_extensions", "typing-extensions 4.1"),
        ("random.py", "random", ""),
        ("types.py", "types", ""),
        ("math.py", "math", ""),
        ("json/__init__.py", "json", ""),
    ],
)
def test_hides(project: Project, name: str, module: str, package: str) -> None:
    write(project.folder / name)
    assert project.hiding() == {module: package}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("torch/model.py", id="a-folder-without-init-hides-nothing"),
        pytest.param("os.py", id="loaded-before"),
        pytest.param("tests/__init__.py", id="came-along-with-a-package"),
        pytest.param("main.py", id="nothing-of-that-name"),
        pytest.param("my-torch.py", id="no-name-of-a-module"),
        pytest.param("torch.txt", id="no-code"),
        pytest.param("torch.ipynb", id="a-notebook"),
    ],
)
def test_hides_nothing(project: Project, name: str) -> None:
    write(project.folder / name)
    assert project.hiding() == {}


def test_the_source_of_an_installed_package(project: Project) -> None:
    """Who works on a package has it beside him; without its compiled part it cannot be imported there."""
    write(project.folder / "pyproject.toml", '[project]\nname = "tokenizers"\n')
    write(project.folder / "tokenizers/__init__.py")
    assert project.hiding() == {}
    clone = project.folder / "pytorch"
    write(clone / "setup.py", "setup(\n    name='torch',\n)")
    write(clone / "torch/__init__.py")
    (hiding,) = project.read(clone).hiding
    assert (hiding.module, hiding.is_unbuilt) == ("torch", True)
    write(clone / "torch/_C.so")
    assert project.hiding(clone) == {}


def test_a_program_beside_it(project: Project) -> None:
    write(project.folder / "random.py")
    write(project.folder / "setup.py")
    assert [hiding.is_beside_program for hiding in project.read().hiding] == [False]
    write(project.folder / "main.py")
    assert [hiding.is_beside_program for hiding in project.read().hiding] == [True]


def test_an_editable_installation_is_itself(project: Project) -> None:
    write(project.folder / "tokenizers/__init__.py")
    write(project.site / "mine.pth", f"{project.folder}\n")
    assert project.hiding() == {}


def test_where_packages_are_searched(project: Project) -> None:
    other = project.folder.parent / "old/lib/python3.9/site-packages"
    put(other, "numpy", "1.26.4", {"numpy/__init__.py": ""})
    project.machine.environ["PYTHONPATH"] = str(other)
    seen = project.read()
    assert [(folder.path, folder.place, folder.python) for folder in seen.folders if "lib64" not in folder.path] == [
        (str(project.folder), "project-folder", ""),
        (str(other), "pythonpath", "3.9"),
        (str(project.site), "site", ""),
    ]


def script(path: Path, interpreter: Path | str) -> None:
    write(path, f"#!{interpreter}\nimport sys\n", executable=True)


def test_a_moved_environment(project: Project) -> None:
    folder = project.python.parent
    for name in ("pip", "pip3"):
        script(folder / name, project.python)
    write(folder / "activate", f'VIRTUAL_ENV="{folder.parent}"\nexport VIRTUAL_ENV\n')
    write(folder / "tool", "#!/bin/sh\necho\n", executable=True)
    seen = project.read()
    assert (seen.scripts, seen.stray_scripts, seen.made_as) == (2, (), str(folder.parent))

    moved = project.folder / "moved"
    shutil.move(folder.parent, moved)
    project.python = moved / "bin/python"
    seen = project.read()
    assert [(Path(stray.path).name, stray.interpreter, stray.is_gone) for stray in seen.stray_scripts] == [
        ("pip", str(folder / "python"), True),
        ("pip3", str(folder / "python"), True),
    ]
    assert seen.made_as == str(folder.parent)


def test_through_a_link_it_is_the_same_environment(project: Project) -> None:
    link = project.folder.parent / "link"
    link.symlink_to(project.folder / ".venv")
    script(project.python.parent / "pip", link / "bin/python")
    seen = project.read()
    assert (seen.scripts, seen.stray_scripts) == (1, ())


def test_long_paths_and_launchers(project: Project) -> None:
    folder = project.python.parent
    gone = "/very/long/gone/bin/python3"
    write(folder / "pip", f"#!/bin/sh\n'''exec' \"{gone}\" \"$0\" \"$@\"\n' '''\nimport sys\n", executable=True)
    write(
        folder / "uv-made", "#!/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/'python' \"$0\"\n' '''\n"
    )
    write(folder / "pip.exe", b"MZ" + bytes(900) + b"#!" + gone.encode() + b"\r\nPK\x03\x04" + bytes(50))
    assert {stray.interpreter for stray in project.read().stray_scripts} == {gone}
    assert project.read().scripts == 2
