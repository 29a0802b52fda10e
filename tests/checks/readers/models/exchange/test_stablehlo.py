"""StableHLO that JAX wrote, as bytecode, as text, and within jax.export."""

from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import Binding, OperatorUse, TensorSpec
from checks.readers.models import read_model
from checks.readers.models.exchange.stablehlo import bytecode, jax_export, text_form

RECORDINGS = Path(__file__).parents[4] / "recordings" / "models"
MADE = RECORDINGS / "stablehlo" / "made"
BYTECODE = (MADE / "f.mlirbc").read_bytes()
TEXT = (MADE / "plain.mlir").read_bytes()
EXPORTED = (RECORDINGS / "jax-export" / "made" / "f.jax_export").read_bytes()


@pytest.mark.parametrize(
    ("name", "version"),
    [pytest.param("f", "1.15.0", id="of-jax"), pytest.param("v1.0.0", "1.0.0", id="for-old-readers")],
)
def test_an_artifact(name: str, version: str) -> None:
    facts = read_model(MADE / f"{name}.mlirbc")
    assert (facts.format, facts.version, facts.problem) == ("stablehlo", f"StableHLO {version}", None)
    assert (facts.producer, facts.producer_version) == ("stablehlo", version)
    assert facts.bound_to == (Binding(kind="stablehlo-version", value=version),)


def test_bytecode_of_another_writer() -> None:
    facts = read(bytecode, b"ML\xefR\x0dMLIR19.0.0git\0" + bytes(50), "x")
    assert facts is not None
    assert (facts.version, facts.producer, facts.producer_version) == ("MLIR bytecode 6", "MLIR19.0.0git", None)


def test_text() -> None:
    facts = read_model(MADE / "plain.mlir")
    assert (facts.format, facts.problem) == ("stablehlo", None)
    assert facts.needs.operators == (
        OperatorUse(name="dot_general"),
        OperatorUse(name="tanh"),
        OperatorUse(name="constant"),
        OperatorUse(name="reduce"),
    )
    assert facts.inputs == (
        TensorSpec(name="arg0", dtype="float32", shape=(2, 8)),
        TensorSpec(name="arg1", dtype="float32", shape=(8, 4)),
    )


def test_an_exported_function() -> None:
    facts = read_model(RECORDINGS / "jax-export" / "made" / "f.jax_export")
    assert (facts.format, facts.version, facts.problem) == ("jax-export", "calling convention 10", None)
    assert facts.needs.devices == ("cpu", "cuda")
    assert facts.inputs == (
        TensorSpec(name="0", dtype="float32", shape=(2, 8)),
        TensorSpec(name="1", dtype="float32", shape=(8, 4)),
    )
    assert facts.outputs == (TensorSpec(name="0", dtype="float32", shape=(2,)),)
    assert facts.details["stablehlo-version"] == "1.15.0"


def test_not_mine() -> None:
    assert read(text_form, b"module bedrock(input a, output b); endmodule // Verilog {\n" * 3, "x.v") is None
    assert read(text_form, b"module @llvm {\n  llvm.func @main()\n}\n", "x.mlir") is None
    assert read(jax_export, bytes(200), "x") is None


@pytest.mark.parametrize("data", [*cuts(EXPORTED), *cuts(BYTECODE), *cuts(TEXT)])
def test_cut(data: bytes) -> None:
    for reader in (bytecode, jax_export, text_form):
        survives(reader, data, "model")


def test_text_that_ends_early_is_told() -> None:
    facts = read(text_form, TEXT[:500], "x.mlir")
    assert facts is not None
    assert facts.problem == "truncated"


@given(mangled(EXPORTED, BYTECODE, TEXT))
def test_survives(data: bytes) -> None:
    for reader in (bytecode, jax_export, text_form):
        survives(reader, data, "model")
