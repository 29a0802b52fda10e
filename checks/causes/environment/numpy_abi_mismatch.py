"""A package compiled for NumPy 1 meets NumPy 2.

Detects:      NumPy 2 beside a release that was built before it (a table, or the package's own metadata: "numpy<2"), and
              what such a pair says when it is loaded ("A module that was compiled using NumPy 1.x ...").
Why it bites: the binary interface changed; the package cannot be imported, or cannot exchange arrays.
Blind spots:  packages outside the table that were compiled by the user.
Knowledge:    resources/knowledge/packages/numpy_abi.toml, resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from packaging.version import Version

from checks.analysis.failures.at_import import finding_of_text, recognised
from checks.analysis.packages.requirements import Broken, broken_if_read
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, OsFacts, Package, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.packages.numpy_abi import NumpyAbi, NumpyAbiRow

CAUSE = "numpy-abi-mismatch"
LAST_OF_NUMPY_1 = "1.26.4"
FIRST_OF_NUMPY_2 = "2.0.0"


@check(CAUSE)
def numpy_abi_mismatch(
    interpreter: InterpreterFacts,
    os: OsFacts,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per package that does not fit the installed NumPy."""
    numpy = interpreter.package("numpy")
    if numpy is None and interpreter.packages is not None:  # "Numpy is not available" is then simply true
        return
    seen = set()
    for trouble, found in recognised(CAUSE, frameworks, probes, runs):
        seen.add(trouble.package)
        yield finding_of_text(trouble, found, _numpy(numpy))
    if numpy is None and not seen:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    if numpy is None or release(numpy.version)[:1] < (2,):
        return
    works = _proven(frameworks)
    for package, clue in _too_old(interpreter, os, needed=not seen):
        if package.name not in seen | works:
            seen.add(package.name)
            yield Finding(
                severity=Severity.WARNING,
                confidence=0.95,
                subject=package.name,
                evidence=(
                    Evidence("package", f"{package.name} {package.version}", package.location or ""),
                    _numpy(numpy),
                    clue,
                ),
                values={"package_name": package.name},
            )


def is_other_generation(broken: Broken) -> bool:
    """Whether a broken requirement is about NumPy 1 against NumPy 2, which is this cause's matter."""
    if broken.found is None or broken.found.name != "numpy" or release(broken.found.version)[:1] < (2,):
        return False
    wanted = broken.requirement.specifier
    return wanted.contains(LAST_OF_NUMPY_1) and not wanted.contains(FIRST_OF_NUMPY_2)


def _too_old(interpreter: InterpreterFacts, os: OsFacts, *, needed: bool) -> Iterator[tuple[Package, Evidence]]:
    """The packages built for NumPy 1 alone, with what shows it: the first release for NumPy 2, or their own wish."""
    for row in NumpyAbi.read().row:
        package = interpreter.package(row.package)
        if package is not None and _is_older(package, row, os):
            first = row.first_on(os.system)
            words = f"{row.package} >= {first}" if first else f"{row.package}: NumPy 1"
            yield package, Evidence("clue", words, NumpyAbi.read().title, row.source)
    for broken in broken_if_read(interpreter, os, needed=needed):
        if is_other_generation(broken):
            yield broken.package, Evidence("clue", broken.needed, broken.package.location or "")


def _is_older(package: Package, row: NumpyAbiRow, os: OsFacts) -> bool:
    first = row.first_on(os.system)
    # conda rebuilds releases against a newer NumPy without a new number, and keeps the two in step itself.
    if first is None or package.installer == "conda":
        return False
    try:
        return first == "" or Version(package.version) < Version(first)
    except ValueError:  # a vendor's own numbering, which the table does not cover, or no number
        return False


def _proven(frameworks: Frameworks | None) -> set[str]:
    """The frameworks that exchanged an array with NumPy before our eyes."""
    torch = frameworks.torch if frameworks else None
    bridge = torch.numpy_bridge if torch else None
    return {"torch"} if bridge is not None and bridge.ran and bridge.correct is not False else set()


def _numpy(numpy: Package | None) -> Evidence:
    return Evidence("numpy", f"NumPy {numpy.version}" if numpy else "NumPy", (numpy.location or "") if numpy else "")
