"""The fourth page."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from support.played_engine import TOO_OLD, case, outcomes

from checks.engine.events import (
    CheckEnded,
    Finished,
    Measured,
    Planned,
    ProbeEnded,
    ProbeSlow,
    ProbeStage,
    ProbeStarted,
    Progress,
    Watched,
)
from checks.facts import Health, HealthSample, ProbeRun, Repeat
from checks.facts.case import Case
from wizard.case_model import CaseModel
from wizard.jobs.background import Work
from wizard.pages.measuring import MOST_LINES
from wizard.pages.run import RunPage
from wizard.report.content.blocks import MeasuredSection, Plot, Series

PLAN = Planned(probes={"machine": 0.5, "torch": 3.0}, checks=("driver-too-old-for-cuda", "unknown"))


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work) -> RunPage:
    page = RunPage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def rows(page: RunPage, group: str) -> list[tuple[str, str]]:
    item = page._groups[group]
    return [(item.child(i).text(0), item.child(i).text(1)) for i in range(item.childCount())]


def test_before_anything_ran(page: RunPage) -> None:
    assert page._state.text() == "Nothing has been examined yet."
    assert page._tree.topLevelItemCount() == 0
    assert not page._clock.isActive()


def test_preparing(page: RunPage) -> None:
    page.case.run_began()
    assert page._state.text() == "Preparing…"
    assert page._bar.maximum() == 0  # busy
    assert page._remaining.text() == ""
    assert page._clock.isActive()


def test_a_whole_run(page: RunPage) -> None:
    page.case.run_began()
    for event in (PLAN, ProbeStarted("torch"), ProbeStage("torch", "imported"), Progress(0.4, 6.2)):
        page.case.take(event)
    assert [state for _, state in rows(page, "probes")] == ["waiting", "importing…"]
    assert page._groups["probes"].text(1) == "0 of 2"
    assert (page._bar.value(), page._remaining.text()) == (400, "About 6 s remain.")

    page.case.take(ProbeSlow("torch", "imported", 10.0))
    assert [state for _, state in rows(page, "probes")] == ["waiting", "importing… takes long"]
    assert "importing" in page._state.text()

    page.case.take(ProbeEnded("torch", ProbeRun(probe="torch", status="crashed", signal="SIGSEGV", seconds=11.0)))
    page.case.take(ProbeEnded("machine", ProbeRun(probe="machine", seconds=0.3)))
    for outcome in outcomes(TOO_OLD):
        page.case.take(CheckEnded(outcome))
    page.case.take(Progress(0.9, None))
    assert [state for _, state in rows(page, "probes")] == ["done", "crashed"]
    assert page._groups["probes"].text(1) == "crashed 1, done 1"
    assert rows(page, "driver") == [("The NVIDIA driver is too old for torch 2.6.0+cu124", "problem (blocking)")]
    assert page._groups["driver"].isExpanded()
    assert "cannot be told" in page._remaining.text()

    page.case.take(Finished(case(TOO_OLD)))
    page.case.run_ended(case(TOO_OLD))
    assert page._state.text() == "The examination is complete."
    assert page._bar.value() == 1000
    assert not page._clock.isActive()


def test_fine_groups_stay_folded(page: RunPage) -> None:
    page.case.run_began()
    page.case.take(PLAN)
    for outcome in outcomes():
        page.case.take(CheckEnded(outcome))
    assert not page._groups["driver"].isExpanded()
    assert not page._groups["other"].isExpanded()
    assert page._groups["other"].text(1) == "not run 1"  # never counted as fine


def test_the_clock_of_a_running_probe_goes_on(page: RunPage, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("wizard.run_state.time.monotonic", lambda: now)
    page.case.run_began()
    page.case.take(ProbeStarted("torch"))
    now = 112.0
    page._tick()
    assert page._groups["probes"].child(0).text(2) == "12.0 s"


def test_cancelled(page: RunPage) -> None:
    page.case.run_began()
    page.case.take(PLAN)
    page.case.take(ProbeEnded("torch", ProbeRun(probe="torch", status="cancelled")))
    page.case.run_ended(case(complete=False))
    assert "was cancelled" in page._state.text()
    assert rows(page, "probes")[1][1] == "cancelled"


def test_a_second_run_starts_empty(page: RunPage) -> None:
    page.case.run_began()
    page.case.take(PLAN)
    page.case.run_ended(case())
    page.case.run_began()
    assert page._tree.topLevelItemCount() == 0
    page.case.take(Planned(probes={"torch": 1.0}, checks=()))
    assert [state for _, state in rows(page, "probes")] == ["waiting"]


def test_an_unknown_stage_is_shown_by_its_name(page: RunPage) -> None:
    page.case.run_began()
    page.case.take(ProbeStarted("torch"))
    page.case.take(ProbeStage("torch", "some_new_stage"))
    assert rows(page, "probes")[0][1] == "some new stage…"


def test_japanese_while_it_runs(page: RunPage) -> None:
    page.case.run_began()
    page.case.take(PLAN)
    page.case.take(ProbeStarted("torch"))
    page.case.set_language("ja")
    page.retranslate()
    assert [state for _, state in rows(page, "probes")] == ["待機中", "実行中"]
    assert page._tree.headerItem().text(1) == "状態"


# --- what is measured

REPEATED = Repeat(framework="torch", operation="matmul", device="cpu", dtype="float32", repetitions=300, distinct=1)
NAMED: dict[str, Any] = {"framework": "torch", "operation": "index-add", "device": "cpu"}
LATE = Repeat(**NAMED, reason="no-time")


def plotted(case: Case, language: str) -> tuple[MeasuredSection, ...]:
    """A section whose plot has a point per measurement."""
    many = len(case.facts.measurements)
    points = tuple(map(float, range(many)))
    plot = Plot("Growing", "lines", "n", "y", (Series("all", points, points),), f"{many} {language}")
    return (MeasuredSection("growing", "Growing", plots=(plot, Plot("", "lines", "", "", (), ""))),)


def lines(page: RunPage) -> list[str]:
    log = page._measuring.log
    items = (log.topLevelItem(number) for number in range(log.topLevelItemCount()))
    return [" | ".join(item.text(column) for column in range(3)) for item in items if item]


def test_nothing_measured_takes_no_room(page: RunPage) -> None:
    page.case.run_began()
    assert page._measuring.isHidden()


def test_results_come_while_it_runs_and_plots_grow(page: RunPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.report.content.measured.sections.measured_sections", plotted)
    page.case.run_began()
    page.case.take(Measured("computations:torch:cpu", REPEATED))
    page._show_measured()
    assert lines(page) == ["Matrix product | PyTorch, cpu, float32 | The same bits 300 times"]
    (view,) = page._measuring._plots.values()
    assert view.plot.summary == "1 en"

    for _ in range(3):
        page.case.take(Measured("computations:torch:cpu", LATE))
    page._show_measured()
    assert len(lines(page)) == 1  # what is left out is counted
    assert page._measuring._left_out.text() == (
        "Each part of the run has its own share of the time. Did not fit into theirs: 3"
    )
    assert list(page._measuring._plots.values()) == [view]
    assert view.plot.summary == "4 en"
    page.case.take(
        Measured("computations:torch:cpu", Repeat(**{**NAMED, "repetitions": 9}))
    )  # in the time that was left over
    page._show_measured()
    assert page._measuring._left_out.isHidden()

    page.case.run_began()  # the next examination begins empty
    page._show_measured()
    assert lines(page) == []
    assert page._measuring._plots == {}


def test_the_log_follows_the_language_and_is_bounded(page: RunPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.report.content.measured.sections.measured_sections", plotted)
    page.case.run_began()
    for _ in range(MOST_LINES + 5):
        page.case.take(Measured("computations:torch:cpu", REPEATED))
    page._show_measured()
    assert len(lines(page)) == MOST_LINES
    page.case.set_language("ja")
    page.retranslate()
    assert lines(page)[0] == "行列積 | PyTorch、cpu、float32 | 300回とも同じビット"
    assert [view.plot.summary for view in page._measuring._plots.values()] == [f"{MOST_LINES + 5} ja"]


def test_a_process_that_computes_is_named_by_what_it_computes_with(page: RunPage) -> None:
    page.case.run_began()
    page.case.take(ProbeStarted("computations:torch:cuda:0"))
    page.case.take(ProbeStage("computations:torch:cuda:0", "repeat"))
    item = page._groups["probes"].child(0)
    assert (item.text(0), item.text(1)) == ("PyTorch on cuda:0", "repeating operations…")


def test_the_curves_of_a_load_grow_while_it_runs_and_stay_when_it_has_ended(page: RunPage) -> None:
    case = page.case
    case.run_began()
    samples = tuple(HealthSample(second=float(n), temperature=60 + n, checked=n) for n in range(8))
    for sample in samples[:5]:
        case.take(Watched("computations:torch:cuda:0", "cuda:0", sample))
    page._show_measured()
    (view,) = page._measuring._plots.values()
    assert [len(line.x) for line in view.plot.series] == [5]
    for sample in samples[5:]:
        case.take(Watched("computations:torch:cuda:0", "cuda:0", sample))
    page._show_measured()
    assert [len(line.x) for line in view.plot.series] == [8]
    assert page._measuring._load.text() == "cuda:0 under load: 7 results checked in 7 s, 0 of them wrong"
    ended = Health(framework="torch", operation="load", device="cuda:0", checked=7, samples=samples)
    case.take(Measured("computations:torch:cuda:0", ended))
    page._show_measured()
    assert list(page._measuring._plots.values()) == [view]
    assert [len(line.x) for line in view.plot.series] == [8]
    assert page._measuring.log.topLevelItemCount() == 1
    assert page._measuring._load.isHidden()
