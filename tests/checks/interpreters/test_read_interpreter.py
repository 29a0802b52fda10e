"""One interpreter, read from its files."""

import importlib.metadata
import json
import os
import platform
import site
import subprocess
import sys
from pathlib import Path

import pytest
from support.built_machine import HEADS, BuiltMachine, install, write

from checks.interpreters import Places, read_interpreter
from checks.interpreters.disk import absolute
from checks.interpreters.packages import normalised

# What an interpreter says about itself; for Pythons down to 3.8.
ASK = """
import importlib.metadata, json, platform, site, sys
print(json.dumps({
    "version": platform.python_version(), "prefix": sys.prefix, "base_prefix": sys.base_prefix,
    "architecture": platform.machine(), "implementation": platform.python_implementation().lower(),
    "user_site": bool(site.ENABLE_USER_SITE) and site.getusersitepackages() in sys.path,
    "packages": sorted({(d.metadata["Name"], d.version) for d in importlib.metadata.distributions()}),
}))
"""


def truth_of(python: Path) -> dict:
    done = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=True, cwd="/")
    return json.loads(done.stdout)


def assert_it_says_the_same(python: Path) -> None:
    truth, facts = truth_of(python), read_interpreter(python)
    for name in ("version", "prefix", "base_prefix", "architecture", "implementation", "user_site"):
        assert getattr(facts, name) == truth[name], name
    packages = {(normalised(name), version) for name, version in truth["packages"]}
    assert {(package.name, package.version) for package in facts.packages or ()} == packages
    assert facts.problem is None


def test_the_running_interpreter_and_its_base() -> None:
    assert_it_says_the_same(Path(sys.executable))
    assert_it_says_the_same(Path(os.path.realpath(sys.executable)))


@pytest.mark.parametrize(
    "options", [[], ["--copies"], ["--system-site-packages"]], ids=lambda each: "".join(each) or "plain"
)
def test_real_virtual_environments(tmp_path: Path, options: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, tmp_path / "v"], check=True)
    python = tmp_path / "v" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    assert_it_says_the_same(python)
    facts = read_interpreter(tmp_path / "v")
    assert facts.path == str(python)
    assert facts.kind == "venv"
    assert facts.package_manager == "pip"
    assert facts.externally_managed is False


def test_facts_of_the_running_interpreter() -> None:
    facts = read_interpreter(sys.executable, ("naosu",))
    assert facts.found_by == ("naosu",)
    assert facts.free_threaded is False
    package = facts.package("torch")
    assert package is not None
    assert package.version == importlib.metadata.version("torch")
    assert facts.unread == {}
    assert site.getsitepackages()[0] == package.location
    assert platform.python_version() == facts.version


# --- layouts that tools leave ----------------------------------------------------------------------------------------


@pytest.fixture
def linux(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path)


@pytest.fixture
def windows(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path, "Windows")


@pytest.fixture
def macos(tmp_path: Path) -> BuiltMachine:
    return BuiltMachine(tmp_path, "Darwin")


def test_debian(linux: BuiltMachine) -> None:
    # Debian 12: python3.11 and python3-pip; pip's own folder is /usr/local/lib/python3.11/dist-packages
    usr = linux.root / "usr"
    linux.posix_python(usr, "3.11.2", headers=False)
    write(usr / "lib/python3.11/EXTERNALLY-MANAGED", "[externally-managed]\n")
    install(usr / "lib/python3/dist-packages", "PyYAML", "6.0")
    install(usr / "local/lib/python3.11/dist-packages", "torch", "2.4.0")
    install(usr / "lib/python3.11/site-packages", "not-on-the-path", "1.0")
    install(linux.home / ".local/lib/python3.11/site-packages", "numpy", "2.0.0")
    facts = read_interpreter(usr / "bin/python3", places=linux.places)
    assert [package.name for package in facts.packages or ()] == ["numpy", "torch", "pyyaml"]
    assert facts.externally_managed is True
    assert facts.user_site is True
    assert facts.kind == "system"
    assert facts.version == "3.11"  # no headers, no text in the program: the rest is not known
    assert "version" in facts.unread


def test_fedora(linux: BuiltMachine) -> None:
    # Fedora 40: the library is in lib64, pure packages in lib, pip's own below /usr/local
    usr = linux.root / "usr"
    linux.program(usr / "bin/python3.12")
    write(usr / "lib64/python3.12/os.py")
    write(usr / "include/python3.12/patchlevel.h", '#define PY_VERSION "3.12.4"')
    for name, place in (("numpy", "lib64"), ("pip", "lib"), ("torch", "local/lib64"), ("tqdm", "local/lib")):
        install(usr / place / "python3.12/site-packages", name, "1.0")
    facts = read_interpreter(usr / "bin/python3.12", places=linux.places)
    assert (facts.version, facts.prefix, facts.externally_managed) == ("3.12.4", str(usr), False)
    assert [package.name for package in facts.packages or ()] == ["torch", "tqdm", "numpy", "pip"]


def test_version_from_the_program_where_nothing_else_tells(linux: BuiltMachine) -> None:
    program = linux.posix_python(linux.root / "usr", "3.11.2", headers=False)
    write(program, linux.head + b"\0Py_BytesMain\x003.11.2\0", executable=True)
    facts = read_interpreter(program, places=linux.places)
    assert facts.version == "3.11.2"
    assert facts.origin == str(program)


def test_user_site_is_switched_off(linux: BuiltMachine) -> None:
    program = linux.posix_python(linux.root / "usr", "3.11.2")
    install(linux.home / ".local/lib/python3.11/site-packages", "numpy", "2.0.0")
    linux.environ["PYTHONNOUSERSITE"] = "1"
    facts = read_interpreter(program, places=linux.places)
    assert facts.user_site is False
    assert facts.packages == ()


def test_pythonpath_comes_first(linux: BuiltMachine) -> None:
    program = linux.posix_python(linux.root / "usr", "3.11.2")
    install(linux.root / "extra", "torch", "1.13.0")
    install(linux.root / "usr/lib/python3.11/site-packages", "torch", "2.4.0")
    linux.environ["PYTHONPATH"] = str(linux.root / "extra")
    facts = read_interpreter(program, places=linux.places)
    package = facts.package("torch")
    assert package is not None
    assert package.version == "1.13.0"
    assert len(facts.packages or ()) == 2


def test_conda(linux: BuiltMachine) -> None:
    prefix = linux.home / "miniconda3/envs/ai"
    linux.posix_python(prefix, "3.11.7", headers=False)
    for name in (
        "python-3.11.7-hab00c5b_1_cpython",
        "python_abi-3.11-5_cp311",
        "python-dateutil-2.9.0-py_0",
        "cudnn-8.9.7-0",
    ):
        write(prefix / "conda-meta" / f"{name}.json", "{}")
    facts = read_interpreter(prefix, places=linux.places)
    assert facts.version == "3.11.7"
    assert facts.kind == "conda"
    assert facts.package_manager == "conda"
    assert facts.package("cudnn") is not None


def test_pixi(linux: BuiltMachine) -> None:
    # pixi marks its environments with conda-meta/pixi
    prefix = linux.home / "project/.pixi/envs/default"
    linux.posix_python(prefix, "3.12.4")
    write(prefix / "conda-meta/pixi", "{}")
    facts = read_interpreter(linux.home / "project", places=linux.places)
    assert facts.prefix == str(prefix)
    assert facts.package_manager == "pixi"


@pytest.mark.parametrize(
    ("config", "version"),
    [
        # virtualenv 20 writes version_info with the release level, uv without; both name themselves
        pytest.param(
            "home = {home}\nimplementation = CPython\nversion_info = 3.11.4.final.0\nvirtualenv = 20.26.2\n",
            "3.11.4",
            id="virtualenv",
        ),
        pytest.param("home = {home}\nimplementation = CPython\nuv = 0.5.1\nversion_info = 3.11.9\n", "3.11.9", id="uv"),
        pytest.param("home = {home}\nversion = 3.11.1rc1\n", "3.11.1rc1", id="venv-of-a-candidate"),
        pytest.param(
            "home = {home}\nversion_info = 3.13.0.candidate.2\n", "3.11", id="of-another-minor-is-not-believed"
        ),
        pytest.param("home = {home}\nversion = rubbish\n", "3.11", id="rubbish"),
    ],
)
def test_version_in_pyvenv_cfg(linux: BuiltMachine, config: str, version: str) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2", headers=False)
    python = linux.venv(linux.home / "v", base, config.format(home=base.parent))
    facts = read_interpreter(python, places=linux.places)
    assert facts.version == version
    assert facts.package_manager == ("uv" if "uv =" in config else "pip")


def test_the_base_was_updated_since_the_environment_was_made(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.9")
    facts = read_interpreter(linux.venv(linux.home / "v", base), places=linux.places)  # its pyvenv.cfg says 3.11.7
    assert facts.version == "3.11.9"
    assert facts.base_prefix == str(linux.root / "usr")


def test_system_site_packages(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.7")
    install(linux.root / "usr/lib/python3.11/site-packages", "torch", "2.4.0")
    inside = linux.venv(linux.home / "inside", base, system_site=True)
    install(linux.home / "inside/lib/python3.11/site-packages", "torch", "2.5.0")
    outside = linux.venv(linux.home / "outside", base)
    packages = read_interpreter(inside, places=linux.places).packages or ()
    assert [package.version for package in packages] == ["2.5.0", "2.4.0"]
    assert read_interpreter(outside, places=linux.places).packages == ()


def test_free_threaded(linux: BuiltMachine) -> None:
    program = linux.posix_python(linux.home / ".pyenv/versions/3.13.1t", "3.13.1", build="t")
    facts = read_interpreter(program, places=linux.places)
    assert facts.free_threaded is True
    assert facts.version == "3.13.1"
    assert facts.kind == "pyenv"


def test_two_versions_in_one_prefix(linux: BuiltMachine) -> None:
    usr = linux.root / "usr"
    older = linux.posix_python(usr, "3.8.18")
    for name in ("python", "python3"):
        (usr / "bin" / name).unlink()
    linux.posix_python(usr, "3.11.2")
    assert read_interpreter(older, places=linux.places).version == "3.8.18"
    assert read_interpreter(usr / "bin/python3", places=linux.places).version == "3.11.2"


def test_pypy(linux: BuiltMachine) -> None:
    # the archive of PyPy 7.3.17: bin/pypy3.10, lib/pypy3.10, include/pypy3.10/patchlevel.h
    prefix = linux.home / "pypy3.10-v7.3.17-linux64"
    program = linux.program(prefix / "bin/pypy3.10")
    write(prefix / "lib/pypy3.10/os.py")
    write(prefix / "include/pypy3.10/patchlevel.h", '#define PY_VERSION\t\t"3.10.14"\n#define PYPY_VERSION "7.3.17"\n')
    install(prefix / "lib/pypy3.10/site-packages", "pip", "24.0")
    facts = read_interpreter(program, places=linux.places)
    assert (facts.implementation, facts.version) == ("pypy", "3.10.14")
    assert facts.package("pip") is not None


@pytest.mark.parametrize(
    ("folder", "mark", "kind", "manager"),
    [
        pytest.param(".local/share/pipx/venvs/black", "pipx_metadata.json", "pipx", "pipx", id="pipx"),
        pytest.param(".local/share/uv/tools/ruff", "uv-receipt.toml", "uv", "uv", id="uv-tool"),
        pytest.param(".cache/pypoetry/virtualenvs/app-Ab1_-py3.11", "", "poetry", "poetry", id="poetry"),
        pytest.param("project/.venv", "../poetry.lock", "poetry", "poetry", id="poetry-in-project"),
        pytest.param(".virtualenvs/work", "", "venv", "pip", id="virtualenvwrapper"),
    ],
)
def test_whose_environment(linux: BuiltMachine, folder: str, mark: str, kind: str, manager: str) -> None:
    base = linux.posix_python(linux.root / "usr", "3.11.2")
    python = linux.venv(linux.home / folder, base)
    if mark:
        write(linux.home / folder / mark)
    facts = read_interpreter(python, places=linux.places)
    assert (facts.kind, facts.package_manager) == (kind, manager)


def test_python_of_uv(linux: BuiltMachine) -> None:
    prefix = linux.home / ".local/share/uv/python/cpython-3.12.5-linux-x86_64-gnu"
    program = linux.posix_python(prefix, "3.12.5")
    write(prefix / "lib/python3.12/EXTERNALLY-MANAGED")
    facts = read_interpreter(program, places=linux.places)
    assert (facts.kind, facts.package_manager, facts.externally_managed) == ("uv", "uv", True)


def test_windows_installer_and_environment(windows: BuiltMachine) -> None:
    prefix = windows.home / "AppData/Local/Programs/Python/Python311"
    base = windows.windows_python(prefix, "3.11.7")
    install(windows.home / "AppData/Roaming/Python/Python311/site-packages", "numpy", "2.0.0")
    facts = read_interpreter(base, places=windows.places)
    assert (facts.version, facts.architecture, facts.kind) == ("3.11.7", "AMD64", "system")
    assert (facts.user_site, facts.externally_managed) == (True, False)
    assert [package.name for package in facts.packages or ()] == ["numpy"]

    python = windows.venv(windows.home / "v", base)
    install(windows.home / "v/Lib/site-packages", "torch", "2.4.0+cu121")
    facts = read_interpreter(windows.home / "v", places=windows.places)
    assert facts.path == str(python)
    assert (facts.version, facts.kind, facts.base_prefix) == ("3.11.7", "venv", str(prefix))
    assert [package.name for package in facts.packages or ()] == ["torch"]


def test_comfyui_portable(windows: BuiltMachine) -> None:
    # ComfyUI_windows_portable_nvidia.7z: the embeddable Python with "import site" switched on and one folder more
    folder = windows.root / "ComfyUI_windows_portable"
    prefix = folder / "python_embeded"
    write(prefix / "python312.dll", windows.head)
    write(
        prefix / "python312._pth",
        "../ComfyUI\npython312.zip\n.\n\n# Uncomment to run site.main() automatically\nimport site\n",
    )
    windows.program(prefix / "python.exe")
    install(prefix / "Lib/site-packages", "torch", "2.5.1+cu124")
    install(windows.home / "AppData/Roaming/Python/Python312/site-packages", "numpy", "1.0")
    facts = read_interpreter(folder, places=windows.places)
    assert facts.path == str(prefix / "python.exe")
    assert (facts.kind, facts.user_site, facts.version) == ("portable", False, "3.12")
    assert [package.name for package in facts.packages or ()] == ["torch"]


def test_embeddable_python_without_site(windows: BuiltMachine) -> None:
    prefix = windows.root / "tools" / "py"
    windows.windows_python(prefix, "3.11.7")
    write(prefix / "python311._pth", "python311.zip\n.\n#import site\n")
    install(prefix / "Lib/site-packages", "torch", "2.5.1")
    facts = read_interpreter(prefix / "python.exe", places=windows.places)
    assert (facts.kind, facts.packages) == ("portable", ())


def test_store(windows: BuiltMachine) -> None:
    aliases = windows.home / "AppData/Local/Microsoft/WindowsApps"
    folder = aliases / "PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0"
    for place in (aliases, folder):
        write(place / "python.exe")  # an alias has no content that could be read
    local = windows.home / "AppData/Local/Packages" / folder.name / "LocalCache/local-packages/Python311/site-packages"
    install(local, "torch", "2.4.0")
    facts = read_interpreter(aliases / "python.exe", places=windows.places)
    assert facts.path == str(folder / "python.exe")
    assert (facts.kind, facts.version, facts.problem) == ("store", "3.11", None)
    assert [package.name for package in facts.packages or ()] == ["torch"]


def test_alias_that_opens_the_store(windows: BuiltMachine) -> None:
    alias = write(windows.home / "AppData/Local/Microsoft/WindowsApps/python.exe")
    assert read_interpreter(alias, places=windows.places).problem == "installer-alias"


def test_alias_of_the_python_install_manager(windows: BuiltMachine) -> None:
    aliases = windows.home / "AppData/Local/Microsoft/WindowsApps"
    (aliases / "PythonSoftwareFoundation.PythonManager_qbz5n2kfra8p0").mkdir(parents=True)
    facts = read_interpreter(write(aliases / "python.exe"), places=windows.places)
    assert facts.problem is None
    assert "version" in facts.unread


def test_macos_framework(macos: BuiltMachine) -> None:
    macos.head = HEADS["universal2"]
    prefix = macos.root / "Library/Frameworks/Python.framework/Versions/3.11"
    program = macos.posix_python(prefix, "3.11.7")
    install(macos.home / "Library/Python/3.11/lib/python/site-packages", "numpy", "2.0.0")
    link = macos.root / "usr/local/bin/python3"
    link.parent.mkdir(parents=True)
    link.symlink_to(program)
    facts = read_interpreter(link, places=macos.places)
    assert (facts.architecture, facts.kind, facts.prefix) == ("universal2", "system", str(prefix))
    assert facts.user_site is True
    assert facts.package("numpy") is not None


def test_macos_alias_of_the_developer_tools(macos: BuiltMachine) -> None:
    alias = macos.program(macos.root / "usr/bin/python3")
    facts = read_interpreter(alias, places=macos.places)
    assert (facts.problem, facts.kind) == ("installer-alias", "system")
    framework = macos.root / "Library/Developer/CommandLineTools/Library/Frameworks/Python3.framework/Versions/3.9"
    program = macos.posix_python(framework, "3.9.6")
    tool = macos.root / "Library/Developer/CommandLineTools/usr/bin/python3"
    tool.parent.mkdir(parents=True)
    tool.symlink_to(program)
    facts = read_interpreter(alias, places=macos.places)
    assert (facts.path, facts.version, facts.kind) == (str(tool), "3.9.6", "system")


# --- what is broken --------------------------------------------------------------------------------------------------


def test_missing(linux: BuiltMachine) -> None:
    assert read_interpreter(linux.root / "nothing", places=linux.places).problem == "missing"


def test_folder_without_python(linux: BuiltMachine) -> None:
    assert read_interpreter(linux.home, places=linux.places).problem == "not-python"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"I am a text.\n", id="text"),
        pytest.param(b"PK\x03\x04zip", id="archive"),
        pytest.param(HEADS["x86_64 linux"] + b"another program", id="another-program"),
    ],
)
def test_file_that_is_no_python(linux: BuiltMachine, content: bytes) -> None:
    path = write(linux.home / "python", content, executable=True)
    assert read_interpreter(path, places=linux.places).problem == "not-python"


def test_script_that_starts_another_program_is_not_judged(linux: BuiltMachine) -> None:
    path = write(linux.home / "python", "#!/bin/sh\nexec /opt/x/bin/python\n", executable=True)
    facts = read_interpreter(path, places=linux.places)
    assert facts.problem is None
    assert set(facts.unread) == {"architecture", "version", "packages"}


def test_environment_whose_python_was_removed(linux: BuiltMachine) -> None:
    base = linux.posix_python(linux.home / ".pyenv/versions/3.11.7", "3.11.7")
    python = linux.venv(linux.home / "v", base)
    install(linux.home / "v/lib/python3.11/site-packages", "torch", "2.4.0")
    base.unlink()
    facts = read_interpreter(linux.home / "v", places=linux.places)
    assert (facts.path, facts.problem, facts.version) == (str(python), "base-missing", "3.11.7")
    assert facts.base_prefix is None
    assert facts.package("torch") is not None


def test_copied_environment_whose_python_was_removed(windows: BuiltMachine) -> None:
    base = windows.windows_python(windows.root / "Python311", "3.11.7")
    python = windows.venv(windows.home / "v", base)
    base.unlink()
    assert read_interpreter(python, places=windows.places).problem == "base-missing"


@pytest.mark.skipif(os.name != "posix", reason="a pipe and a mode are made the posix way")
def test_pipe_loop_and_mode(linux: BuiltMachine) -> None:
    os.mkfifo(linux.home / "python")
    assert read_interpreter(linux.home / "python", places=linux.places).problem == "not-python"
    (linux.home / "python3").symlink_to("python3")
    assert read_interpreter(linux.home / "python3", places=linux.places).problem == "unreadable"
    program = linux.posix_python(linux.home / "py", "3.11.2")
    program.chmod(0o644)
    assert read_interpreter(program, places=linux.places).problem == "not-executable"


@pytest.mark.parametrize(
    "config", [b"", b"\xff\xfe\x00", b"home\n= \nhome = /nowhere/bin\n" * 5000], ids=["empty", "bytes", "long"]
)
def test_damaged_pyvenv_cfg(linux: BuiltMachine, config: bytes) -> None:
    write(linux.home / "v/pyvenv.cfg", config)
    python = linux.program(linux.home / "v/bin/python")
    assert read_interpreter(python, places=linux.places).problem == "base-missing"


def test_environment_that_is_its_own_base(linux: BuiltMachine) -> None:
    python = linux.program(linux.home / "v/bin/python")
    write(linux.home / "v/pyvenv.cfg", f"home = {python.parent}\n")
    assert read_interpreter(python, places=linux.places).problem == "base-missing"


def test_null_byte_in_the_name() -> None:
    assert read_interpreter("python\0", places=Places(home=Path("/"), system="Linux")).problem == "missing"


def test_a_path_that_goes_up_is_shown_straight_and_its_last_link_is_kept(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "ai").symlink_to(tmp_path / "real")
    assert absolute(tmp_path / "real" / ".." / "ai") == tmp_path.resolve() / "ai"
    assert absolute(tmp_path / "ai" / "..") == tmp_path.resolve()
    assert absolute(tmp_path / "ai") == tmp_path / "ai"


def test_a_path_file_that_is_no_text_is_seen_before_python_fails_at_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "v"], check=True)
    facts = read_interpreter(tmp_path / "v")
    assert facts.unreadable_pth == ()
    (folder,) = (path for path in (tmp_path / "v").rglob("site-packages") if not path.is_symlink())
    (folder / "fine.pth").write_text("# 日本語\n", encoding="utf-8")
    (folder / "my.pth").write_bytes(b"\xff\xfe/\x00h\x00")
    (seen,) = read_interpreter(tmp_path / "v").unreadable_pth
    assert Path(seen).samefile(folder / "my.pth")
