"""What was read in a program, tried by itself: in its folder, at its line, and nothing more than that."""

import py_compile
import sys
from pathlib import Path
from typing import Any

import pytest

from checks.probes.ask.statements import called


def _call(folder: Path, **values: Any) -> dict[str, Any]:
    program = folder / "main.py"
    return {
        "kind": "name", "imports": [], "expression": "", "then": "", "keywords": [], "is_first": True,
        "file": str(program), "line": 3, "folder": str(folder), "script_folder": str(folder), **values,
    }  # fmt: skip


def test_a_name_that_a_package_lacks_raises_at_the_line_of_the_program(tmp_path: Path) -> None:
    call = _call(tmp_path, imports=["import json as j"], expression="j.decoder.gone")
    with pytest.raises(AttributeError, match="gone") as caught:
        called(call, [])
    (place,) = [entry for entry in caught.traceback if str(entry.path).endswith("main.py")]
    assert place.lineno == 2  # counted from 0
    assert called({**call, "expression": "j.decoder.JSONDecoder"}, [])
    assert not called({**call, "imports": ["import nowhere_at_all"]}, [])


def test_what_lies_behind_an_object_may_be_there_later(tmp_path: Path) -> None:
    assert called(_call(tmp_path, imports=["import sys"], expression="sys.flags.gone"), [])


def test_a_keyword_is_refused_only_where_the_function_surely_takes_none(tmp_path: Path) -> None:
    call = _call(tmp_path, imports=["import json"], keywords=["sparse"])
    with pytest.raises(TypeError, match=r"JSONDecoder.__init__\(\) got an unexpected keyword argument 'sparse'"):
        called({**call, "expression": "json.JSONDecoder"}, [])
    assert called({**call, "expression": "json.loads"}, [])  # it has **kw
    assert called({**call, "expression": "json.JSONDecoder", "keywords": ["strict"]}, [])


def test_a_file_is_read_in_the_folder_of_the_program_and_what_hangs_on_it_is_not_tried_again(tmp_path: Path) -> None:
    before = Path.cwd()
    call = _call(tmp_path, kind="call", imports=["import os"], expression="os.stat('a.txt')", then=".st_size")
    with pytest.raises(FileNotFoundError):
        called(call, [])
    assert Path.cwd() == before
    outer = {**call, "expression": "str(os.stat('a.txt'))", "then": ""}
    assert not called(outer, ["os.stat('a.txt')"])
    (tmp_path / "a.txt").write_text("1")
    assert called(outer, [])


def test_a_module_of_the_program_is_found_and_read_but_never_run(tmp_path: Path) -> None:
    (tmp_path / "naosu_own.py").write_text("raise SystemExit('it was run')\n")
    (tmp_path / "naosu_newer.py").write_text("match = = 1\n")
    assert called(_call(tmp_path, kind="module", expression="naosu_own"), [])
    assert "naosu_own" not in sys.modules
    assert not (tmp_path / "__pycache__").exists()
    with pytest.raises(SyntaxError):
        called(_call(tmp_path, kind="module", expression="naosu_newer"), [])
    with pytest.raises(ModuleNotFoundError, match="naosu_gone") as caught:
        called(_call(tmp_path, kind="module", expression="naosu_gone"), [])
    assert caught.value.name == "naosu_gone"


def test_the_bytecode_of_another_python_is_told(tmp_path: Path) -> None:
    (tmp_path / "source.py").write_text("VALUE = 1\n")
    compiled = tmp_path / "naosu_foreign.pyc"
    py_compile.compile(str(tmp_path / "source.py"), cfile=str(compiled))
    assert called(_call(tmp_path, kind="module", expression="naosu_foreign"), [])
    compiled.write_bytes(b"\x01\x02\r\n" + compiled.read_bytes()[4:])
    with pytest.raises(ImportError, match="bad magic number"):
        called(_call(tmp_path, kind="module", expression="naosu_foreign"), [])


def test_a_program_is_read_as_python_of_this_release(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text("import os\nos.abort()\n")
    call = _call(tmp_path, kind="program", expression=str(program))
    assert called(call, [])
    program.write_text("print 'two'\n")
    with pytest.raises(SyntaxError):
        called(call, [])
