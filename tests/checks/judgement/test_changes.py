"""What changed between two examinations."""

import msgspec

from checks.facts import Facts, ProgramRun
from checks.facts.case import Answers, Case
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Outcome, Severity, Status
from checks.judgement.changes import Changes, changes


def a_case(**checks: Status | Finding) -> Case:
    outcomes = tuple(
        Outcome(cause=cause, status=Status.FOUND, findings=(each,))
        if isinstance(each, Finding)
        else Outcome(cause=cause, status=each)
        for cause, each in checks.items()
    )
    findings = tuple(finding for outcome in outcomes for finding in outcome.findings)
    return Case(created="", answers=Answers(), facts=Facts(), outcomes=outcomes, findings=findings)


FOUND = Finding(cause="driver", severity=Severity.BLOCKING, confidence=0.9, subject="torch")


def test_mended() -> None:
    assert changes(a_case(driver=FOUND), a_case(driver=Status.CLEAR)) == Changes(gone=(FOUND,))


def test_not_seen_is_not_mended() -> None:
    for status in (Status.SKIPPED, Status.INCONCLUSIVE, Status.CRASHED):
        assert changes(a_case(driver=FOUND), a_case(driver=status)) == Changes(unsure=(FOUND,))


def test_new_and_stayed() -> None:
    assert changes(a_case(driver=Status.CLEAR), a_case(driver=FOUND)) == Changes(new=(FOUND,))
    now = msgspec.structs.replace(FOUND, confidence=0.5)
    assert changes(a_case(driver=FOUND), a_case(driver=now)) == Changes(stayed=(now,))


def test_another_subject_is_another_finding() -> None:
    other = msgspec.structs.replace(FOUND, subject="jax")
    assert changes(a_case(driver=FOUND), a_case(driver=other)) == Changes(gone=(FOUND,), new=(other,))


def test_what_was_not_reached_before_is_not_new() -> None:
    for status in (Status.SKIPPED, Status.INCONCLUSIVE, Status.CRASHED):
        assert changes(a_case(driver=status), a_case(driver=FOUND)) == Changes(first=(FOUND,))
    assert changes(a_case(), a_case(driver=FOUND)) == Changes(first=(FOUND,))


RUN = ProgramRun(command=("python", "prog.py"), exit_code=1)
OF_RUN = msgspec.structs.replace(FOUND, values={FAILED_RUN: RUN.label})
OF_TEXT = msgspec.structs.replace(FOUND, evidence=(Evidence("clue", "RuntimeError", "log", lines=(3,)),))


def with_facts(case: Case, symptom: str = "", **facts: object) -> Case:
    answers = msgspec.structs.replace(case.answers, symptom=symptom)
    return msgspec.structs.replace(case, answers=answers, facts=msgspec.structs.replace(case.facts, **facts))


def test_a_failed_program_is_fixed_only_where_it_is_seen_to_work() -> None:
    before = with_facts(a_case(driver=OF_RUN), runs=(RUN,))
    fine = msgspec.structs.replace(RUN, exit_code=0)
    other = msgspec.structs.replace(fine, command=("python", "other.py"))
    watched = msgspec.structs.replace(RUN, exit_code=None, end="watched")
    clear = a_case(driver=Status.CLEAR)
    assert changes(before, with_facts(clear, runs=(fine,))).gone == (OF_RUN,)
    assert changes(before, with_facts(a_case(), runs=(fine,))).gone == (OF_RUN,)
    for runs in ((), (other,), (watched,), (RUN,)):
        assert changes(before, with_facts(clear, runs=runs)) == Changes(unsure=(OF_RUN,))


def test_the_same_words_in_another_folder_are_another_program() -> None:
    here, there = (msgspec.structs.replace(RUN, folder=folder) for folder in ("/a", "/b"))
    fine_here, fine_there = (msgspec.structs.replace(run, exit_code=0) for run in (here, there))
    clear = a_case(driver=Status.CLEAR)
    before = with_facts(a_case(driver=OF_RUN), runs=(here,))
    assert changes(before, with_facts(clear, runs=(fine_there,))) == Changes(unsure=(OF_RUN,))
    assert changes(before, with_facts(clear, runs=(fine_there, fine_here))).gone == (OF_RUN,)
    both = with_facts(a_case(driver=OF_RUN), runs=(here, there))
    assert changes(both, with_facts(clear, runs=(fine_here,))) == Changes(unsure=(OF_RUN,))
    assert changes(both, with_facts(clear, runs=(fine_here, fine_there))).gone == (OF_RUN,)


def test_a_statement_is_the_same_in_every_folder() -> None:
    failed = ProgramRun(statement="import six", folder="/tmp/1", exit_code=1)
    found = msgspec.structs.replace(FOUND, values={FAILED_RUN: failed.label})
    fine = msgspec.structs.replace(failed, folder="/tmp/2", exit_code=0)
    before, now = with_facts(a_case(driver=found), runs=(failed,)), with_facts(a_case(), runs=(fine,))
    assert changes(before, now).gone == (found,)


def test_leaving_a_text_out_fixes_nothing() -> None:
    assert changes(a_case(driver=OF_TEXT), a_case(driver=Status.CLEAR)) == Changes(unsure=(OF_TEXT,))
    measured = msgspec.structs.replace(OF_TEXT, evidence=(*OF_TEXT.evidence, Evidence("driver", "1", "NVML")))
    assert changes(a_case(driver=measured), a_case(driver=Status.CLEAR)) == Changes(gone=(measured,))


def test_another_symptom_or_target_fixes_nothing() -> None:
    before = with_facts(a_case(driver=FOUND), "not-on-gpu", target="/a/python")
    clear = a_case(driver=Status.CLEAR)
    assert changes(before, with_facts(clear, "not-on-gpu", target="/a/python")).gone == (FOUND,)
    assert changes(before, with_facts(clear, "does-not-start", target="/a/python")).gone == ()
    assert changes(before, with_facts(clear, "not-on-gpu", target="/b/python")).gone == ()
