"""Notes of one cause are told together: what each shows, what it means and what to do once; a fault stays alone."""

from collections.abc import Iterator

import msgspec
import pytest

from checks.analysis.models.amplified import within_rounding
from checks.facts import Facts, InterpreterFacts, OsFacts
from checks.facts.case import Answers, Case
from checks.facts.finding import FRAMEWORK, MEASURED_MODEL, Evidence, Finding, Outcome, Severity, Status
from checks.facts.machine import MachineFacts
from checks.judgement.ranking import rank
from wizard.report.content.blocks import Block, Paragraph, Section, Step
from wizard.report.content.document import document_of
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.prints.terminal import to_terminal
from wizard.words import words

PYTHON = "/opt/torch/.venv/bin/python3"


def batch(framework: str, device: str, **more: object) -> Finding:
    """As an H100 gave it on 2026-11-22."""
    finding = Finding(
        cause="batch-size-rounding",
        severity=Severity.NOTE,
        confidence=0.97,
        subject=f"{framework}:{device}",
        evidence=(
            Evidence("computed_on", f"{framework}, {device}", "probe"),
            Evidence("settings_compared", "batch-one", "probe"),
            Evidence("operations_apart", "matmul, linear", "probe"),
            Evidence("measured_difference", "9.7e-07", "probe"),
        ),
        values={FRAMEWORK: framework, **within_rounding("9.7e-07")},
    )
    return msgspec.structs.replace(finding, **more)


def refused(device: str) -> Finding:
    return Finding(
        cause="deterministic-mode-op-unsupported",
        severity=Severity.NOTE,
        confidence=0.99,
        subject=device,
        values={"device": device, "refused": f"what {device} refuses", "replacements": f"instead on {device}"},
    )


THREE = (batch("jax", "cpu:0"), batch("torch", "cpu"), batch("torch", "cuda:0"))
TF32 = Finding(
    cause="tf32-enabled",
    severity=Severity.NOTE,
    confidence=0.9,
    evidence=(Evidence("computed_on", "jax gpu:0", "probe"),),
    values={FRAMEWORK: "jax", "measured_error": "1", "operations_apart": "matmul", "rounding_allows": "2"},
)


def case(*findings: Finding, symptom: str = "everything") -> Case:
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux", distribution="Ubuntu 24.04", architecture="x86_64")),
        interpreters=(InterpreterFacts(path=PYTHON, version="3.12.3"),),
        target=PYTHON,
    )
    created = "2026-11-22T23:21:00+00:00"
    return Case(created=created, answers=Answers(symptom=symptom), facts=facts, outcomes=(), findings=findings)


def sections(*findings: Finding, language: str = "en") -> list[Section]:
    """Those of the findings."""
    document = document_of(build(case(*findings), language))
    (found,) = (section for section in document.sections if section.id == "findings")
    return [block for block in found.blocks if isinstance(block, Section) and block.badge is not None]


def within(block: Block) -> Iterator[Block]:
    yield block
    for inner in block.blocks if isinstance(block, Section) else ():
        yield from within(inner)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", ["markdown", "terminal"])
def test_each_place_is_named_and_the_rest_said_once(kind: str, language: str) -> None:
    text = (
        to_terminal(build(case(*THREE), language))
        if kind == "terminal"
        else render(case(*THREE), kind, language, hide=None).decode()
    )
    (section,) = sections(*THREE, language=language)
    assert section.title in text
    for place in ("JAX, cpu:0", "PyTorch, cpu", "PyTorch, cuda:0"):
        assert place.replace(", ", words("report.list-separator", language)) in text
    if kind == "markdown":
        means = {"en": "Libraries choose the kernel", "ja": "ライブラリーは、データの形によって"}[language]
        assert text.count(means) == 1
        assert text.count("vllm-project/vllm/issues/5898") == 1


def test_what_to_do_names_whose_steps_they_are_and_is_described_once() -> None:
    (section,) = sections(*THREE)
    titles = [block.title for block in within(section) if isinstance(block, Section) and block.label]
    assert titles[0] == "Keep the batch size, or use batch-invariant kernels"
    assert "JAX: Compute in float32 where the result matters" in titles
    assert "PyTorch: Compute in float32 where the result matters" in titles
    assert len(titles) == len(set(titles))
    steps = [block.text for block in within(section) if isinstance(block, Step)]
    assert sum("always compute in batches" in step for step in steps) == 1


def test_a_title_that_names_a_device_names_them_all() -> None:
    (section,) = sections(refused("cpu"), refused("cuda:0"))
    assert section.title == "Deterministic mode refuses operations on cpu, cuda:0"
    leads = [block.text for block in within(section) if isinstance(block, Paragraph)]
    assert leads[0].startswith("cpu: When")
    assert leads[1].startswith("cuda:0: When")


def test_the_least_sure_of_them_speaks_for_all() -> None:
    (section,) = sections(THREE[0], batch("torch", "cpu", confidence=0.7))
    assert section.badge is not None
    assert "70 %" in section.badge.note


@pytest.mark.parametrize(
    "other",
    [
        batch("torch", "cpu", severity=Severity.WARNING),
        batch("torch", "cpu", values={FRAMEWORK: "torch", MEASURED_MODEL: "m.onnx"}),
        TF32,
    ],
)
def test_faults_models_and_other_causes_stay_alone(other: Finding) -> None:
    assert len(sections(THREE[0], other)) == 2


def test_where_several_frameworks_computed_a_title_says_which_one_it_is_about() -> None:
    assert [section.title.partition(":")[0] for section in sections(TF32, batch("torch", "cpu"))] == ["JAX", "PyTorch"]
    (alone,) = sections(TF32)
    assert not alone.title.startswith("JAX")


def test_of_many_findings_each_is_there() -> None:
    many = [batch("torch", f"cuda:{number}") for number in range(40)]
    text = render(case(*many), "markdown", "en", hide=None).decode()
    assert all(f"PyTorch, cuda:{number}," in text for number in range(40))


def test_notes_on_which_one_may_act_stand_before_those_of_what_is_usual() -> None:
    findings = (*THREE, refused("cpu"), TF32)
    outcomes = [Outcome(cause=one.cause, status=Status.FOUND, findings=(one,)) for one in findings]
    assert [finding.cause for finding in rank(outcomes)] == [
        "tf32-enabled",
        "deterministic-mode-op-unsupported",
        *["batch-size-rounding"] * 3,
    ]
    loud = msgspec.structs.replace(outcomes[0], findings=(batch("jax", "cpu:0", severity=Severity.WARNING),))
    assert rank([outcomes[4], loud])[0].cause == "batch-size-rounding"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_tick_above_notes_says_that_they_are_no_faults(language: str) -> None:
    says = {"en": "The notes below are no faults.", "ja": "以下の「参考」は異常ではありません。"}[language]

    def said(*findings: Finding, symptom: str = "everything") -> bool:
        return any(line.startswith(says) for line in build(case(*findings, symptom=symptom), language).verdict.scope)

    assert said(*THREE)
    assert not said()
    assert not said(THREE[0], batch("torch", "cpu", severity=Severity.WARNING))
    assert not said(*THREE, symptom="results-change")
