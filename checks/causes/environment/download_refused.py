"""A model or data set could not be fetched: nobody is let in, nobody is reached, or it is forbidden to ask.

Detects:      what ended the user's program: the hub's refusals (gated, token), downloads that are switched off, a
              proxy, a certificate, a server's answer, a name or an address that nobody answers to.
Why it bites: the program has all that it needs but the file, and stops where it should come.
Blind spots:  a download that breaks off and leaves half a file is checkpoint-corrupt; a name that the hub does not know
              may be private; the values of the proxy's variables are not read, since they may hold passwords.
Knowledge:    resources/knowledge/errors/downloads.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.downloads import UNREACHED, Refused, refused
from checks.analysis.failures.of_runs import failures
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, ProgramRuns
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.facts.quotation import quotation
from checks.knowledge.errors.downloads import Downloads
from checks.knowledge.phrases import phrase

OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
_TRUE = ("1", "ON", "YES", "TRUE")  # huggingface_hub/constants.py
SEEN = 0.97  # the variable is set, and the hub says that it may not be asked
BY_VARIABLE, BY_PROGRAM = "switched-off-by-variable", "switched-off-by-program"
# Reason -> what to do, the best first.
REMEDIES = {
    "gated": ("ask-for-model-access", "log-in-to-model-hub"),
    "token": ("log-in-to-model-hub",),
    BY_VARIABLE: ("unset-environment-variable", "bring-model-from-another-computer"),
    BY_PROGRAM: ("allow-model-download", "bring-model-from-another-computer"),
    "switched-off": ("allow-model-download", "bring-model-from-another-computer"),
    "certificate": ("trust-network-certificate", "bring-model-from-another-computer"),
    "proxy": ("set-network-proxy", "bring-model-from-another-computer"),
    "too-many": ("wait-for-model-server",),
    "server-fault": ("wait-for-model-server", "bring-model-from-another-computer"),
    "forbidden": ("bring-model-from-another-computer", "log-in-to-model-hub"),
    "gone": ("bring-model-from-another-computer",),
}
_NO_NETWORK = ("check-network-connection", "bring-model-from-another-computer", "set-network-proxy")


@check("download-refused")
def download_refused(runs: ProgramRuns | None, environment: EnvironmentVariables | None) -> Iterator[Finding]:
    """One finding per failed program."""
    for failure in failures(runs):
        found = refused(failure)
        if found is None:
            continue
        reason, variable = _reason(found, environment)
        where = Evidence("download_address", found.host or found.address, failure.origin)
        yield Finding(
            severity=Severity.BLOCKING if not failure.run.is_unasked else Severity.WARNING,
            confidence=SEEN if variable else found.certainty,
            subject=found.wanted or found.host or failure.program,
            evidence=(
                *((Evidence("download_wanted", found.wanted, failure.origin),) if found.wanted else ()),
                *((where,) if where.value else ()),
                *((Evidence("variable", variable, environment.origin if environment else ""),) if variable else ()),
                Evidence("clue", quotation(found.clue), failure.origin, found.source or Downloads.read().source),
            ),
            values={
                "refusal": _about(phrase(f"refusal-{reason}"), found),
                "refusal_because": phrase(f"refusal-{reason}-because", **({"variable": variable} if variable else {})),
                FAILED_RUN: failure.run.label,
            },
            remedies=REMEDIES.get(reason, _NO_NETWORK),
        )


def _about(refusal: Phrase, found: Refused) -> Phrase:
    """Why, and what the user asked for, where that is known."""
    about = found.wanted or found.host
    return phrase("refusal-about", refusal=refusal, about=about) if about else refusal


def _reason(found: Refused, environment: EnvironmentVariables | None) -> tuple[str, str]:
    """The reason, and the variable that it is where one forbids to ask."""
    values = environment.values if environment else {}
    variable = next((name for name in OFFLINE_VARIABLES if values.get(name, "").upper() in _TRUE), "")
    if found.reason in ("switched-off", UNREACHED) and variable:
        return BY_VARIABLE, variable
    if found.reason == "switched-off" and environment is not None:
        return BY_PROGRAM, ""
    return found.reason, ""
