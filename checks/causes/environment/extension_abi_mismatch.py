"""A compiled extension was built against another version of the framework.

Detects:      imports that fail with "undefined symbol", "procedure could not be found", "operator torchvision::nms does
              not exist"; extensions whose version names another PyTorch, CUDA or C++ ABI than the installed one.
Why it bites: PyTorch's binary interface changes with every release, and the extension calls what is no longer there.
Blind spots:  extensions that the user compiled carry no such tag.
Knowledge:    resources/knowledge/packages/extension_tags.toml, resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.at_import import finding_of_text, recognised
from checks.analysis.packages.requirements import asks_for_another
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, Package, ProbeRuns, ProgramRuns, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.versions import minor, release
from checks.knowledge.packages.extension_tags import BuiltFor, ExtensionTags, built_for

CAUSE = "extension-abi-mismatch"


@check(CAUSE)
def extension_abi_mismatch(
    interpreter: InterpreterFacts,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per extension that does not fit."""
    seen = set()
    torch = frameworks.torch if frameworks else None
    for trouble, found in recognised(CAUSE, frameworks, probes, runs):
        seen.add(trouble.package)
        if not _is_made_for_another(interpreter.package(trouble.package), interpreter.package("torch")):
            yield finding_of_text(trouble, found)
    if interpreter.packages is None and not seen:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    installed = interpreter.package("torch")
    if installed is None:
        return
    seen |= {
        companion.name
        for companion in (torch.companions if torch else None) or ()
        if companion.imported and companion.error is None
    }
    for package in interpreter.packages or ():
        built = built_for(package.version)
        if built is not None and package.name not in seen and _differs(built, installed, torch):
            yield Finding(
                severity=Severity.WARNING,
                confidence=0.85,
                subject=package.name,
                evidence=(
                    Evidence("package", f"{package.name} {package.version}", package.location or ""),
                    Evidence("clue", built.tag, ExtensionTags.read().title, built.source),
                    Evidence("framework", f"torch {installed.version}", installed.location or ""),
                ),
                values={"package_name": package.name},
            )


def _is_made_for_another(package: Package | None, torch: Package | None) -> bool:
    """Whether a companion's own wish tells the reason already: that is framework-companion-mismatch."""
    return package is not None and torch is not None and asks_for_another(package, torch)


def _differs(built: BuiltFor, installed: Package, torch: TorchFacts | None) -> bool:
    if minor(built.torch) != minor(installed.version):
        return True
    cuda = release(torch.cuda_version)[:1] if torch is not None and torch.cuda_version else ()
    if built.cuda_major is not None and cuda and cuda != (built.cuda_major,):
        return True
    abi = torch.cxx11_abi if torch is not None else None
    return built.cxx11_abi is not None and abi is not None and built.cxx11_abi != abi
