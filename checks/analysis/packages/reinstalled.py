"""What a remedy needs to know that installs the same release of a package again."""

from __future__ import annotations

from checks.facts import InstalledPackage
from checks.facts.phrase import Value

_MOST = 3  # modules that the check afterwards imports


def reinstalling(package: InstalledPackage) -> dict[str, Value]:
    """The values: which package, and what to import to see that it worked."""
    names = package.gone or package.modules or (package.name.replace("-", "_"),)
    return {"package_name": package.name, "import_names": ", ".join(names[:_MOST])}
