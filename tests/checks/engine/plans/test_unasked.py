"""What is tried where nobody named a statement: first uses of packages, imports of scripts beside an environment."""

import subprocess
import sys
from pathlib import Path

from checks.engine.plans.statements import statements_job
from checks.engine.plans.unasked import imports_of_scripts, uses_of_packages
from checks.engine.request import Request
from checks.facts import Facts, InterpreterFacts, Package, ProgramRun, PythonProcess, Raised
from checks.facts.case import Answers
from checks.facts.finding import Severity
from checks.judgement.judge import judged
from checks.knowledge.packages.first_uses import FirstUses, first_uses, uses_of_python
from checks.readers.scripts.imports import is_import


def _installed(site: Path, name: str, *modules: str, requires: tuple[str, ...] = ()) -> Package:
    folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "RECORD").write_text("".join(f"{module}/__init__.py,,\n" for module in modules))
    return Package(name=name, version="1.0", location=str(site), requires=requires)


def _project(folder: Path, **scripts: str) -> InterpreterFacts:
    """A project with its environment in it; of the packages NumPy and PyYAML are installed."""
    (folder / ".venv").mkdir()
    (folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    for name, source in scripts.items():
        (folder / f"{name}.py").write_text(source)
    packages = (Package(name="numpy", version="2.0"), Package(name="pyyaml", version="6.0"))
    return InterpreterFacts(path=sys.executable, prefix=str(folder / ".venv"), packages=packages)


def test_a_package_that_loads_its_parts_late_is_tried_by_its_first_use_and_a_known_leaf_by_its_import(
    tmp_path: Path,
) -> None:
    packages = (
        _installed(tmp_path, "openai", "openai", requires=("httpx",)),
        _installed(tmp_path, "sounddevice", "sounddevice"),
        _installed(tmp_path, "nobody-knows-this", "nobody_knows_this"),
        _installed(tmp_path, "torch", "torch"),
    )
    uses = uses_of_packages(InterpreterFacts(path=sys.executable, packages=packages), Request())
    assert uses == {
        **dict.fromkeys(uses_of_python(), "python"),
        "import openai; openai.OpenAI(api_key='none')": "openai",
        "import sounddevice": "sounddevice",
    }


def test_python_itself_is_tried_where_there_is_a_framework_and_nothing_where_there_is_no_package() -> None:
    torch = InterpreterFacts(path=sys.executable, packages=(Package(name="torch", version="2.8.0"),))
    assert list(uses_of_packages(torch, Request())) == list(uses_of_python())
    assert uses_of_packages(InterpreterFacts(path=sys.executable, packages=()), Request()) == {}


def test_every_first_use_is_one_line_of_python_and_those_of_python_work_here() -> None:
    for row in FirstUses.read().use:
        compile(row.statement, "use", "exec")
        assert "\n" not in row.statement
        assert not row.packages or any(is_import(part) for part in row.statement.split(";"))
    assert all(name == name.lower() for name in first_uses())
    subprocess.run([sys.executable, "-I", "-c", "\n".join(uses_of_python())], check=True, timeout=60)


def test_of_the_scripts_beside_an_environment_the_imports_of_known_packages_are_tried(tmp_path: Path) -> None:
    target = _project(
        tmp_path,
        main="import numpy\nfrom langchain.llms import OpenAI\nimport json, antigravity\nimport helper\nimport torch\n",
        helper="import yaml\nfrom collections import Mapping\n",
        setup="import setuptools_of_old\n",
        test_main="import cv2\n",
    )
    found = imports_of_scripts(target, Request())
    assert found == {
        "from collections import Mapping": str(tmp_path / "helper.py"),
        "import yaml": str(tmp_path / "helper.py"),
        "import numpy": str(tmp_path / "main.py"),
        "from langchain.llms import OpenAI": str(tmp_path / "main.py"),
        "import torch": str(tmp_path / "main.py"),
    }


def test_no_module_of_the_user_is_run_and_a_framework_that_is_there_has_its_own_probe(tmp_path: Path) -> None:
    target = _project(tmp_path, main="import numpy\nimport torch\n", numpy="print('mine')\n")
    with_torch = InterpreterFacts(
        path=target.path, prefix=target.prefix, packages=(Package(name="torch", version="2.8.0"),)
    )
    assert imports_of_scripts(with_torch, Request()) == {}


def test_a_home_as_a_whole_is_no_project(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    target = _project(tmp_path, main="import cv2\n")
    assert imports_of_scripts(target, Request(target=str(tmp_path))) == {}


def test_a_run_of_the_program_says_more_than_what_nobody_named(tmp_path: Path) -> None:
    target = _project(tmp_path, main="import cv2\n")
    assert statements_job(target, Request(runs=(ProgramRun(command=("python", "main.py")),))) is None
    job = statements_job(target, Request())
    assert job is not None
    assert job.spec.files == {"import cv2": str(tmp_path / "main.py")}


def test_what_fails_of_a_script_that_nobody_named_is_a_warning(tmp_path: Path) -> None:
    target = _project(tmp_path, main="import cv2\n")
    raised = Raised(type="ModuleNotFoundError", message="No module named 'cv2'", name="cv2")
    run = ProgramRun(
        command=(target.path,),
        statement="import cv2",
        file=str(tmp_path / "main.py"),
        exit_code=1,
        interpreter=target.path,
        pythons=(PythonProcess(pid=0, raised=raised),),
    )
    case = judged(Facts(interpreters=(target,), target=target.path, runs=(run,)), Answers(symptom="does-not-start"))
    serious = [finding for finding in case.findings if finding.severity is not Severity.NOTE]
    assert [(finding.cause, finding.severity) for finding in serious] == [("package-not-installed", Severity.WARNING)]
