"""A probe sees the user's environment, without what only our own start brought into it."""

import os
from pathlib import Path

import pytest

from checks.engine.processes.surroundings import conda_folders, probe_environment

OURS = ("/opt/naosu/.venv",)
THEIRS = "/home/user/venv/bin/python"


def environment(**variables: str) -> dict[str, str]:
    found = probe_environment(THEIRS, variables, OURS)
    return {name: value for name, value in found.items() if name in variables or value not in variables.values()}


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"CUDA_VISIBLE_DEVICES": "-1"}, id="hides-the-gpus"),
        pytest.param({"CUDA_VISIBLE_DEVICES": ""}, id="empty-is-not-unset"),
        pytest.param({"PYTHONPATH": "/home/user/lib", "PYTHONHOME": "/usr"}, id="python-is-led-astray"),
        pytest.param({"LD_LIBRARY_PATH": "/usr/local/cuda/lib64:"}, id="empty-entry-means-the-current-folder"),
        pytest.param({"VIRTUAL_ENV": "/home/user/venv"}, id="the-user's-environment"),
        pytest.param({"XLA_FLAGS": "--xla_gpu_cuda_data_dir=/opt/naosu/.venv/cuda"}, id="no-list-of-paths"),
        pytest.param({"NOTE": "/opt/naosu/.venv-old/bin"}, id="a-neighbour-of-ours"),
    ],
)
def test_the_users_own_is_kept(variables: dict[str, str]) -> None:
    assert environment(**variables) == variables


def test_what_our_start_put_aside_is_given_back() -> None:
    aside = {"NAOSU_USERS_LD_LIBRARY_PATH": "/usr/local/cuda/lib64", "NAOSU_USERS_LD_PRELOAD": ""}
    found = probe_environment(THEIRS, aside, OURS)
    found.pop("PATH", None)
    assert found == {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64", "LD_PRELOAD": ""}


@pytest.mark.parametrize(
    ("variables", "left"),
    [
        pytest.param({"VIRTUAL_ENV": "/opt/naosu/.venv"}, {}, id="our-environment-is-active"),
        pytest.param({"PATH": "/opt/naosu/.venv/bin:/usr/bin"}, {"PATH": "/usr/bin"}, id="our-programs-first"),
        pytest.param({"QT_PLUGIN_PATH": "/opt/naosu/.venv/lib/PySide6/plugins"}, {}, id="our-window-system"),
        pytest.param({"__PYVENV_LAUNCHER__": "/usr/local/bin/python3"}, {}, id="launcher-of-macos"),
    ],
)
def test_ours_is_taken_out(variables: dict[str, str], left: dict[str, str]) -> None:
    assert environment(**variables) == left


def test_nothing_is_taken_out_for_a_probe_in_our_own_environment() -> None:
    variables = {"VIRTUAL_ENV": "/opt/naosu/.venv", "PATH": "/opt/naosu/.venv/bin:/usr/bin"}
    assert probe_environment("/opt/naosu/.venv/bin/python", variables, OURS) == variables


def test_the_real_environment_by_default() -> None:
    assert probe_environment(THEIRS)["PATH"].split(os.pathsep)[-1] in os.environ["PATH"]


def test_folders_of_a_conda_environment(tmp_path: Path) -> None:
    python = tmp_path / "python.exe"
    assert conda_folders(str(python)) == ()
    (tmp_path / "conda-meta").mkdir()
    folders = [os.path.relpath(folder, tmp_path) for folder in conda_folders(str(python))]
    assert folders == [".", "Library/mingw-w64/bin", "Library/usr/bin", "Library/bin", "Scripts", "bin"]
