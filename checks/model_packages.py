"""Models that came with an installed package: who uses them did not make them, and cannot make them otherwise.

So of what to do, what only the maker can do is left out, and what the package itself needs comes first.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from checks.causes import cause_of, remedy_of
from checks.facts import Facts, Package
from checks.finding import Finding, Outcome

FIT_PACKAGE = "fit-package-of-model"


def with_packages(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with other remedies where a model's maker would have to do something."""
    owners = {model.path: model.package for model in facts.models if model.package is not None}
    known = tuple(outcomes)
    return tuple(_fitted(outcome, owners) for outcome in known) if owners else known


def _fitted(outcome: Outcome, owners: dict[str, Package]) -> Outcome:
    if not any(each.values.get("model_path") in owners for each in outcome.findings):
        return outcome
    return msgspec.structs.replace(outcome, findings=tuple(_of_package(each, owners) for each in outcome.findings))


def _of_package(finding: Finding, owners: dict[str, Package]) -> Finding:
    package = owners.get(finding.values.get("model_path", ""))
    remedies = finding.remedies or cause_of(finding.cause).remedies
    left = tuple(each for each in remedies if not remedy_of(each).of_maker)
    if package is None or len(left) == len(remedies):
        return finding
    told = {"owner_name": package.name, "owner_release": f"{package.name}=={package.version}"}
    return msgspec.structs.replace(finding, values={**finding.values, **told}, remedies=(FIT_PACKAGE, *left))
