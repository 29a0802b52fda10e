"""Every error text that a framework or a package beside it left when it was really loaded, in one list.

Several causes read the same texts; the table of texts (checks/knowledge/import_errors.py) gives each to one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checks.facts import ErrorText, FrameworkFacts, Frameworks, ProbeRuns, TorchFacts
from checks.finding import Evidence
from checks.knowledge.import_errors import Recognised, import_errors, recognise

LINE_SHOWN = 300  # characters of an error line that a finding quotes


@dataclass(frozen=True)
class Trouble:
    """One failure: of which framework, of which package, its words, and whether the framework itself failed."""

    framework: str  # "torch"
    package: str  # "torchvision", or the framework
    version: str
    text: str
    origin: str
    is_framework: bool

    @property
    def label(self) -> str:
        """The package as a sentence names it: "torchvision 0.19.0"."""
        return f"{self.package} {self.version}".strip()


def troubles(frameworks: Frameworks, probes: ProbeRuns | None = None) -> Iterator[Trouble]:
    """Every failed import: of the frameworks, of their companions, and what a dying process wrote last."""
    for name, framework in frameworks.each():
        if framework.imported is False and framework.error is not None:
            yield _trouble(name, framework, _text(framework.error))
        elif not framework.imported:
            last_words = _last_words(name, probes)
            if last_words:
                yield _trouble(name, framework, last_words)
        if isinstance(framework, TorchFacts):
            yield from _of_torch(name, framework)


def recognised(
    cause: str, frameworks: Frameworks, probes: ProbeRuns | None = None
) -> Iterator[tuple[Trouble, Recognised]]:
    """The failures whose text shows this cause."""
    for trouble in troubles(frameworks, probes):
        found = recognise(trouble.text)
        if found is not None and found.row.cause == cause:
            yield trouble, found


def evidence_of(trouble: Trouble, found: Recognised) -> tuple[Evidence, ...]:
    """What proves it: ``package`` and ``error_line``, the line quoted and shortened."""
    return (
        Evidence("package", trouble.label, trouble.origin),
        Evidence("error_line", found.line[:LINE_SHOWN], import_errors().title, found.row.sources[0]),
    )


def _of_torch(name: str, torch: TorchFacts) -> Iterator[Trouble]:
    for companion in torch.companions or ():
        if not companion.imported and companion.error is not None:
            yield Trouble(
                framework=name,
                package=companion.name,
                version=companion.version or "",
                text=_text(companion.error),
                origin=torch.origin,
                is_framework=False,
            )
    bridge = torch.numpy_bridge
    if bridge is not None and not bridge.ran and bridge.error is not None:
        yield _trouble(name, torch, _text(bridge.error))


def _last_words(name: str, probes: ProbeRuns | None) -> str:
    run = probes.of(name) if probes else None
    return (run.stderr_tail or "") if run is not None and run.status == "crashed" else ""


def _trouble(name: str, framework: FrameworkFacts, text: str) -> Trouble:
    return Trouble(
        framework=name,
        package=name,
        version=framework.version or "",
        text=text,
        origin=framework.origin,
        is_framework=True,
    )


def _text(error: ErrorText) -> str:
    # The traceback ends with the message and holds the causes of the exception too ("The above exception was ...").
    return f"{error.traceback}\n{error.type}: {error.message}"
