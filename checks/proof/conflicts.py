"""Which requirements of an environment's packages are not met, from their metadata, as ``pip check`` tells them."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator, Mapping

from packaging.markers import default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from checks.facts import InterpreterFacts


def unmet(interpreter: InterpreterFacts, changed: Mapping[str, str | None] = {}) -> frozenset[str]:
    """One line for each; what cannot be read is left out.

    ``changed``: releases that would be there instead (None: that would be gone), whose own requirements are not asked.
    """
    packages = interpreter.packages or ()
    there = {package.name: package.version for package in packages}
    versions = {name: version for name, version in {**there, **changed}.items() if version is not None}
    version = interpreter.version or ""
    environment = {
        **{name: str(value) for name, value in default_environment().items()},
        "python_full_version": version,
        "python_version": ".".join(version.split(".")[:2]),
        "extra": "",
    }
    folders = list(dict.fromkeys(package.location for package in packages if package.location))
    return frozenset(_lines(folders, versions, environment, set(changed)))


def _lines(
    folders: list[str], versions: Mapping[str, str], environment: dict[str, str], told: set[str]
) -> Iterator[str]:
    for distribution in importlib.metadata.distributions(path=folders):
        name = distribution.metadata["Name"] or ""
        if not name or canonicalize_name(name) in told:  # one that stands in front hides the other
            continue
        told.add(canonicalize_name(name))
        for line in distribution.requires or ():
            try:
                wanted = Requirement(line)
                if wanted.marker is not None and not wanted.marker.evaluate(environment):
                    continue
                installed = versions.get(re.sub(r"[-_.]+", "-", wanted.name).lower())
                is_met = installed is not None and wanted.specifier.contains(installed, prereleases=True)
            except (InvalidRequirement, InvalidVersion, ValueError, KeyError):
                continue
            if not is_met:
                yield f"{name} {distribution.version}: {wanted.name}{wanted.specifier} ({installed or '–'})"
