"""Which finding comes first, which counts, and which can answer what was asked."""

from collections.abc import Collection, Iterable, Sequence

from checks.facts.finding import FAILED_RUN, Finding, Outcome, Severity
from checks.facts.question import ABOUT_RESULTS, SymptomName
from checks.knowledge.catalogue import UNKNOWN, cause_of, family_of

WORTH_READING = 0.05  # a finding of a ticket behind the first that is less sure is in the JSON alone
_WEIGHT = {Severity.BLOCKING: 0, Severity.WARNING: 1, Severity.NOTE: 2}
# Questions that any cause can answer.
_ABOUT_ALL = (SymptomName.EVERYTHING, SymptomName.TICKET, SymptomName.MODELS, SymptomName.COMPARISON)
NO_NUMBERS = ("non-finite-output",)


def rank(outcomes: Iterable[Outcome], proven: Collection[tuple[str, str]] = ()) -> tuple[Finding, ...]:
    """All findings, the best first: by severity, then causes before their consequences, then by confidence.

    A cause goes before what its file says that it ``explains``, also where the consequence is the graver one: fixing
    the cause removes both. A blocking cause that ``is_warned_first`` goes before all others, then what is ``proven``
    (its cause and subject, of which a remedy was seen to mend the program), and then what explains a failure of the
    user's own program that was seen: the rest is only known to be so. Notes that tell what ``is_usual``
    are the last. "unknown" is dropped where a blocking cause is known, or one that was mended with it: the specific
    beats the general.
    """
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    if any(finding.severity is Severity.BLOCKING and finding.cause != UNKNOWN for finding in findings):
        findings = [finding for finding in findings if finding.cause != UNKNOWN]
    if any(finding.is_mended and finding.cause != UNKNOWN for finding in findings):
        findings = [finding for finding in findings if finding.cause != UNKNOWN or not finding.is_mended]
    seen = {finding.cause for finding in findings}
    explained = {
        consequence
        for finding in findings
        if finding.severity is not Severity.NOTE
        for consequence in cause_of(finding.cause).explains
        if consequence in seen and finding.cause not in cause_of(consequence).explains
    }

    worst = {cause: min(_WEIGHT[found.severity] for found in findings if found.cause == cause) for cause in seen}

    def order(finding: Finding) -> tuple[bool, bool, bool, int, bool, bool, bool, bool, float, str, str]:
        weight = _WEIGHT[finding.severity]
        if finding.severity is not Severity.NOTE:
            consequences = explained.intersection(cause_of(finding.cause).explains)
            weight = min([weight, *(worst[cause] for cause in consequences)])
        is_first = finding.severity is Severity.BLOCKING and cause_of(finding.cause).is_warned_first
        is_seen = FAILED_RUN in finding.values
        return (
            not is_first,
            (finding.cause, finding.subject) not in proven or finding.is_mended,
            not (is_seen and finding.severity is Severity.BLOCKING),
            weight,
            not finding.is_mended,
            not is_seen,
            finding.severity is Severity.NOTE and cause_of(finding.cause).is_usual,
            finding.cause in explained,
            -finding.confidence,
            finding.cause,
            finding.subject,
        )

    return tuple(sorted(findings, key=order))


def is_found(findings: Sequence[Finding], *, reported: bool) -> bool:
    """Whether something blocking, or a warning, was found.

    ``reported``: in a ticket, where the first cause counts, and one of another trouble beside it; "unknown" is none.
    """
    if reported:
        is_told = bool(findings) and findings[0].cause != UNKNOWN
        findings = [finding for finding in findings if finding is findings[0] or finding.apart] if is_told else []
    return any(finding.severity is not Severity.NOTE for finding in findings)


_COMPUTES_WRONGLY = ("gpu-hardware-fault", "processor-hardware-fault")  # of another family


def can_explain(cause: str, symptom: str) -> bool:
    """Whether a cause of this family can explain the symptom at all; a broken card explains both kinds.

    That results are no numbers explains no symptom that is asked for: they may well be the same everywhere.
    """
    if cause in NO_NUMBERS:
        return symptom in _ABOUT_ALL
    is_about_results = family_of(cause) == "reproducibility" or cause in (
        "gpu-hardware-fault",
        "processor-hardware-fault",
    )
    return symptom in _ABOUT_ALL or (symptom in ABOUT_RESULTS) == is_about_results
