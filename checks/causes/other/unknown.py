"""Something fails here, and no other check names why.

Detects:      a framework that does not import, sees no GPU although one is there, or fails when it really computes.
Why it bites: the program fails, while versions and drivers look as if they fit.
Blind spots:  where another cause is found to be blocking, checks/judgement/judge.py drops this one.
Knowledge:    none; the error text itself is the evidence.
"""

from collections.abc import Iterator

from checks.analysis.failures.at_import import must_have_imported
from checks.causes.registry import check
from checks.facts import ErrorText, FrameworkDevice, FrameworkFacts, Frameworks, Gpus, ProbeRuns, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity

VENDOR_OF_BUILD = {"cuda": "10de", "rocm": "1002", "xpu": "8086"}


@check("unknown", from_whole=True)
def unknown(frameworks: Frameworks, gpus: Gpus | None, probes: ProbeRuns | None = None) -> Iterator[Finding]:
    """One finding per framework and failure, with the framework's own words."""
    found = [*_failures(frameworks), *_blindness(frameworks, gpus)]
    yield from found
    # Where a process died before it could tell, what killed it is another check's cause, but nothing here is fine.
    if not found:
        must_have_imported(frameworks, probes)


def _failures(frameworks: Frameworks) -> Iterator[Finding]:
    for name, framework in frameworks.each():
        if framework.imported is False:
            yield _finding(name, framework, "import", _words_of(framework.error))
        for device in _devices(framework):
            kernel = device.kernel
            if kernel is not None and not kernel.ran:
                yield _finding(name, framework, device.device, _words_of(kernel.error))
            elif kernel is not None and kernel.correct is False:
                yield _finding(name, framework, device.device, "the result of a small computation was wrong")


def _blindness(frameworks: Frameworks, gpus: Gpus | None) -> Iterator[Finding]:
    torch = frameworks.torch
    if torch is not None and gpus is not None and _sees_nothing(torch, gpus):
        yield _finding("torch", torch, torch.build or "", _words_of(torch.cuda_error))


def _sees_nothing(torch: TorchFacts, gpus: Gpus) -> bool:
    vendor = VENDOR_OF_BUILD.get(torch.build or "")
    available = torch.xpu_available if torch.build == "xpu" else torch.cuda_available
    return vendor is not None and available is False and bool(gpus.of(vendor))


def _devices(framework: FrameworkFacts) -> tuple[FrameworkDevice, ...]:
    return getattr(framework, "devices", None) or ()


def _words_of(error: ErrorText | None) -> str:
    return f"{error.type}: {error.message}" if error else "no error text"


def _finding(name: str, framework: FrameworkFacts, where: str, error: str) -> Finding:
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.3,
        subject=f"{name} {where}".strip(),
        evidence=(
            Evidence("framework", f"{name} {framework.version or ''}".strip(), framework.origin),
            Evidence("failed_at", where, framework.origin),
            Evidence("error_text", error[:2000], framework.origin),
        ),
    )
