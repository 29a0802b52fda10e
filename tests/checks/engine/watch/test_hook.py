"""What the hook wrote down is read, whatever a program put in its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from checks.engine.watch.hook import heeds_nothing, hooked, recorded
from checks.probes.watch.last_look import described, write

BEGUN = "/e/bin/python\0/e\0003.12.1\0007\0000\0/home\0python\0x.py"


def begun(folder: Path, name: str, text: str = BEGUN) -> None:
    (folder / f"{name}.begun").write_text(text)


def test_the_variables(tmp_path: Path) -> None:
    assert hooked({"A": "1"}, tmp_path) == {"A": "1", "PYTHONPATH": str(tmp_path)}
    assert hooked({"PYTHONPATH": "/x"}, tmp_path)["PYTHONPATH"] == f"{tmp_path}{os.pathsep}/x"
    assert {path.name for path in tmp_path.iterdir()} == {"sitecustomize.py", "last_look.py", "launchers", "variables"}
    assert hooked({"PYTHONPATH": ""}, tmp_path)["PYTHONPATH"] == str(tmp_path)
    assert (tmp_path / "was-empty").exists()


def test_one_that_did_not_come_to_its_end(tmp_path: Path) -> None:
    begun(tmp_path, "12-a1")
    (tmp_path / "12-a1.crash").write_text("Fatal Python error")
    (python,) = recorded(tmp_path)
    assert (python.pid, python.parent, python.version, python.folder) == (12, 7, "3.12.1", "/home")
    assert python.arguments == ("python", "x.py")
    assert python.crash == "Fatal Python error"
    assert not python.is_complete


def test_one_that_became_another(tmp_path: Path) -> None:
    begun(tmp_path, "12-a1")
    begun(tmp_path, "12-a2")
    (tmp_path / "12-a3.ended").write_text(json.dumps({"pid": 12, "is_complete": True, "executable": "/f"}))
    first, second = recorded(tmp_path)
    assert (first.executable, second.executable, second.is_complete) == ("/e/bin/python", "/f", True)


def test_one_wrong_field_costs_that_field(tmp_path: Path) -> None:
    told = {"pid": 12, "modules": [{"name": 3}], "warnings": 7, "version": "3.9.1", "raised": {}, "new": 1}
    (tmp_path / "12-a.ended").write_text(json.dumps(told))
    (python,) = recorded(tmp_path)
    assert (python.version, python.modules, python.warnings, python.raised) == ("3.9.1", (), (), None)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{", '{"pid": "x"}', '{"modules": []}', "[" * 50_000, '{"pid": NaN}', '{"pid": "\ud83d"}'],
)
def test_what_is_no_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "1-a.ended").write_bytes(text.encode("utf-8", "surrogatepass"))
    begun(tmp_path, "x-a", text.replace("\ud83d", ""))
    assert recorded(tmp_path) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1-a.ended")
    (tmp_path / "2-a.ended").symlink_to("/dev/zero")
    (tmp_path / "3-a.ended").mkdir()
    assert recorded(tmp_path) == ()
    assert recorded(tmp_path / "none") == ()


def test_of_very_many_the_last_are_kept(tmp_path: Path) -> None:
    for number in range(100):
        begun(tmp_path, f"{number + 1}-{number + 16:x}")
    pythons = recorded(tmp_path)
    assert len(pythons) == 32
    assert pythons[-1].pid == 100


def test_half_characters_become_whole_ones(tmp_path: Path) -> None:
    (tmp_path / "1-a.ended").write_text('{"pid": 1, "folder": "\\ud83d"}')
    assert recorded(tmp_path)[0].folder == "?"


@pytest.mark.parametrize(
    ("command", "nothing"),
    [
        (("python", "x.py", "-I"), False),
        (("/e/bin/python3", "-I", "x.py"), True),
        (("python", "-uIS", "x.py"), True),
        (("python", "-B", "-c", "-E"), False),
        (("python", "-m", "x", "-S"), False),
        (("python", "-XIES", "x"), False),
        (("bash", "-E"), False),
    ],
)
def test_which_python_heeds_nothing(command: tuple[str, ...], nothing: bool) -> None:
    assert heeds_nothing(command) is nothing


def test_the_arrays_that_a_failing_line_names() -> None:
    """Their number format and device; of other values, whose attributes may be code, nothing."""

    class Lazy:
        @property
        def dtype(self) -> str:
            raise AssertionError("asked")

    small, lazy = np.ones(3, "f"), Lazy()
    try:
        raise ValueError((small, lazy))
    except ValueError as error:
        (frame,) = described(error, error.__traceback__)["raised"]["frames"]
    assert frame["arrays"] == {"small": "float32 cpu"} or frame["arrays"] == {"small": "float32"}  # since NumPy 2


def test_names_that_look_like_one_which_a_module_lacks_are_told_and_no_code_of_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts of the package first; what it lists and does not hold is a lazy name of it."""
    package = tmp_path / "my_frame"
    package.mkdir()
    source = "def __dir__():\n    raise SystemExit\n__all__ = ['nm_lazy', 'nx']\nne = 1\nother = 2\n"
    (package / "__init__.py").write_text(source)
    (package / "nn.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, near in (("nm", ["nn", "ne", "nx"]), ("zz", [])):
        with pytest.raises(ImportError) as raised:
            exec(f"from my_frame import {name}", {})
        assert described(raised.value, None)["raised"].get("near", []) == near


def test_a_program_that_broke_its_variables_tells_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(os, "environ", None)
        write(str(tmp_path), ("/env/bin/python", "/env", "3.12.1", "1", "0", "/p"), ["python"], {"CUDA_HOME": None})
    (record,) = tmp_path.glob("*.ended")
    assert json.loads(record.read_text("utf-8"))["executable"] == "/env/bin/python"


JAX = """import atexit
from jax._src.xla_bridge import _backends
@atexit.register
def clean_up(): _backends.clear()
"""


def test_the_devices_are_seen_before_jax_forgets_them(tmp_path: Path) -> None:
    """As JAX does it: its backends are dropped by a function that runs when Python exits."""
    hook, folder = tmp_path / "hook", tmp_path / "program"
    hook.mkdir()
    for name in ("jax", "jax/_src"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
    (folder / "jax/__init__.py").write_text("from jax._src import api, xla_bridge\nimport jax.nn\nimport jax.numpy\n")
    (folder / "jax/_src/api.py").write_text(JAX)
    (folder / "jax/_src/xla_bridge.py").write_text("_backends = {'cpu': None}\n")
    (folder / "jax/numpy.py").touch()
    # A finder behind ours that alone knows a module is asked for it, too.
    source = """import sys, types, importlib.machinery
class Only:
    def find_spec(self, name, path=None, target=None):
        if name == "jax.nn":
            return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec): return types.ModuleType(spec.name)
    def exec_module(self, module): pass
sys.meta_path.insert(1, Only())
import jax
"""
    (folder / "prog.py").write_text(source)
    subprocess.run([sys.executable, "prog.py"], cwd=folder, env=hooked({**os.environ}, hook), check=True)
    (python,) = recorded(hook)
    assert [(use.framework, use.device) for use in python.devices] == [("jax", "cpu")]


class _Called:
    def method(self, wanted: int) -> int:
        return wanted


def test_a_wrong_call_tells_in_which_file_what_was_called_is_defined() -> None:
    with pytest.raises(TypeError) as caught:
        _Called().method()  # type: ignore[call-arg]
    message = f"_Called.method() {str(caught.value).partition('() ')[2]}"
    assert described(TypeError(message), None)["raised"]["about"] == __file__
    assert "about" not in described(TypeError("Nobody.knows() missing 1 required"), None)["raised"]
