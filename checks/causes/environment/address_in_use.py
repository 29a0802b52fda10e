"""A program wants to listen on a port on which another one listens already.

Detects:      the system's refusal in what failed (EADDRINUSE), as servers, Gradio and PyTorch's launcher word it, and
              the port where the words name it.
Why it bites: only one program at a time may listen on a port; most often it is the same one, started before and still
              running.
Blind spots:  a program that takes the next free port, as Jupyter does, and is then looked for at the old one.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.of_runs import Failure, failures, texts_of
from checks.causes.registry import check
from checks.facts import ProgramRuns
from checks.facts.finding import Evidence, Finding, NotCollected, Severity
from checks.facts.quotation import quotation
from checks.knowledge.errors.import_errors import Recognised, recognise
from checks.knowledge.phrases import phrase

CAUSE = "address-in-use"
_PORTS = ("port", "port_of_store", "port_of_go", "port_said")


@check(CAUSE)
def address_in_use(runs: ProgramRuns | None) -> Iterator[Finding]:
    """One finding per failed program."""
    if runs is None:
        raise NotCollected("runs")
    for failure in failures(runs):
        run = failure.run
        seen = next((words for words in _words(failure) if words is not None and words.row.cause == CAUSE), None)
        if seen is None:
            continue
        port = next((seen.groups[name] for name in _PORTS if name in seen.groups), "")
        yield Finding(
            severity=Severity.WARNING if run.is_unasked else Severity.BLOCKING,
            confidence=seen.row.certainty,
            subject=port,
            evidence=(Evidence("clue", quotation(seen.line), run.origin, seen.row.sources[0]),),
            values={
                "address": phrase("address-port", port=port) if port else phrase("address-unnamed"),
                **({"port": port} if port else {}),
                "failed_run": run.label,
            },
        )


def _words(failure: Failure) -> Iterator[Recognised | None]:
    """What tells why it ended. A server may print its refusal and end by itself; many then take the next free port."""
    if not failure.raised and not failure.run.signal:
        yield recognise(f"{failure.run.output}\n{failure.run.errors}")
    elif failure.raised:
        yield from (recognise(text) for text, _, is_beside in texts_of(failure) if not is_beside)
