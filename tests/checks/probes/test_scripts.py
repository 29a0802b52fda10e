"""Every probe script: old syntax, the standard library alone at its start, and the form that the host expects."""

import ast
import inspect
import sys
from pathlib import Path

import pytest

from checks.model_computations import SCRIPT as MODEL_SCRIPT
from checks.model_exports import SCRIPT as EXPORT_SCRIPT
from checks.probes.catalogue import PROBES
from checks.probes.computation_catalogue import COMPUTATION_PROBES
from checks.probes.host import load
from checks.probes.model_catalogue import MODEL_PROBES
from checks.probes.runner import HOST

FOLDER = HOST.parent
PROBE_SCRIPTS = sorted(FOLDER.glob("*_probe.py"))
BESIDE = (
    *(FOLDER / name for name in ("kit.py", "model_kit.py", "model_inputs.py")),
    FOLDER / "system_log.py",
    *FOLDER.glob("export_*.py"),
    *FOLDER.glob("compute_*.py"),
)
CARRIED = [HOST, *sorted({*PROBE_SCRIPTS, *BESIDE})]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))


@pytest.mark.parametrize("path", CARRIED, ids=lambda path: path.name)
def test_starts_with_python_38_and_the_standard_library(path: Path) -> None:
    module = tree(path)
    imported = set()
    for statement in module.body:
        if isinstance(statement, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            imported.add(str(statement.module).split(".")[0])
    beside = {f"naosu_{each.stem}" for each in CARRIED}
    assert imported <= sys.stdlib_module_names | beside


@pytest.mark.parametrize("path", PROBE_SCRIPTS, ids=lambda path: path.name)
def test_has_the_form_that_the_host_expects(path: Path) -> None:
    probe = load(str(path), "naosu_probe")
    in_turn = list(probe.STAGES)
    stages = {stage.__name__: stage for stage in in_turn}
    assert stages
    assert len(stages) == len(in_turn)
    assert set(probe.ESSENTIAL) <= stages.keys()
    for stage in stages.values():
        assert stage.__doc__
        assert list(inspect.signature(stage).parameters) == ["argument"]


def test_the_catalogue_names_every_script_once() -> None:
    several = {spec.script for spec in (*MODEL_PROBES, *COMPUTATION_PROBES)}
    named = [*(spec.script for spec in PROBES), *several, EXPORT_SCRIPT, MODEL_SCRIPT]
    assert sorted(named) == PROBE_SCRIPTS
    assert len({spec.id for spec in PROBES}) == len(PROBES)
