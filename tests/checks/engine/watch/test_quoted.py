"""Which variables an error quotes, and which stand there by chance."""

from pathlib import Path

import pytest

from checks.engine.watch.quoted import quoted_variables
from checks.facts import ProgramRun, PythonProcess, Raised


def quoted(message: str, kind: str = "ValueError", **variables: str) -> dict[str, str]:
    raised = Raised(type=kind, message=message)
    return quoted_variables(ProgramRun(exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),)), variables)


@pytest.mark.parametrize(
    ("message", "name", "value"),
    [
        ("Key backend: 'TkAggg' is not a valid value for backend", "MPLBACKEND", "TkAggg"),
        ("Could not find a suitable CA bundle, invalid path: /etc/ssl/a.pem", "REQUESTS_CA_BUNDLE", "/etc/ssl/a.pem"),
        ("Unable to import backend : theano", "KERAS_BACKEND", "theano"),
        ("'ascii' codec can't encode characters in position 0-1", "PYTHONIOENCODING", "ascii"),
        ("No such file or directory: '/data/model.onnx'.", "MODEL", "/data/model.onnx"),
    ],
)
def test_a_value_that_the_error_names(message: str, name: str, value: str) -> None:
    assert quoted(message, **{name: value}) == {name: value}


@pytest.mark.parametrize(
    ("message", "name", "value"),
    [
        ("Expected all tensors on one device, cuda:0 and cpu", "JAX_PLATFORMS", "cpu"),
        ("index 1234 is out of bounds", "PORT", "1234"),
        ("No such file: '/home/ada/model.onnx'", "HOME", "/home/ada"),
        ("No such file: '/data/model.onnx'", "DATA", "/data"),
        ("No such file: '/mnt/data'", "DATA", "/data"),
        ("invalid token abcdefgh", "HF_TOKEN", "abcdefgh"),
        ("debug is not a level", "LEVEL", "debug"),
        ("Error building 'scale': nvcc -ccbin /opt/gcc/bin/gcc -O2 scale.cu", "CC", "/opt/gcc/bin/gcc"),
        ("the linear part failed", "SCHEDULER", "linear"),
        ("", "MODE", "fast"),
    ],
)
def test_what_says_nothing(message: str, name: str, value: str) -> None:
    assert quoted(message, **{name: value}) == {}


@pytest.mark.parametrize(
    ("kind", "message", "value"),
    [
        ("NameError", "name 'train' is not defined", "train"),
        ("KeyError", "'train'", "train"),
        ("OSError", "[Errno 28] No space left on device: '/scratch/tmp'", "/scratch/tmp"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'train'", "train"),
    ],
)
def test_what_is_of_the_program_or_the_disk(kind: str, message: str, value: str) -> None:
    assert quoted(message, kind, JOB_NAME=value) == {}


def test_a_program_that_works_quotes_nothing() -> None:
    raised = Raised(type="SystemExit", message="theano")
    run = ProgramRun(exit_code=0, pythons=(PythonProcess(pid=1, raised=raised),))
    assert quoted_variables(run, {"KERAS_BACKEND": "theano"}) == {}


def test_a_folder_below_a_variable_that_names_a_file(tmp_path: Path) -> None:
    taken = tmp_path / "hf"
    taken.touch()
    raised = Raised(type="NotADirectoryError", message=f"[Errno 20] Not a directory: '{taken}/hub'")
    run = ProgramRun(exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    assert quoted_variables(run, {"HF_HOME": str(taken), "OTHER": str(tmp_path)}) == {"HF_HOME": str(taken)}
