"""What to do about a model that came with a package, which its user cannot make anew."""

import pytest

from checks.facts import Facts, InterpreterFacts, ModelFacts, Package
from checks.facts.finding import Evidence, Finding, Outcome, Severity, Status
from checks.judgement.judge import conclude
from checks.remedies.plan import RemedyPlan, plan_remedies

PATH = "/v/lib/python3.11/site-packages/reader/a.onnx"
OWNER = Package(name="reader", version="2.1")


def planned(
    cause: str, *remedies: str, package: Package | None = OWNER, language: str = "en", is_here: bool = True
) -> list[RemedyPlan]:
    finding = Finding(
        cause=cause,
        severity=Severity.BLOCKING,
        confidence=0.9,
        evidence=(Evidence("model", "a.onnx", PATH),),
        remedies=remedies,
        values={"model_path": PATH, "runtime": "onnxruntime"},
    )
    model = ModelFacts(path=PATH, name="a.onnx", format="onnx", package=package)
    interpreter = InterpreterFacts(path="/v/bin/python", packages=(package,) if package else ())
    facts = Facts(models=(model,), interpreters=(interpreter,), target=interpreter.path, here=is_here)
    _, (found,) = conclude(facts, (Outcome(cause=cause, status=Status.FOUND, findings=(finding,)),))
    return list(plan_remedies(found, facts, language))


def test_a_package_of_a_sent_case_is_named_and_not_installed() -> None:
    first, *_ = planned("onnx-opset-unsupported", is_here=False)
    assert "“reader==2.1”" in first.title
    assert not [step.code for step in first.steps if step.code]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_package_comes_first_and_what_only_its_maker_can_do_is_left_out(language: str) -> None:
    first, *others = planned("onnx-opset-unsupported", language=language)
    assert first.id == "fit-package-of-model"
    assert "reader==2.1" in first.title
    assert [step.code.partition("pip ")[2] for step in first.steps if step.code] == [
        "install reader==2.1",
        "install --upgrade reader",
    ]
    assert [other.id for other in others] == ["update-onnxruntime"]


def test_a_model_of_ones_own() -> None:
    plans = planned("onnx-opset-unsupported", package=None)
    assert "export-with-another-opset" in {plan.id for plan in plans}
    assert "fit-package-of-model" not in {plan.id for plan in plans}


def test_what_everybody_can_do_stays_as_it_was() -> None:
    plans = planned("onnx-external-data-missing", "save-onnx-as-one-file")
    assert [plan.id for plan in plans] == ["save-onnx-as-one-file"]


@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param("reader; reboot", "$(reboot)", id="command"),
        pytest.param("-ihttps://1.example/", "1", id="option"),
        pytest.param("https://1.example/reader.zip#", "1", id="address"),
        pytest.param("reader @ https://1.example/", "1", id="name-with-address"),
        pytest.param("reader", "2.1 --index-url=https://1.example", id="option-behind-the-release"),
        pytest.param("reader", "1" * 5000, id="number-without-end"),
        pytest.param("", "2.1", id="no-name"),
    ],
)
def test_what_is_no_package_is_not_to_be_installed(name: str, version: str) -> None:
    plans = planned("onnx-opset-unsupported", package=Package(name=name, version=version))
    assert plans == planned("onnx-opset-unsupported", package=None)
