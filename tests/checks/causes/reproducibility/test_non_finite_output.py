"""A model that gives NaN or infinities, and models that give none, or such as a mask leaves."""

from typing import Any

import pytest

from checks.causes.reproducibility.non_finite_output import non_finite_output
from checks.facts import ArrayDifference, LostOperand, Measurements, ModelMeasured, NumbersLost
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.phrases import in_language

WHERE = {"source": "node", "node": "/Log", "op": "Log", "operands": (LostOperand(name="s", value="-1.2"),)}
ALL = {"nan": 4, "elements": 4, "outputs": 1, "outputs_whole": 1}


def looked_at(inputs: str = "file", **lost: Any) -> ModelMeasured:
    numbers = NumbersLost(**{"kind": "nan", **lost}) if lost else None
    return ModelMeasured(path="/m/net.onnx", framework="onnxruntime", aspect="lost", inputs_from=inputs, lost=numbers)


def repeated(**more: Any) -> ModelMeasured:
    fields = {"aspect": "repeat", "repetitions": 100, "distinct": 1, "outputs": 1, **more}
    return ModelMeasured(path="/m/net.onnx", framework="onnxruntime", **fields)


def found(*runs: ModelMeasured) -> list[Finding]:
    return list(non_finite_output(Measurements(all=runs)))


def seen(finding: Finding) -> str:
    return in_language(finding.values["seen"], "en")


def test_nothing_but_nan_is_no_answer() -> None:
    (finding,) = found(repeated(reason="nan-everywhere"), looked_at(**ALL, **WHERE))
    assert (finding.severity, finding.subject) == (Severity.BLOCKING, "onnxruntime /m/net.onnx")
    assert seen(finding) == (
        "every number of its outputs is NaN (not a number). "
        "The first node that makes NaN of numbers is /Log (Log), which takes -1.2."
    )


@pytest.mark.parametrize(
    ("run", "severity", "words"),
    [
        pytest.param(looked_at("drawn", **ALL), Severity.WARNING, "made up", id="with-made-up-inputs-perhaps"),
        pytest.param(
            looked_at("drawn", **ALL, source="weight", node="b"),
            Severity.BLOCKING,
            "weight",
            id="a-weight-whatever-goes-in",
        ),
        pytest.param(looked_at(**{**ALL, "outputs": 2}), Severity.WARNING, "4 / 4", id="one-output-of-two"),
        pytest.param(looked_at(nan=1, elements=4, outputs=1), Severity.WARNING, "1 / 4", id="one-number"),
        pytest.param(
            looked_at(kind="infinite", infinite=4, elements=4, outputs=1, outputs_whole=1),
            Severity.WARNING,
            "is infinite",
            id="infinite-everywhere",
        ),
        pytest.param(
            looked_at(kind="infinite", infinite=1, elements=4, outputs=1),
            Severity.NOTE,
            "1 / 4",
            id="as-a-mask-leaves",
        ),
        pytest.param(
            looked_at("drawn", **ALL, finite_with="both-signs"), Severity.NOTE, "from -1 to 1", id="others-are-finite"
        ),
        pytest.param(
            looked_at(nan=4, elements=4, choice_node="a", choice_op="ArgMax"),
            Severity.WARNING,
            "a (ArgMax)",
            id="a-choice",
        ),
    ],
)
def test_how_grave_it_is(run: ModelMeasured, severity: Severity, words: str) -> None:
    (finding,) = found(repeated(), run)
    assert finding.severity is severity
    assert words in seen(finding)


def test_half_precision_has_its_own_remedy() -> None:
    (finding,) = found(looked_at(**ALL, **WHERE, dtype="float16"))
    assert finding.remedies[0] == "avoid-half-overflow"


@pytest.mark.parametrize(
    ("run", "remedies"),
    [
        pytest.param(looked_at(**ALL, source="weight", node="b"), ("return-to-finite-checkpoint",), id="a-weight"),
        pytest.param(looked_at(**ALL, source="input", node="x"), ("make-the-input-finite",), id="what-was-given"),
        pytest.param(looked_at(**ALL, **WHERE), ("keep-numbers-finite",), id="a-node-with-inputs-of-the-user"),
        pytest.param(
            looked_at("drawn", **ALL, **WHERE), ("try-your-own-inputs", "keep-numbers-finite"), id="a-node-made-up"
        ),
    ],
)
def test_what_to_do_depends_on_where_they_come_from(run: ModelMeasured, remedies: tuple[str, ...]) -> None:
    (finding,) = found(run)
    assert finding.remedies == remedies


@pytest.mark.parametrize(
    "operand",
    [
        pytest.param(LostOperand(name="x", lowest=-2.0, highest=3.0), id="a-range"),
        pytest.param(LostOperand(name="x", lowest=0.0, highest=0.0), id="one-number"),
        pytest.param(LostOperand(name="x", infinite=3), id="infinities"),
        pytest.param(LostOperand(name="x", value="-2"), id="the-number-itself"),
    ],
)
def test_what_went_in_is_told_where_it_is_not_number_by_number(operand: LostOperand) -> None:
    (finding,) = found(looked_at(**ALL, **{**WHERE, "operands": (operand,)}, infinite_node="e", infinite_op="Exp"))
    assert "which takes" in seen(finding)
    assert "e (Exp)" in seen(finding)


@pytest.mark.parametrize(
    "run", [repeated(reason="nan-everywhere"), repeated(nan_in_both=2, nan_output="y")], ids=["all", "some"]
)
def test_an_older_case_tells_it_without_the_node(run: ModelMeasured) -> None:
    (finding,) = found(run)
    assert "not found" in seen(finding)


@pytest.mark.parametrize("run", [looked_at(), repeated(difference=ArrayDifference(elements=4, differing=0))])
def test_silent(run: ModelMeasured) -> None:
    assert found(repeated(), run) == []


def test_nothing_to_say_where_no_model_was_run_again() -> None:
    with pytest.raises(NotHere):
        found()


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        pytest.param({"op": "Sqrt"}, "root of a negative number", id="root"),
        pytest.param({"op": "aten::sqrt_"}, "root of a negative number", id="root-in-place"),
        pytest.param({"op": "If > Log"}, "logarithm of a negative number", id="logarithm-in-a-branch"),
        pytest.param({"op": "Div"}, "0 divided by 0", id="quotient"),
        pytest.param({"op": "Pow"}, "no whole number", id="power"),
        pytest.param({"op": "Acos"}, "outside its range", id="arc"),
        pytest.param({"op": "Exp", "kind": "infinite"}, "too large for its type", id="overflow"),
        pytest.param({"op": "Sub", "infinite_op": "Log"}, "of 0 is infinite", id="infinity-of-a-logarithm"),
    ],
)
def test_the_remedy_names_what_the_operator_cannot_compute(lost: dict[str, str], told: str) -> None:
    (finding,) = found(looked_at(**{**ALL, **WHERE, **lost}))
    assert told in in_language(finding.values["out_of_range"], "en")
    assert in_language(finding.values["out_of_range"], "ja")
