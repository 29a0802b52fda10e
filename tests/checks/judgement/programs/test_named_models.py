"""Models that a program names: what would stop their load is a warning that says where they stand."""

import pickle
from pathlib import Path

import pytest

from checks.facts import Facts, InterpreterFacts, ModelFacts, NamedModel, Package
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.judgement.programs.named_models import with_named_models
from checks.readers.models import read_models


class Scaler:
    """A class of a program, pickled from there."""


def _found(named: NamedModel, **packages: str) -> list[Finding]:
    installed = tuple(Package(name=name.replace("_", "-"), version=version) for name, version in packages.items())
    target = InterpreterFacts(path="/venv/bin/python", packages=installed)
    facts = Facts(interpreters=(target,), target=target.path, named_models=(named,))
    return [finding for outcome in with_named_models(facts, ()) for finding in outcome.findings]


def _read(path: Path) -> ModelFacts:
    (model,) = read_models(path)
    return model


def test_a_pointer_instead_of_a_model_is_a_warning_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 440449768\n")
    (finding,) = _found(NamedModel(model=_read(path), read_at="main.py:3", label="load_file('model.safetensors')"))
    assert (finding.cause, finding.severity) == ("checkpoint-corrupt", Severity.WARNING)
    assert {evidence.name: evidence.value for evidence in finding.evidence}["read_at"] == "main.py:3"
    assert finding.values[FAILED_RUN] == "load_file('model.safetensors')"


def test_a_class_of_main_is_missing_where_the_program_has_none_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scaler.pkl"
    monkeypatch.setattr(Scaler, "__module__", "__main__")
    monkeypatch.setitem(__import__("sys").modules["__main__"].__dict__, "Scaler", Scaler)
    path.write_bytes(pickle.dumps(Scaler()))
    model = _read(path)
    (finding,) = _found(NamedModel(model=model, defined=("joblib",)))
    assert (finding.cause, finding.severity) == ("checkpoint-class-missing", Severity.WARNING)
    assert _found(NamedModel(model=model, defined=("Scaler", "joblib"))) == []
    assert _found(NamedModel(model=model, defined=None)) == []


def test_what_may_do_very_well_is_left_to_who_gives_the_file_himself(tmp_path: Path) -> None:
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"weights": [1.0]}))
    assert _found(NamedModel(model=_read(path))) == []
    assert _found(NamedModel(model=ModelFacts(path="notes.txt", problem="unknown-format"))) == []
