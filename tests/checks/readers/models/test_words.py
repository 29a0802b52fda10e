"""Whatever a reader says has words in both languages."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.knowledge.formats.model_formats import ModelFormatsTable
from checks.readers import containers, models
from checks.readers.models import read_models
from checks.readers.models.registry import all_readers
from wizard.words import area

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
MODULES = sorted(path for package in (containers, models) for path in Path(package.__path__[0]).glob("*.py"))


def said(tree: ast.AST, function: str, argument: str) -> Iterator[str]:
    """The literal first or named argument of every call of a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == function:
            for value in (*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == argument)):
                yield from literals(value)


def literals(value: ast.expr) -> Iterator[str]:
    """A text, or the texts of which one is chosen."""
    if isinstance(value, ast.IfExp):
        yield from (*literals(value.body), *literals(value.orelse))
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_ids_in_the_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    words = area("models")
    problems = {*said(tree, "Damaged", "reason")}
    problems |= {
        keyword.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "problem" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
    }
    assert sorted(problem for problem in problems if f"problem-{problem}" not in words) == []
    assert sorted(each for each in said(tree, "Binding", "kind") if f"bound-{each}" not in words) == []


def test_every_module_is_loaded() -> None:
    """The register passes over one that breaks, so that it is noticed here."""
    named = {path.stem for path in Path(models.__path__[0]).glob("*.py")} - {"__init__", "registry"}
    for name in named:
        importlib.import_module(f"{models.__name__}.{name}")


def test_the_table_of_formats() -> None:
    words = area("models")
    rows = ModelFormatsTable.read().format
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        assert row.group in ("free", "bound"), row.id
        assert f"dependence-{row.dependence}" in words, row.id
        assert f"runs-code-{row.runs_code}" in words, row.id
        assert [each for each in row.bound_to if f"bound-{each}" not in words] == [], row.id
    claimed = {each for reader in all_readers() for each in reader.formats}
    assert claimed <= {row.id for row in rows}


@pytest.mark.parametrize("path", sorted(RECORDED.iterdir()) if RECORDED.is_dir() else [], ids=lambda path: path.name)
def test_what_recorded_models_tell(path: Path) -> None:
    words = area("models")
    for model in read_models(path):
        assert [detail for detail in model.details if f"detail-{detail}" not in words] == [], model.path
        assert [each.kind for each in model.bound_to if f"bound-{each.kind}" not in words] == [], model.path
        assert model.problem is None or f"problem-{model.problem}" in words, model.path
