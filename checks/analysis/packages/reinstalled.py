"""What a remedy needs to know that installs the same release of a package again."""

from __future__ import annotations

from checks.analysis.packages.taking_part import failed_run_with
from checks.facts import Facts, InstalledPackage
from checks.facts.phrase import Value

_MOST = 3  # modules that the check afterwards imports


def reinstalling(package: InstalledPackage, facts: Facts | None = None) -> dict[str, Value]:
    """The values: which package, what to import to see that it worked, and which failed run it takes part in."""
    run = failed_run_with(package.modules, facts) if facts is not None else {}
    names = package.gone or package.modules or (package.name.replace("-", "_"),)
    return {"package_name": package.name, "import_names": ", ".join(names[:_MOST]), **run}
