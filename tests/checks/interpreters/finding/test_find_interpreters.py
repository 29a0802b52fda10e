"""All interpreters of a machine: what is found where, once each, and never started."""

import json
import os
from pathlib import Path

import pytest
from support.built_machine import BuiltMachine, install, write

from checks.facts import InterpreterFacts
from checks.interpreters import Places, find_interpreters, frameworks_of, likely_target
from checks.interpreters.finding.windows_registry import RegistryKey


@pytest.fixture
def linux(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path)


@pytest.fixture
def windows(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path, "Windows")


@pytest.fixture
def macos(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path, "Darwin")


def found(machine: BuiltMachine) -> dict[str, tuple[str, ...]]:
    """Executable below the machine's root -> by which sources it was found."""
    facts = find_interpreters(machine.places)
    return {Path(fact.path).relative_to(machine.root).as_posix(): fact.found_by for fact in facts}


def test_this_machine() -> None:
    places = Places.of_this_machine()
    interpreters = find_interpreters(places)
    own = next(interpreter for interpreter in interpreters if "naosu" in interpreter.found_by)
    assert own.problem is None
    assert own.version is not None
    assert len({(interpreter.prefix, interpreter.version) for interpreter in interpreters}) == len(interpreters)
    assert likely_target(interpreters) is not None


def test_a_file_stands_for_its_folder(tmp_path: Path) -> None:
    script = write(tmp_path / "train.py")
    assert Places.of_this_machine(script).near == (tmp_path,)
    assert Places.of_this_machine(tmp_path).near == (tmp_path,)
    assert Places.of_this_machine().near == ()


def test_a_user_without_name_and_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container that runs as a bare number has neither; pathlib then raises."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    places = Places.of_this_machine()
    assert places.home == places.root


def test_an_empty_machine(linux: BuiltMachine) -> None:
    assert find_interpreters(linux.places) == ()


def test_path_in_its_order_and_each_once(linux: BuiltMachine) -> None:
    usr, local = linux.root / "usr", linux.root / "usr/local"
    linux.posix_python(usr, "3.11.2")
    linux.posix_python(local, "3.12.4")
    (linux.root / "bin").symlink_to("usr/bin")  # merged /usr
    (linux.root / "lib").symlink_to("usr/lib")
    write(usr / "bin/python3-config", "#!/bin/sh\n", executable=True)
    linux.path = [local / "bin", usr / "bin", linux.root / "bin", linux.root / "gone"]
    assert found(linux) == {"usr/local/bin/python": ("PATH", "system"), "usr/bin/python": ("PATH", "system")}


def test_an_environment_and_its_base_are_two(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    linux.venv(linux.home / "v", base)
    linux.path = [linux.home / "v/bin", linux.root / "usr/bin"]
    linux.environ["VIRTUAL_ENV"] = str(linux.home / "v")
    assert found(linux) == {"home/aya/v/bin/python": ("VIRTUAL_ENV", "PATH"), "usr/bin/python": ("PATH", "system")}


def test_near_the_chosen_folder(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    project = linux.home / "projects/project"
    places = ("deep/er/env", ".venv", "../.venv", "a/b/c/too-deep", "node_modules/x/v", "../sibling/.venv")
    for place in places:
        linux.venv((project / place).resolve() if ".." in place else project / place, base)
    linux.posix_python(project / ".pixi/envs/test", "3.12.4")
    (project / "loop").symlink_to(project)
    linux.near = [project]
    assert list(found(linux).items()) == [
        ("home/aya/projects/project/.venv/bin/python", ("folder",)),
        ("home/aya/projects/project/.pixi/envs/test/bin/python", ("folder",)),
        ("home/aya/projects/.venv/bin/python", ("folder",)),
        ("usr/bin/python3", ("system",)),
    ]


def test_the_chosen_folder_is_inside_an_environment(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    linux.venv(linux.home / "v", base)
    linux.near = [linux.home / "v/lib/python3.11"]
    assert found(linux)["home/aya/v/bin/python"] == ("folder",)


def test_a_link_in_the_home_folder_makes_no_environment_near(linux: BuiltMachine) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    for place in ("bin", ".local/bin"):  # uv puts links to its interpreters into ~/.local/bin
        (linux.home / place).mkdir(parents=True)
        (linux.home / place / "python3.11").symlink_to(linux.root / "usr/bin/python3.11")
    linux.near = [linux.home / "project"]
    assert found(linux) == {"usr/bin/python3": ("system",)}
    linux.near = [linux.home]
    assert found(linux) == {"usr/bin/python3": ("system",)}


def test_pyenv_shims_lead_to_the_selected_version(linux: BuiltMachine) -> None:
    root = linux.home / ".pyenv"
    for version in ("3.9.18", "3.11.2", "3.11.10"):
        linux.posix_python(root / "versions" / version, version)
    for name in ("python", "python3", "python3.11"):
        write(root / "shims" / name, '#!/usr/bin/env bash\nexec pyenv exec "$program" "$@"\n', executable=True)
    linux.path = [root / "shims"]

    def on_path() -> list[str]:
        return [name.split("/")[4] for name, by in found(linux).items() if "PATH" in by]

    write(root / "version", "system\n")
    assert on_path() == []
    write(root / "version", "3.11\n3.9.18\n")
    assert on_path() == ["3.11.10"]  # "3.11" means the newest of them; the second one only serves other names
    linux.near = [linux.home / "project/src"]
    write(linux.home / "project/.python-version", "3.9.18\n")
    assert on_path() == ["3.9.18"]
    linux.environ["PYENV_VERSION"] = "../../etc:3.11.2"
    assert on_path() == ["3.11.2"]
    assert len(found(linux)) == 3


@pytest.mark.parametrize(
    ("folder", "by"),
    [
        ("miniconda3/envs/ai", "conda"),
        (".conda/envs/ai", "conda"),
        ("micromamba/envs/ai", "conda"),
        (".pixi/envs/tool", "pixi"),
        (".pyenv/versions/3.11.2", "pyenv"),
        (".asdf/installs/python/3.11.2", "asdf"),
        (".local/share/mise/installs/python/3.11.2", "mise"),
        (".local/share/uv/python/cpython-3.11.2-linux-x86_64-gnu", "uv"),
    ],
)
def test_usual_places_of_installations(linux: BuiltMachine, folder: str, by: str) -> None:
    linux.posix_python(linux.home / folder, "3.11.2")
    assert list(found(linux).values()) == [(by,)]


@pytest.mark.parametrize(
    ("folder", "by"),
    [
        (".local/share/uv/tools/ruff", "uv"),
        (".local/share/pipx/venvs/black", "pipx"),
        (".local/pipx/venvs/black", "pipx"),
        (".cache/pypoetry/virtualenvs/app-Ab1_-py3.11", "poetry"),
        (".virtualenvs/work", "virtualenvs"),
        (".local/share/virtualenvs/app-Ab1", "virtualenvs"),
        (".local/share/hatch/env/virtual/app/aB3d/test", "hatch"),
    ],
)
def test_usual_places_of_environments(linux: BuiltMachine, folder: str, by: str) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    linux.venv(linux.home / folder, base)
    assert found(linux)[f"home/aya/{folder}/bin/python"] == (by,)


def test_places_that_variables_name(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    linux.venv(linux.root / "data/workon/a", base)
    linux.posix_python(linux.root / "data/envs1/b", "3.10.1")
    linux.posix_python(linux.root / "data/envs2/c", "3.10.2")
    data = linux.root / "data"
    linux.environ |= {
        "WORKON_HOME": f"{data}/workon",
        "CONDA_ENVS_PATH": f"{data}/envs1:{data}/envs2",
        "PIPX_HOME": "relative",
    }
    assert [name for name in found(linux) if name.startswith("data")] == [
        "data/envs1/b/bin/python",
        "data/envs2/c/bin/python",
        "data/workon/a/bin/python",
    ]


def test_environments_that_conda_remembers(linux: BuiltMachine) -> None:
    linux.posix_python(linux.root / "big disk/envs/ai", "3.10.4")
    write(linux.home / ".conda/environments.txt", f"{linux.root}/big disk/envs/ai\n{linux.root}/gone\n\n\0\n")
    linux.environ["CONDA_PREFIX"] = str(linux.root / "big disk/envs/ai")
    assert found(linux) == {"big disk/envs/ai/bin/python": ("CONDA_PREFIX", "conda")}


def test_jupyter_kernels(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "opt/py", "3.11.2")
    python = linux.venv(linux.root / "envs/kernel", base)
    kernels = linux.home / ".local/share/jupyter/kernels"
    # what "python -m ipykernel install --user" writes
    spec = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "ai",
        "language": "python",
    }
    write(kernels / "ai/kernel.json", json.dumps(spec))
    write(kernels / "python3/kernel.json", json.dumps({"argv": ["python", "-m", "ipykernel_launcher"]}))
    write(kernels / "ir/kernel.json", json.dumps({"argv": ["/usr/bin/R", "--slave"]}))
    write(kernels / "other/kernel.json", json.dumps({"argv": 7}))
    write(kernels / "broken/kernel.json", b'{"argv": ["\xff')
    write(kernels / "deep/kernel.json", b'{"x": ' + b"[" * 2000)
    write(kernels / "nul/kernel.json", json.dumps({"argv": ["/opt/\0/bin/python"]}))
    (kernels / "empty").mkdir()
    assert found(linux) == {"envs/kernel/bin/python": ("jupyter",)}


def test_windows_side_is_left_out_in_wsl(linux: BuiltMachine) -> None:
    side = BuiltMachine(linux.root / "mnt/c", "Windows")
    side.windows_python(side.root / "Python311", "3.11.7")
    linux.path = [side.root / "Python311"]
    assert found(linux) == {}


def test_windows_registry(windows: BuiltMachine) -> None:
    one = windows.windows_python(windows.root / "Apps/Python311", "3.11.7")
    two = windows.windows_python(windows.root / "Apps/Python38", "3.8.10")
    three = windows.windows_python(windows.root / "Apps/Anaconda", "3.12.4")
    write(three.parent / "conda-meta/history")
    # as the installers write it: PEP 514; Anaconda's company is ContinuumAnalytics
    windows.registry = (
        RegistryKey(
            keys={
                "PyLauncher": RegistryKey(keys={"x": RegistryKey(keys={"InstallPath": RegistryKey({"": "C:\\x"})})}),
                "PythonCore": RegistryKey(
                    keys={
                        "3.11": RegistryKey(
                            {"SysVersion": "3.11", "Version": "3.11.7", "SysArchitecture": "64bit"},
                            {"InstallPath": RegistryKey({"": str(one.parent), "ExecutablePath": str(one)})},
                        ),
                        "3.8": RegistryKey({}, {"InstallPath": RegistryKey({"": str(two.parent)})}),
                        "3.7": RegistryKey({}, {"InstallPath": RegistryKey({"": str(windows.root / "removed")})}),
                        "3.6": RegistryKey({}, {"Help": RegistryKey()}),
                    }
                ),
            }
        ),
        RegistryKey(
            keys={
                "ContinuumAnalytics": RegistryKey(
                    keys={
                        "Anaconda39-64": RegistryKey({}, {"InstallPath": RegistryKey({"ExecutablePath": str(three)})})
                    }
                )
            }
        ),
    )
    assert found(windows) == {
        "Apps/Python311/python.exe": ("registry",),
        "Apps/Python38/python.exe": ("registry",),
        "Apps/Anaconda/python.exe": ("registry",),
    }


def test_windows_aliases_are_not_interpreters(windows: BuiltMachine) -> None:
    aliases = windows.home / "AppData/Local/Microsoft/WindowsApps"
    for name in ("python.exe", "python3.exe"):
        write(aliases / name)
    windows.path = [aliases]
    assert found(windows) == {}
    folder = aliases / "PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0"
    write(folder / "python.exe")
    assert list(found(windows).values()) == [("PATH", "store")]


def test_pyenv_win(windows: BuiltMachine) -> None:
    root = windows.home / ".pyenv/pyenv-win"
    windows.windows_python(root / "versions/3.11.7", "3.11.7")
    write(root / "shims/python.bat", "@echo off\n")
    write(root / "version", "3.11.7")
    windows.environ["pyenv_root"] = str(root)  # names of variables have no case on Windows
    windows.path = [root / "shims"]
    assert list(found(windows).values()) == [("PATH", "pyenv")]


@pytest.mark.parametrize(
    "folder",
    [
        "ComfyUI_windows_portable/python_embeded",
        "Users/aya/Downloads/sd.webui/system/python",
        "WPy64-31180/python-3.11.8.amd64",
    ],
)
def test_portable_folders(windows: BuiltMachine, folder: str) -> None:
    windows.windows_python(windows.root / folder, "3.11.8")
    (facts,) = find_interpreters(windows.places)
    assert (facts.found_by, facts.kind) == (("portable",), "portable")


def test_macos(macos: BuiltMachine) -> None:
    cellar = macos.root / "opt/homebrew/Cellar/python@3.12/3.12.4/Frameworks/Python.framework/Versions/3.12"
    program = macos.posix_python(cellar, "3.12.4")
    for link in ("opt/homebrew/bin/python3.12", "opt/homebrew/opt/python@3.12/bin/python3.12"):
        (macos.root / link).parent.mkdir(parents=True)
        (macos.root / link).symlink_to(program)
    framework = macos.root / "Library/Frameworks/Python.framework/Versions/3.11"
    macos.posix_python(framework, "3.11.7")
    (framework.parent / "Current").symlink_to("3.11")
    macos.program(macos.root / "usr/bin/python3")
    macos.path = [macos.root / "opt/homebrew/bin", macos.root / "usr/bin"]
    assert found(macos) == {
        "opt/homebrew/bin/python3.12": ("PATH", "homebrew"),
        "Library/Frameworks/Python.framework/Versions/3.11/bin/python": ("framework",),
    }


def test_broken_environments_are_shown_and_namesakes_are_not(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "gone", "3.11.2")
    linux.venv(linux.home / "project/.venv", base)
    base.unlink()
    write(linux.home / "bin/python", "I am a text.\n", executable=True)
    write(linux.home / "bin/python3", "", executable=True)
    (linux.home / "bin/python3.9").mkdir()
    linux.near, linux.path = [linux.home / "project"], [linux.home / "bin"]
    (facts,) = find_interpreters(linux.places)
    assert (facts.problem, facts.found_by) == ("base-missing", ("folder",))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may enter every folder")
def test_forbidden_folders(linux: BuiltMachine) -> None:
    forbidden = linux.home / ".pyenv"
    forbidden.mkdir(mode=0)
    linux.path, linux.near = [forbidden / "shims"], [forbidden / "x"]
    assert find_interpreters(linux.places) == ()


# --- the likely target -----------------------------------------------------------------------------------------------


def test_frameworks_with_their_versions(linux: BuiltMachine) -> None:
    linux.posix_python(linux.root / "usr", "3.11.2")
    site = linux.root / "usr/lib/python3.11/site-packages"
    for name, version in (("torch", "2.4.0+cu121"), ("onnxruntime-gpu", "1.20.1"), ("numpy", "2.0.0")):
        install(site, name, version)
    (facts,) = find_interpreters(linux.places)
    assert frameworks_of(facts) == {"torch": "2.4.0+cu121", "onnxruntime": "1.20.1"}


def test_the_likely_target(linux: BuiltMachine) -> None:
    """Active first, then near, then frameworks, then PATH, then the newest; Naosu's own last of all."""
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    linux.posix_python(linux.home / ".pyenv/versions/3.13.0", "3.13.0")
    own = linux.venv(linux.root / "opt/naosu", base)
    install(linux.root / "opt/naosu/lib/python3.11/site-packages", "torch", "2.13.0")
    linux.path = [linux.root / "usr/bin"]

    def likely(own_too: bool = True) -> str:
        places = linux.places
        places = Places(**{**places.__dict__, "own": own if own_too else None})
        target = likely_target(find_interpreters(places))
        assert target is not None
        return Path(target.path).relative_to(linux.root).as_posix()

    assert likely(own_too=False) == "usr/bin/python"
    assert likely() == "usr/bin/python"
    linux.posix_python(linux.home / "miniconda3/envs/ai", "3.10.1")
    install(linux.home / "miniconda3/envs/ai/lib/python3.10/site-packages", "torch", "2.4.0")
    assert likely() == "home/aya/miniconda3/envs/ai/bin/python"
    linux.venv(linux.home / "project/.venv", base)
    linux.near = [linux.home / "project"]
    assert likely() == "home/aya/project/.venv/bin/python"
    linux.venv(linux.home / "project/second", base)
    install(linux.home / "project/second/lib/python3.11/site-packages", "jax", "0.4.30")
    assert likely() == "home/aya/project/second/bin/python"
    linux.venv(linux.home / "active", base)
    linux.environ["VIRTUAL_ENV"] = str(linux.home / "active")
    assert likely() == "home/aya/active/bin/python"


def test_a_broken_interpreter_is_not_likely() -> None:
    broken = InterpreterFacts(path="/v/bin/python", found_by=("folder",), problem="base-missing")
    whole = InterpreterFacts(path="/usr/bin/python3", found_by=("PATH",), version="3.11.2")
    assert likely_target([broken, whole]) == whole
    assert likely_target([broken]) is None


def test_naosu_started_from_its_active_environment_is_not_what_the_user_means() -> None:
    own = InterpreterFacts(path="/naosu/bin/python", found_by=("folder", "VIRTUAL_ENV", "naosu"), version="3.12.0")
    other = InterpreterFacts(path="/usr/bin/python3", found_by=("PATH",), version="3.11.2")
    assert likely_target([own, other]) == other
