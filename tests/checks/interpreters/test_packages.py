"""Distributions from their metadata: against importlib.metadata, and what is damaged."""

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.built_machine import install, write

from checks.facts import Package
from checks.interpreters.packages import normalised, read_packages, with_conda_records


def test_the_same_as_importlib_metadata_says_of_the_running_interpreter() -> None:
    folders = [Path(each) for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
    truth = {
        (normalised(distribution.metadata["Name"]), distribution.version)
        for distribution in importlib.metadata.distributions(path=[str(folder) for folder in folders])
    }
    found = read_packages([], folders)
    assert {(each.name, each.version) for each in found.found} == truth
    torch = next(each for each in found.found if each.name == "torch")
    assert set(torch.requires or ()) == set(importlib.metadata.requires("torch") or ())


def test_a_wheel(tmp_path: Path) -> None:
    install(
        tmp_path,
        "onnxruntime-gpu",
        "1.20.1",
        "Requires-Dist: numpy>=1.21.6",
        'Requires-Dist: nvidia-cudnn-cu12~=9.0; extra == "cudnn"',
        "Requires-Python: >=3.10",
        tag="cp311-cp311-manylinux_2_28_x86_64",
    )
    assert read_packages([], [tmp_path]).found == [
        Package(
            name="onnxruntime-gpu",
            version="1.20.1",
            location=str(tmp_path),
            installer="pip",
            requires=("numpy>=1.21.6", 'nvidia-cudnn-cu12~=9.0; extra == "cudnn"'),
            requires_python=">=3.10",
            tags=("cp311-cp311-manylinux_2_28_x86_64",),
        )
    ]


def test_requirements_are_kept_only_where_a_check_reads_them(tmp_path: Path) -> None:
    extra = 'Requires-Dist: pytest; extra == "test"'
    install(tmp_path, "scipy", "1.14.0", "Requires-Dist: numpy<2.3", "Requires-Dist: pooch", extra)
    install(tmp_path, "my-model", "1.0", "Requires-Dist: torch==2.1.*", "Requires-Dist: click", extra)
    assert {each.name: each.requires for each in read_packages([], [tmp_path]).found} == {
        "scipy": ("numpy<2.3", "pooch"),
        "my-model": ("torch==2.1.*",),
    }


def test_egg_info_as_folder_and_as_file(tmp_path: Path) -> None:
    # setuptools' develop and old installs; distutils and Debian's packages write a file
    write(tmp_path / "torch-2.0.0-py3.9.egg-info" / "PKG-INFO", "Name: torch\nVersion: 2.0.0\n")
    write(
        tmp_path / "torch-2.0.0-py3.9.egg-info" / "requires.txt",
        'filelock\n\n[opt]\neinsum\n\n[:sys_platform=="win32"]\nwin\n',
    )
    write(tmp_path / "PyJWT-2.6.0.egg-info", "Name: PyJWT\nVersion: 2.6.0\n")
    found = read_packages([], [tmp_path]).found
    assert [(each.name, each.version) for each in found] == [("pyjwt", "2.6.0"), ("torch", "2.0.0")]
    assert found[1].requires == ("filelock", 'einsum; extra == "opt"', 'win; sys_platform=="win32"')


def test_editable_installs(tmp_path: Path) -> None:
    site, project, older = tmp_path / "site-packages", tmp_path / "project", tmp_path / "older"
    # pip install -e: a .pth beside an ordinary .dist-info; setup.py develop: easy-install.pth and .egg-link
    install(site, "modern", "0.1")
    write(site / "__editable__.modern-0.1.pth", f"{tmp_path / 'modern' / 'src'}\n")
    write(site / "easy-install.pth", f"{project}\n")
    write(site / "legacy.egg-link", f"{project}\n.\n")
    write(project / "legacy.egg-info" / "PKG-INFO", "Name: legacy\nVersion: 2.0\n")
    write(site / "linked-only.egg-link", f"{older}\n.\n")
    write(older / "linked_only.egg-info" / "PKG-INFO", "Name: linked-only\nVersion: 3.0\n")
    found = {(each.name, each.version, each.location) for each in read_packages([], [site]).found}
    assert found == {
        ("modern", "0.1", str(site)),
        ("legacy", "2.0", str(project)),
        ("linked-only", "3.0", str(older)),
    }


def test_code_in_a_pth_file_is_not_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    write(tmp_path / "site" / "evil.pth", f"import os; os.mkdir({str(canary)!r})\n#{tmp_path}\nmissing-folder\n")
    assert read_packages([], [tmp_path / "site"]).found == []
    assert not canary.exists()


def test_the_first_folder_wins_and_the_second_is_seen(tmp_path: Path) -> None:
    user, site = tmp_path / "user", tmp_path / "site"
    install(user, "numpy", "2.3.0")
    install(site, "numpy", "1.26.4")
    assert [(each.version, each.location) for each in read_packages([], [user, site]).found] == [
        ("2.3.0", str(user)),
        ("1.26.4", str(site)),
    ]


def test_the_same_folder_twice_is_read_once(tmp_path: Path) -> None:
    install(tmp_path / "lib", "numpy", "2.3.0")
    (tmp_path / "lib64").symlink_to("lib")
    assert len(read_packages([], [tmp_path / "lib64", tmp_path / "lib"]).found) == 1


@pytest.mark.parametrize(
    ("content", "expected", "reason"),
    [
        pytest.param(b"", [("broken-one", "1.0")], "empty metadata", id="empty"),
        pytest.param(None, [("broken-one", "1.0")], "no metadata", id="missing"),
        pytest.param(b"\xff\xfe\x00garbage", [("broken-one", "1.0")], None, id="wrong-encoding"),
        pytest.param("Name: café\nVersion: 1\n\n".encode("latin-1"), [("caf\ufffd", "1")], None, id="latin-1"),
        pytest.param(b"Name: broken-one\r\nVersion: 2.0\r\n\r\nName: x\r\n", [("broken-one", "2.0")], None, id="crlf"),
        pytest.param(
            b"Version: 3.0\n" + b"License: x\n" * 9000 + b"Name: late\n\n", [("late", "3.0")], None, id="long"
        ),
    ],
)
def test_damaged_metadata(tmp_path: Path, content: bytes | None, expected: list, reason: str | None) -> None:
    folder = tmp_path / "broken_one-1.0.dist-info"
    folder.mkdir()
    if content is not None:
        (folder / "METADATA").write_bytes(content)
    result = read_packages([], [tmp_path])
    assert [(each.name, each.version) for each in result.found] == expected
    assert result.unread.get("packages.broken_one-1.0.dist-info") == reason


def test_what_is_no_distribution(tmp_path: Path) -> None:
    install(tmp_path, "~orch", "2.1.0")  # left behind by an interrupted pip
    (tmp_path / "nameless.dist-info").mkdir()
    (tmp_path / "torch").mkdir()
    result = read_packages([], [tmp_path])
    assert result.found == []
    assert "packages.nameless.dist-info" in result.unread


@pytest.mark.skipif(os.name != "posix", reason="folders without permission are made the posix way")
def test_folders_that_are_missing_looped_or_forbidden(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    write(tmp_path / "file")
    assert read_packages([], [tmp_path / "missing"]).unread == {}
    assert "packages" in read_packages([], [tmp_path / "loop"]).unread
    assert "packages" in read_packages([], [tmp_path / "file"]).unread


def test_conda_records(tmp_path: Path) -> None:
    # conda-meta of an environment with pytorch from the pytorch channel, cut to the keys that are read
    meta, site = tmp_path / "conda-meta", tmp_path / "lib/python3.11/site-packages"
    install(site, "numpy", "1.26.4", installer="conda")
    install(site, "torch", "2.1.0", installer="conda")
    install(site, "requests", "2.32.0")
    write(meta / "history")
    write(
        meta / "pytorch-2.1.0-py3.11_cuda12.1_cudnn8.9.2_0.json",
        '{\n  "build": "py3.11_cuda12.1_cudnn8.9.2_0",\n  "build_number": 0,\n'
        '  "channel": "https://conda.anaconda.org/pytorch/linux-64",\n  "files": []\n}',
    )
    write(meta / "numpy-1.26.4-py311h64a7726_0.json", '{"channel": "https://conda.anaconda.org/conda-forge/linux-64"}')
    write(meta / "requests-2.31.0-pyhd8ed1ab_0.json", "{")  # pip put a newer one over it
    found = with_conda_records(read_packages([], [site]).found, tmp_path)
    assert [(each.name, each.version, each.installer, each.build, each.channel) for each in found] == [
        ("numpy", "1.26.4", "conda", "py311h64a7726_0", "https://conda.anaconda.org/conda-forge/linux-64"),
        ("requests", "2.32.0", "pip", None, None),
        ("torch", "2.1.0", "conda", None, None),
        ("pytorch", "2.1.0", "conda", "py3.11_cuda12.1_cudnn8.9.2_0", "https://conda.anaconda.org/pytorch/linux-64"),
        ("requests", "2.31.0", "conda", "pyhd8ed1ab_0", None),
    ]


def test_a_damaged_conda_record(tmp_path: Path) -> None:
    write(tmp_path / "conda-meta/cudnn-9.3.0-0.json", b'{"channel": "https://\xff"}')
    (cudnn,) = with_conda_records([], tmp_path)
    assert cudnn.channel == "https://\ufffd"


@pytest.mark.skipif(os.name != "posix", reason="a pipe is made the posix way")
def test_a_pipe_in_place_of_metadata_does_not_hang(tmp_path: Path) -> None:
    folder = tmp_path / "odd-1.0.dist-info"
    folder.mkdir()
    for name in ("METADATA", "INSTALLER", "WHEEL"):
        os.mkfifo(folder / name)
    os.mkfifo(tmp_path / "odd.pth")
    assert [each.name for each in read_packages([], [tmp_path]).found] == ["odd"]


@given(st.binary(max_size=300))
def test_any_metadata_is_read_without_an_exception(tmp_path: Path, content: bytes) -> None:
    write(tmp_path / "any-1.0.dist-info" / "METADATA", content)
    write(tmp_path / "any.pth", content)
    write(tmp_path / "any-2.0.egg-info" / "requires.txt", content)
    assert len(read_packages([], [tmp_path]).found) == 2
