"""What a program asks for and is tried in the target: whose program, from which folder, and what is left out."""

import os
import sys
from pathlib import Path

import msgspec
import pytest

from checks.engine.plans.calls import Call, calls_of_program
from checks.engine.plans.statements import statements_job
from checks.engine.request import Request
from checks.facts import InterpreterFacts, Package, ProgramRun, SentFile
from checks.readers.scripts.asked import Kind

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_HUB = "from transformers import AutoConfig\nAutoConfig.from_pretrained('me/tiny')\n"


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _OFFLINE:
        monkeypatch.delenv(name, raising=False)


def _target(folder: Path) -> InterpreterFacts:
    (folder / ".venv").mkdir(exist_ok=True)
    (folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    packages = (Package(name="numpy", version="2.0"), Package(name="transformers", version="4.50"))
    return InterpreterFacts(path=sys.executable, prefix=str(folder / ".venv"), packages=packages)


def _calls(folder: Path, source: str, *, given: bool = True, **request: object) -> dict[str, Call]:
    program = folder / "main.py"
    program.write_text(source)
    found = calls_of_program(_target(folder), Request(**request), program if given else None)  # type: ignore[arg-type]
    return {label: call for label, call in found.items() if call.asked.kind is not Kind.PROGRAM}


def test_the_program_beside_an_environment_is_read_where_it_is_the_only_one(tmp_path: Path) -> None:
    (call,) = [each for label, each in _calls(tmp_path, "import numpy as np\nprint(np.float)\n", given=False).items()
               if label == "np.float"]  # fmt: skip
    assert (call.is_unasked, call.place, call.folder) == (True, "main.py:2", str(tmp_path))
    (tmp_path / "train.py").write_text("print(1)\n")
    assert _calls(tmp_path, "import numpy as np\nprint(np.float)\n", given=False) == {}
    assert "np.float" in _calls(tmp_path, "import numpy as np\nprint(np.float)\n")
    assert _calls(tmp_path, "open('a')\n", runs=(ProgramRun(command=("python", "main.py")),)) == {}


def test_of_a_program_that_nobody_named_no_code_of_the_user_is_imported(tmp_path: Path) -> None:
    source = "import my_hidden_tools\nimport numpy as np\nmy_hidden_tools.x\nprint(np.float)\n"
    found = _calls(tmp_path, source, given=False)
    assert found["np.float"].asked.imports == ("import numpy as np",)
    assert "my_hidden_tools.x" not in found
    assert found["import my_hidden_tools"].asked.kind is Kind.MODULE  # it is looked for, and not run
    assert "my_hidden_tools.x" in _calls(tmp_path, source)


def test_a_file_is_looked_for_beside_the_program_around_it_and_where_the_user_stands(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    program = "import numpy as np\nnp.load('a.npy')\n"
    assert _calls(source, program)["np.load('a.npy')"].folder == str(source)
    (tmp_path / "a.npy").write_bytes(b"")
    assert _calls(source, program)["np.load('a.npy')"].folder == str(tmp_path)
    stands = tmp_path / "elsewhere"
    stands.mkdir()
    (tmp_path / "a.npy").rename(stands / "a.npy")
    assert _calls(source, program, near=stands)["np.load('a.npy')"].folder == str(stands)


def test_a_name_of_the_hub_is_looked_for_only_where_nothing_can_be_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = "AutoConfig.from_pretrained('me/tiny')"
    assert label not in _calls(tmp_path, _HUB)
    assert "AutoConfig.from_pretrained('./tiny')" in _calls(tmp_path, _HUB.replace("me/tiny", "./tiny"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert label in _calls(tmp_path, _HUB)


def test_what_is_no_plain_file_or_too_large_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    assert "np.load('pipe.npy')" not in _calls(tmp_path, "import numpy as np\nnp.load('pipe.npy')\n")
    with open(tmp_path / "big.npy", "wb") as file:
        file.truncate((1 << 30) + 1)
    assert "np.load('big.npy')" not in _calls(tmp_path, "import numpy as np\nnp.load('big.npy')\n")
    assert "pd.read_csv('https://a/b.csv')" not in _calls(
        tmp_path, "import pandas as pd\npd.read_csv('https://a/b.csv')\n"
    )


def test_the_job_tries_them_behind_the_imports(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text("import numpy as np\nnp.load('a.npy')\n")
    script = SentFile(name="main.py", kind="script", origin=str(program))
    job = statements_job(_target(tmp_path), Request(scripts=(script,)))
    assert job is not None
    assert job.argument["statements"][0] == "import numpy"
    assert job.argument["statements"][-1] == "np.load('a.npy')"
    assert job.argument["calls"]["np.load('a.npy')"]["line"] == 2


def test_an_import_that_is_run_anyway_is_not_merely_looked_for(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "openpyxl-1.0.dist-info").mkdir(parents=True)
    (site / "openpyxl-1.0.dist-info" / "RECORD").write_text("openpyxl/__init__.py,,\n")
    (tmp_path / "main.py").write_text("import openpyxl\nprint(openpyxl.Workbook)\n")
    package = Package(name="openpyxl", version="1.0", location=str(site), requires=("et-xmlfile",))
    target = msgspec.structs.replace(_target(tmp_path), packages=(package,))
    job = statements_job(target, Request())
    assert job is not None
    assert job.spec.packages["import openpyxl"] == "openpyxl"
    assert "import openpyxl" not in job.argument["calls"]
    assert "import openpyxl" not in job.spec.calls
    assert "openpyxl.Workbook" in job.argument["calls"]
