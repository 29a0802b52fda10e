"""What a remedy mended that was carried out here: fixed is only what was seen to fail before and to run after."""

import msgspec
import pytest

from checks.facts import Facts, InterpreterFacts, MachineFacts, Mending, OsFacts, Package, ProgramRun, Symptom
from checks.facts.case import Answers, Case
from checks.facts.finding import CLUE, FAILED_RUN, Evidence, Finding, Outcome, Severity, Status
from checks.judgement.headline import Stance, headline, is_trouble
from checks.judgement.judge import judged

CAUSE = "dependency-version-conflict"
FAILED = ProgramRun(command=("python", "-c", "import six"), statement="import six", exit_code=1, errors="no six")
RAN = msgspec.structs.replace(FAILED, exit_code=0, errors="")
OTHER = ProgramRun(command=("python", "-c", "import wrapt"), statement="import wrapt", exit_code=1, errors="no wrapt")
OTHER_RAN = msgspec.structs.replace(OTHER, exit_code=0, errors="")
PROGRAM = ProgramRun(command=("python", "main.py"), folder="/a", exit_code=1, errors="no six")
PROGRAM_RAN = msgspec.structs.replace(PROGRAM, exit_code=0, errors="")


def _found(run: ProgramRun | None, cause: str = CAUSE, severity: Severity = Severity.BLOCKING) -> Outcome:
    finding = Finding(
        cause=cause,
        severity=severity,
        confidence=0.9,
        evidence=(Evidence(CLUE, run.errors),) if run else (),
        values={FAILED_RUN: run.label} if run else {},
        subject="six" if cause == CAUSE else "other",
    )
    return Outcome(cause=cause, status=Status.FOUND, findings=(finding,))


def _case(runs: tuple[ProgramRun, ...], *outcomes: Outcome, **mending: object) -> Case:
    fixed = Mending(cause=CAUSE, subject="six", remedy="b", result="fixed", id="x", before=runs[0], after=RAN)
    facts = Facts(
        runs=runs,
        symptom=Symptom(name="does-not-start"),
        mendings=(msgspec.structs.replace(fixed, **mending),),
    )
    return judged(facts, Answers(symptom="does-not-start"), outcomes=outcomes)


def _stance(case: Case) -> Stance:
    return headline(case.facts, case.findings, "does-not-start", "").stance


def _is_trouble(case: Case) -> bool:
    return is_trouble(case.facts, case.findings, "does-not-start")


def test_what_failed_and_runs_now_is_told_as_mended() -> None:
    case = _case((FAILED,), _found(FAILED))
    (finding,) = case.findings
    assert (finding.is_mended, finding.severity) == (True, Severity.NOTE)
    assert (_stance(case), _is_trouble(case)) == (Stance.MENDED, False)


def test_a_cause_that_a_check_saw_is_mended_with_what_it_broke() -> None:
    assert _case((FAILED,), _found(None)).findings[0].is_mended


@pytest.mark.parametrize(
    "not_seen",
    [{"is_undone": True}, {"after": FAILED}, {"id": ""}, {"result": "runs-longer"}, {"result": "not-checked"}],
    ids=lambda change: next(iter(change)) + str(change.get("result", "")),
)
def test_what_was_undone_or_not_seen_to_run_still_blocks(not_seen: dict[str, object]) -> None:
    case = _case((FAILED,), _found(FAILED), **not_seen)
    (finding,) = case.findings
    assert (finding.is_mended, finding.severity) == (False, Severity.BLOCKING)
    assert _stance(case) is not Stance.MENDED
    assert _is_trouble(case)


def test_another_failure_stays_what_it_is_until_it_is_seen_to_run() -> None:
    outcomes = (_found(FAILED), _found(OTHER, "package-not-installed"))
    still = _case((FAILED, OTHER), *outcomes, others=(OTHER,))
    assert [(found.cause, found.is_mended) for found in still.findings] == [
        ("package-not-installed", False),
        (CAUSE, True),
    ]
    assert (_stance(still), _is_trouble(still)) == (Stance.FOUND, True)
    both = _case((FAILED, OTHER), *outcomes, others=(OTHER_RAN,))
    assert all(found.is_mended for found in both.findings)
    assert (_stance(both), _is_trouble(both)) == (Stance.MENDED, False)


def test_one_cause_of_two_failures_is_mended_when_both_run() -> None:
    """One finding tells both, by the line with which they end."""
    same = msgspec.structs.replace(OTHER, errors=FAILED.errors)
    assert not _case((FAILED, same), _found(FAILED)).findings[0].is_mended
    assert _case((FAILED, same), _found(FAILED), others=(OTHER_RAN,)).findings[0].is_mended


def test_a_program_elsewhere_was_not_seen_to_run() -> None:
    elsewhere = msgspec.structs.replace(PROGRAM, folder="/b")
    outcome = _found(PROGRAM)
    assert _case((PROGRAM,), outcome, after=PROGRAM_RAN).findings[0].is_mended
    case = _case((PROGRAM, elsewhere), outcome, after=PROGRAM_RAN)
    assert not case.findings[0].is_mended
    assert _is_trouble(case)


def test_what_a_statement_does_not_show_is_no_note() -> None:
    """A program that runs shows that nothing else hinders it; an import alone does not."""
    warning = _found(None, "shared-memory-too-small", Severity.WARNING)
    case = _case((FAILED,), _found(FAILED), warning)
    assert [found.cause for found in case.findings] == ["shared-memory-too-small", CAUSE]
    assert _is_trouble(case)
    case = _case((PROGRAM,), _found(PROGRAM), warning, after=PROGRAM_RAN)
    assert [(found.cause, found.severity) for found in case.findings] == [
        (CAUSE, Severity.NOTE),
        ("shared-memory-too-small", Severity.NOTE),
    ]
    assert (_stance(case), _is_trouble(case)) == (Stance.MENDED, False)


def test_what_may_do_harm_is_not_calmed_by_a_program_that_runs() -> None:
    case = _case((PROGRAM,), _found(PROGRAM), _found(None, "pickle-runs-code"), after=PROGRAM_RAN)
    assert case.findings[0].severity is Severity.BLOCKING
    assert _is_trouble(case)


def test_a_failure_that_nothing_explains_leaves_open_whether_it_is_the_same() -> None:
    case = _case(
        (FAILED, *[msgspec.structs.replace(OTHER, statement=f"import m{n}") for n in range(6)]), _found(FAILED)
    )
    assert not any(found.is_mended for found in case.findings)
    assert _is_trouble(case)


def _python(vision: str) -> InterpreterFacts:
    packages = (Package(name="torch", version="2.3.0"), Package(name="torchvision", version=vision))
    return InterpreterFacts(path="/env/bin/python", prefix="/env", version="3.11.7", packages=packages)


@pytest.mark.parametrize(
    ("before", "left", "found"), [("0.15.1+cu118", "0.18.0", []), ("0.18.0", "0.15.1+cu118", ["0.15.1+cu118"])]
)
def test_what_follows_from_the_packages_is_told_of_those_that_are_there_now(
    before: str, left: str, found: list[str]
) -> None:
    fixed = Mending(
        cause=CAUSE, subject="six", remedy="b", result="fixed", id="x", before=FAILED, after=RAN, left=_python(left)
    )
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")),
        interpreters=(_python(before),),
        target="/env/bin/python",
        runs=(FAILED,),
        symptom=Symptom(name="does-not-start"),
        mendings=(fixed,),
    )

    def named(facts: Facts) -> list[str]:
        findings = judged(facts, Answers(symptom="does-not-start")).findings
        named = [finding for finding in findings if finding.cause == "framework-companion-mismatch"]
        return [finding.evidence[0].value.split()[-1] for finding in named]

    assert named(facts) == found
    undone = msgspec.structs.replace(fixed, is_undone=True)
    assert bool(named(msgspec.structs.replace(facts, mendings=(undone,)))) == (not found)
