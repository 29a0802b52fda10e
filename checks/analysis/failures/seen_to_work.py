"""What was seen to load, and is not accused for what its metadata say."""

from checks.facts import Frameworks, ProgramRuns
from checks.knowledge.packages.ai_packages import AiPackages


def imported_packages(frameworks: Frameworks | None, runs: ProgramRuns | None) -> frozenset[str]:
    """The distributions (normalised names) whose import worked before our eyes."""
    loaded = {name for name, facts in frameworks.each() if facts.imported} if frameworks else set()
    of_frameworks = {package for row in AiPackages.read().framework if row.name in loaded for package in row.packages}
    return frozenset(of_frameworks | {run.package for run in (runs.runs if runs else ()) if run.package and run.worked})
