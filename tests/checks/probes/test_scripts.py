"""Every probe script: old syntax, the standard library alone at its start, and the form that the host expects."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest

from checks.engine.catalogues.computations import COMPUTATION_PROBES
from checks.engine.catalogues.models import MODEL_PROBES
from checks.engine.catalogues.probes import PROBES
from checks.engine.plans.export import SCRIPT as EXPORT_SCRIPT
from checks.engine.plans.minimal import SCRIPT as MINIMAL_SCRIPT
from checks.engine.plans.quantisation import SCRIPT as LOSS_SCRIPT
from checks.engine.plans.rerun import SCRIPT as MODEL_SCRIPT
from checks.engine.plans.statements import Statements
from checks.engine.portable.plan import SCRIPTS
from checks.engine.scripts import FOLDER
from checks.engine.served.plan import SCRIPT as SERVED_SCRIPT
from checks.engine.watch.gpu_use import SCRIPT as GPU_USE_SCRIPT

CARRIED = sorted(path for path in FOLDER.rglob("*.py"))
PROBE_SCRIPTS = sorted(
    path
    for path in CARRIED
    if path.name not in ("host.py", "worker.py") and "\nSTAGES = " in path.read_text(encoding="utf-8")
)


def place(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))


@pytest.mark.parametrize("path", CARRIED, ids=place)
def test_starts_with_python_38_and_the_standard_library(path: Path) -> None:
    module = tree(path)
    imported = set()
    for statement in module.body:
        if isinstance(statement, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            imported.add(str(statement.module).split(".")[0])
    assert imported - {"sitecustomize"} <= sys.stdlib_module_names  # the user's own, which start.py stands in front of


@pytest.mark.parametrize("path", PROBE_SCRIPTS, ids=place)
def test_has_the_form_that_the_host_expects(path: Path) -> None:
    probe = importlib.import_module(f"checks.probes.{place(path)[:-3].replace('/', '.')}")
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
    of_models = (EXPORT_SCRIPT, MODEL_SCRIPT, MINIMAL_SCRIPT, LOSS_SCRIPT)
    named = [
        *(spec.script for spec in PROBES),
        *several,
        *of_models,
        SERVED_SCRIPT,
        Statements({}, {}, {}).script,
        GPU_USE_SCRIPT,
        *SCRIPTS,
    ]
    assert sorted(named) == PROBE_SCRIPTS
    assert len({spec.id for spec in PROBES}) == len(PROBES)
