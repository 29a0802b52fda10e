"""Models that came with an installed package: who uses them did not make them, and cannot make them otherwise.

So of what to do, what only the maker can do is left out, and what the package itself needs comes first.
"""

from collections.abc import Iterable, Mapping

import msgspec
from packaging.utils import canonicalize_name
from packaging.version import Version

from checks.facts import Facts, Package
from checks.facts.finding import Finding, Outcome
from checks.knowledge.catalogue import cause_of, remedy_of

FIT_PACKAGE = "fit-package-of-model"


def with_packages(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with other remedies where a model's maker would have to do something."""
    owners = {model.path: seen for model in facts.models if model.package and (seen := _told(model.package))}
    known = tuple(outcomes)
    return tuple(_fitted(outcome, owners) for outcome in known) if owners else known


def _told(package: Package) -> dict[str, str]:
    """What remedies tell of a package; nothing of what pip would take for an address or an option."""
    try:
        name = canonicalize_name(package.name, validate=True)
        return {"owner_name": name, "owner_release": f"{name}=={Version(package.version)}"}
    except ValueError:  # no name, no version, or a number longer than Python converts
        return {}


def _fitted(outcome: Outcome, owners: Mapping[str, Mapping[str, str]]) -> Outcome:
    if not any(finding.named("model_path") in owners for finding in outcome.findings):
        return outcome
    return msgspec.structs.replace(
        outcome, findings=tuple(_of_package(finding, owners) for finding in outcome.findings)
    )


def _of_package(finding: Finding, owners: Mapping[str, Mapping[str, str]]) -> Finding:
    owner = owners.get(finding.named("model_path"))
    remedies = finding.remedies or cause_of(finding.cause).remedies
    left = tuple(remedy for remedy in remedies if not remedy_of(remedy).of_maker)
    if owner is None or len(left) == len(remedies):
        return finding
    return msgspec.structs.replace(finding, values={**finding.values, **owner}, remedies=(FIT_PACKAGE, *left))
