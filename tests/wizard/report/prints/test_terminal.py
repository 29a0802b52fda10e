"""The first look on a terminal: what is needed first, and how to see the rest."""

import dataclasses
from pathlib import Path

import msgspec
import pytest
from support.extent import some

from checks.facts.case import Case
from checks.facts.finding import Outcome, Status
from checks.sharing.case import decode
from wizard.report.content.blocks import MeasuredSection, Row, Table
from wizard.report.content.measured.models import OWN_MODELS
from wizard.report.content.report import Report, build
from wizard.report.prints.terminal import to_terminal

CASES = sorted((Path(__file__).parents[3] / "cases").glob("*.json"))
TABLE = Table("All", ("operation", "result"), (Row(("sort", "changes"), "warning"),))
MEASURED = tuple(
    MeasuredSection(name, f"Title of {name}", (f"Sentence of {name}.", "Another."), (TABLE,)) for name in ("a", "b")
)
MORE = {"en": "The rest of this report: -v. To send it on: --pdf FILE", "ja": "レポートの残りを表示する: -v。"}


@pytest.fixture
def report(case: Case) -> Report:
    return dataclasses.replace(build(case, "en"), measured=MEASURED)


def test_of_what_was_measured_one_line_each_and_how_to_see_the_rest(report: Report) -> None:
    lines = to_terminal(report, is_first_look=True).splitlines()
    place = lines.index("Title of a: Sentence of a.")
    assert lines[place + 1] == "Title of b: Sentence of b."
    assert not any("changes" in line for line in lines[place:])
    assert lines[-1] == MORE["en"]


def test_the_users_own_model_is_not_folded(case: Case) -> None:
    own = dataclasses.replace(MEASURED[0], id=OWN_MODELS)
    shown = to_terminal(dataclasses.replace(build(case, "en"), measured=(own, MEASURED[1])), is_first_look=True)
    assert shown.count("sort") == 1


def test_with_v_all_of_it_is_there(report: Report) -> None:
    shown = to_terminal(report)
    assert shown.count("sort") == 2
    assert "Another." in shown
    assert MORE["en"] not in shown


def test_of_what_was_not_confirmed_a_few_that_bear_on_the_question_and_the_number_of_the_rest(case: Case) -> None:
    causes = (
        "rng-unseeded",
        "tf32-enabled",
        "nondeterministic-op",
        "cudnn-autotune",
        "reduced-precision",
        "gpu-not-detected",
    )
    open_ones = [
        Outcome(cause=cause, status=Status.SKIPPED, reason="not-collected", values={"fact": "nvidia"})
        for cause in causes
    ]
    made = build(_with(case, open_ones, "results-differ"), "en")
    first, whole = to_terminal(made, is_first_look=True), to_terminal(made)
    assert first.count("Not confirmed: ") == 4
    assert "Not confirmed either, further statements: 2" in first
    assert whole.count("Not confirmed: ") == 6
    assert "expected GPUs" not in first, "it does not bear on results"


def test_reasons_beyond_the_first_few_statements_are_one_line(case: Case) -> None:
    reasons = ("nvidia", "apple", "torch", "numpy", "jax", "tensorflow")
    open_ones = [
        Outcome(cause="rng-unseeded", status=Status.SKIPPED, reason="not-collected", values={"fact": fact})
        for fact in reasons
    ]
    lines = to_terminal(build(_with(case, open_ones, "everything"), "en"), is_first_look=True).splitlines()
    assert "  Not confirmed for other reasons (2), statements: 2" in lines


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("path", some(CASES, 12), ids=lambda path: path.stem)
def test_the_first_look_fits_on_a_screen(path: Path, language: str) -> None:
    lines = to_terminal(build(decode(path.read_bytes()), language), is_first_look=True).splitlines()
    assert len(lines) <= 42
    assert lines[-1].startswith(MORE[language]) or "-v" not in lines[-1]


def _with(case: Case, outcomes: list[Outcome], symptom: str) -> Case:
    answers = msgspec.structs.replace(case.answers, symptom=symptom)
    return msgspec.structs.replace(case, outcomes=tuple(outcomes), answers=answers, findings=())
