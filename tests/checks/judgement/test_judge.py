"""How a check's ending becomes an outcome: the five ways, and a question that comes up after something was found."""

from collections.abc import Iterator

import msgspec

from checks.causes.registry import Check
from checks.facts import Facts, MachineFacts, OsFacts
from checks.facts.finding import Finding, Outcome, Severity, Status, Unread, only_on
from checks.judgement.one_check import judge_one
from checks.judgement.ranking import is_found, rank
from checks.knowledge.catalogue import UNKNOWN

FACTS = Facts(machine=MachineFacts(os=OsFacts(system="Linux")))
TOLD = (
    "gpu",
    "state",
    "throttle_reasons",
    "temperature",
    "power",
    "power_limit",
    "power_limit_default",
    "clock_sm",
)
FINDING = Finding(
    cause="gpu-throttled", severity=Severity.WARNING, confidence=0.7, values=dict.fromkeys(TOLD, "as it was read")
)


def finds(os: OsFacts) -> Iterator[Finding]:
    yield msgspec.structs.replace(FINDING, cause="")  # the check fills it in


def finds_and_then_asks(os: OsFacts) -> Iterator[Finding]:
    yield FINDING
    raise Unread("packages")


def asks(os: OsFacts) -> Iterator[Finding]:
    yield from ()
    raise Unread("packages")


def breaks(os: OsFacts) -> Iterator[Finding]:
    yield from ()
    raise ZeroDivisionError


def test_found() -> None:
    assert judge_one(Check("gpu-throttled", finds), FACTS).findings == (FINDING,)


def test_what_was_found_stays_found() -> None:
    outcome = judge_one(Check("gpu-throttled", finds_and_then_asks), FACTS)
    assert outcome.status is Status.FOUND
    assert outcome.findings == (FINDING,)


def test_an_open_question_alone() -> None:
    outcome = judge_one(Check("gpu-throttled", asks), FACTS)
    assert outcome.status is Status.INCONCLUSIVE
    assert outcome.values["field"] == "packages"


def has_nothing_to_check(os: OsFacts) -> Iterator[Finding]:
    yield from ()
    only_on("Windows", os)


def test_nothing_to_check_is_neither_fine_nor_open() -> None:
    outcome = judge_one(Check("gpu-throttled", has_nothing_to_check), FACTS)
    assert (outcome.status, outcome.reason) == (Status.SKIPPED, "not-on-this-system")
    assert outcome.values == {"fact": "windows"}


def test_whether_there_is_something_to_check_is_open_on_an_unknown_system() -> None:
    facts = Facts(machine=MachineFacts(os=OsFacts()))
    assert judge_one(Check("gpu-throttled", has_nothing_to_check), facts).status is Status.INCONCLUSIVE


def test_a_broken_check_is_our_own_fault() -> None:
    assert judge_one(Check("gpu-throttled", breaks), FACTS).status is Status.CRASHED


def test_a_fact_that_was_not_collected() -> None:
    outcome = judge_one(Check("gpu-throttled", finds), Facts())
    assert outcome.status is Status.SKIPPED
    assert outcome.values == {"fact": "os"}


def ranked(*findings: tuple[str, Severity, float]) -> list[str]:
    """The causes in the order of the report."""
    outcomes = [
        Outcome(
            cause=cause,
            status=Status.FOUND,
            findings=(Finding(cause=cause, severity=severity, confidence=confidence),),
        )
        for cause, severity, confidence in findings
    ]
    return [finding.cause for finding in rank(outcomes)]


def test_severity_goes_before_confidence() -> None:
    order = ranked(
        ("gpu-throttled", Severity.WARNING, 1.0),
        ("glibc-too-old", Severity.BLOCKING, 0.5),
        ("driver-regression", Severity.NOTE, 1.0),
    )
    assert order == ["glibc-too-old", "gpu-throttled", "driver-regression"]


def test_of_the_same_severity_the_surest_goes_first() -> None:
    order = ranked(("driver-regression", Severity.WARNING, 0.5), ("gpu-throttled", Severity.WARNING, 0.9))
    assert order == ["gpu-throttled", "driver-regression"]


def test_a_cause_goes_before_its_graver_consequence() -> None:
    order = ranked(
        ("cudnn-version-mismatch", Severity.BLOCKING, 0.9),  # which library-path-conflict explains
        ("library-path-conflict", Severity.WARNING, 0.6),
        ("gpu-throttled", Severity.WARNING, 0.9),
    )
    assert order == ["library-path-conflict", "cudnn-version-mismatch", "gpu-throttled"]


def test_a_note_explains_nothing() -> None:
    order = ranked(("cudnn-version-mismatch", Severity.BLOCKING, 0.9), ("library-path-conflict", Severity.NOTE, 0.6))
    assert order == ["cudnn-version-mismatch", "library-path-conflict"]


def test_causes_that_explain_each_other_keep_their_own_weight() -> None:
    order = ranked(("gpu-not-detected", Severity.WARNING, 0.6), ("driver-not-loaded", Severity.BLOCKING, 0.9))
    assert order == ["driver-not-loaded", "gpu-not-detected"]


def test_what_is_unknown_gives_way_to_a_known_blocking_cause_only() -> None:
    assert ranked(("unknown", Severity.BLOCKING, 0.3), ("glibc-too-old", Severity.BLOCKING, 0.5)) == ["glibc-too-old"]
    assert ranked(("unknown", Severity.BLOCKING, 0.3), ("gpu-throttled", Severity.WARNING, 0.9))[0] == "unknown"


def weighed(cause: str, severity: Severity, confidence: float) -> Finding:
    return Finding(cause=cause, severity=severity, confidence=confidence)


def test_of_a_ticket_the_first_cause_is_what_is_found() -> None:
    note, hint = weighed("gpu-arch-rounding", Severity.NOTE, 0.65), weighed("tf32-enabled", Severity.WARNING, 0.009)
    assert not is_found([note, hint], reported=True)
    assert is_found([note, hint], reported=False)
    assert not is_found([note, weighed("tf32-enabled", Severity.WARNING, 0.2)], reported=True)
    assert is_found([weighed("tf32-enabled", Severity.WARNING, 0.04)], reported=True)
    second = Finding(cause="tf32-enabled", severity=Severity.WARNING, confidence=0.01, apart=0.9)
    assert is_found([note, second], reported=True)  # another trouble than the first
    assert not is_found([weighed(UNKNOWN, Severity.WARNING, 0.6), hint], reported=True)
