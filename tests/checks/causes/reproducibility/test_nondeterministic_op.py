"""When nondeterministic-op speaks, and when it keeps silent."""

import msgspec
import pytest
from support.recorded_repeats import LARGE, NO_FORM, frameworks, left_out, measurements, recorded, repeat

from checks.causes.reproducibility.nondeterministic_op import nondeterministic_op
from checks.facts import Experiment, Facts, Repeat, SentFile, Symptom
from checks.facts.finding import Finding, NotHere, Severity
from checks.facts.scripts import ScriptFacts, ScriptMark
from checks.knowledge.catalogue import cause_of, remedy_of
from checks.knowledge.phrases import in_language
from checks.remedies.plan import plan_remedies


def findings(*made: Repeat, symptom: Symptom | None = None) -> list[Finding]:
    return list(nondeterministic_op(measurements(*made), frameworks(), symptom))


def evidence(finding: Finding, name: str) -> str:
    return "; ".join(each.value for each in finding.evidence if each.name == name)


def test_speaks_with_what_mends_it_and_its_cost() -> None:
    (finding,) = findings(
        repeat("index-add", distinct=9), repeat("index-add", "deterministic", seconds=3e-3), repeat("sum")
    )
    assert finding.severity is Severity.NOTE
    assert finding.subject == "torch cuda:0"
    assert evidence(finding, "varying_operation") == "index-add: 9 / 300, 2e-05 / 40"
    assert evidence(finding, "mended_by") == "index-add: deterministic"
    assert evidence(finding, "cost_of_mode") == "index-add: x 3"
    assert evidence(finding, "not_documented") == ""
    assert in_language(finding.values["varying"], "en") == "Adding rows at indices (index_add)"
    assert "gave the same bits" in in_language(finding.values["mended"], "en")


@pytest.mark.parametrize(("framework", "of_torch"), [("torch", True), ("jax", False), ("tensorflow", False)])
def test_what_to_do_is_said_in_the_lines_of_the_framework(framework: str, of_torch: bool) -> None:
    varying = msgspec.structs.replace(repeat("segment-sum", distinct=9), framework=framework, device="gpu:0")
    (finding,) = nondeterministic_op(measurements(varying), None, None)
    plans = plan_remedies(finding, Facts(), "en")
    assert ("torch" in "".join(step.code for plan in plans for step in plan.steps)) is of_torch
    assert ("torch" in "".join(plan.verify.code for plan in plans)) is of_torch


@pytest.mark.parametrize("symptom", [Symptom(name="results-change"), Symptom(exactness="bits")])
def test_a_warning_for_whoever_came_for_it(symptom: Symptom) -> None:
    (finding,) = findings(repeat("index-add", distinct=9), symptom=symptom)
    assert finding.severity is Severity.WARNING


def test_what_no_document_names_is_told_as_such() -> None:
    (finding,) = findings(repeat("index-add", distinct=9), repeat("sum", distinct=2))
    assert evidence(finding, "not_documented") == "sum"


def test_what_the_mode_refuses_is_not_mended() -> None:
    (finding,) = findings(
        repeat("histc", distinct=2), left_out("histc", "deterministic", "no-deterministic-form", NO_FORM)
    )
    assert "refuses" in in_language(finding.values["mended"], "en")


def test_equal_results_that_are_too_few_mend_nothing() -> None:
    """One of a hundred results was another: three equal ones show nothing."""
    seldom = repeat("index-add", distinct=2, n=100)
    (finding,) = findings(seldom, repeat("index-add", "deterministic", n=3))
    assert "too seldom to say" in in_language(finding.values["mended"], "en")
    assert evidence(finding, "mended_by") == ""
    (finding,) = findings(seldom, repeat("index-add", "deterministic", n=299))
    assert "gave the same bits" in in_language(finding.values["mended"], "en")


def test_what_was_not_tried_is_not_called_without_effect() -> None:
    (finding,) = findings(repeat("index-add", distinct=9), left_out("index-add", "deterministic", "no-time"))
    assert "no time" in in_language(finding.values["mended"], "en")
    (finding,) = findings(repeat("index-add", distinct=9), repeat("index-add", "deterministic", distinct=9))
    assert "No setting" in in_language(finding.values["mended"], "en")


def test_many_are_cut_short_in_the_sentence_and_whole_in_the_evidence() -> None:
    names = ["index-add", "scatter-add", "histc", "cumsum", "gather-backward", "conv2d", "sum"]
    (finding,) = findings(*(repeat(name, distinct=2) for name in names))
    assert in_language(finding.values["varying"], "en").endswith(" and 2 more")
    assert in_language(finding.values["varying"], "ja").endswith("、ほか2件")
    assert evidence(finding, "varying_operation").count(" / 300") == 7


def test_the_first_call_alone_is_another_cause() -> None:
    assert findings(repeat("conv2d", warm_up="ffff")) == []


def test_one_finding_per_device() -> None:
    found = findings(repeat("index-add", distinct=9), repeat("index-copy", device="cpu", distinct=2))
    assert [each.subject for each in found] == ["torch cuda:0", "torch cpu"]
    assert found[0].remedies[0] == "use-deterministic-operations"


def test_on_a_processor_nothing_begins_with_a_gpu() -> None:
    (finding,) = findings(repeat("index-copy", device="cpu", distinct=2))
    assert "On a processor" in in_language(finding.values["place"], "en")
    first = remedy_of(finding.remedies[0])
    assert not any("CUBLAS" in step.code for step in first.step)
    text = cause_of(finding.cause).text_with(finding.values, "en")
    assert "GPU" not in text.explanation
    told = cause_of(finding.cause).text_with({}, "en")
    assert told.explanation.startswith("A GPU adds")  # a text that tells of a GPU gets the GPU's explanation


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([repeat("index-add"), repeat("sum")], id="same-bits"),
        pytest.param([repeat("sum"), left_out("index-add", "default", "no-time")], id="left-out"),
        pytest.param([repeat("sum", distinct=2, spread=LARGE)], id="another-cause-computes-wrongly"),
    ],
)
def test_silent(made: list[Repeat]) -> None:
    assert findings(*made) == []


@pytest.mark.parametrize("made", [[left_out("sum", "default", "no-time")], []])
def test_nothing_repeated_is_no_health(made: list[Repeat]) -> None:
    with pytest.raises(NotHere, match="not-measured"):
        list(nondeterministic_op(measurements(*made, Experiment()), frameworks(), None))


def test_a_real_processor() -> None:
    """PyTorch 2.13 on two threads: it writes to one place from several threads, as its documentation says."""
    found = list(nondeterministic_op(measurements(*recorded("torch-2.13.0-cpu-repeat")), frameworks(cuda=""), None))
    (finding,) = found
    varying = evidence(finding, "varying_operation")
    assert "index-copy" in varying
    assert evidence(finding, "not_documented") == ""
    assert "Some of them repeated" in in_language(finding.values["mended"], "en")
    assert "index-backward" not in evidence(finding, "mended_by")  # 14 of 15 came often, and 37 may do so by chance


def _with_script(*, subject: str = "torch.index_add", cell: int | None = None) -> Facts:
    mark = ScriptMark(rule="nondeterministic-op", file="train.py", line=41, column=5, subject=subject, cell=cell)
    return Facts(scripts=(SentFile(name="train.py", kind="script", read=ScriptFacts(file="train.py", marks=(mark,))),))


def test_the_line_of_the_script_and_the_measurement_are_one_finding() -> None:
    made = repeat("index-add", distinct=9, counts=(288, 12))
    known = msgspec.structs.replace(_with_script(), measurements=(made,))
    (finding,) = nondeterministic_op(measurements(made), frameworks(), None, known)
    assert evidence(finding, "script_line") == "train.py:41: torch.index_add, 12 / 300"
    assert in_language(finding.values["used"], "en") == (
        " Your script uses them: "
        "train.py, line 41 uses torch.index_add, which gave another result here in 12 of 300 runs."
    )
    assert "train.pyの41行目のtorch.index_addは" in in_language(finding.values["used"], "ja")
    (unread,) = nondeterministic_op(measurements(made), frameworks(), None)
    assert finding.confidence > unread.confidence


@pytest.mark.parametrize("subject", ["torch.histc", "tensorflow.math.unsorted_segment_sum"])
def test_a_line_that_uses_something_else_says_nothing(subject: str) -> None:
    made = repeat("index-add", distinct=9)
    known = msgspec.structs.replace(_with_script(subject=subject), measurements=(made,))
    (finding,) = nondeterministic_op(measurements(made), frameworks(), None, known)
    assert evidence(finding, "script_line") == ""
    assert in_language(finding.values["used"], "en") == ""
