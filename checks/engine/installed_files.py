"""The files of the target's packages: by size at first, by content for those that take part in a failure."""

from __future__ import annotations

import msgspec

from checks.analysis.packages.taking_part import Part, part_of
from checks.engine.request import Request
from checks.facts import Facts, InstalledFiles, InterpreterFacts
from checks.facts.question import Effort
from checks.interpreters.installed import merged_content, read_installed

_MOST_BY_CONTENT = 8  # packages of a failing path


def installed_of(target: InterpreterFacts | None, request: Request) -> InstalledFiles | None:
    """Compare all files of the target with what was installed; None where there is no target."""
    if target is None or target.problem not in (None, "base-missing"):
        return None
    return read_installed(target, thorough=request.answers.effort == Effort.THOROUGH)


def with_content_compared(facts: Facts, request: Request) -> Facts:
    """The facts, with the content of those packages compared that take part in what was seen to fail.

    A file of another release may have the same size. Those whose size differs already are looked at as well.
    """
    target, installed = facts.target_interpreter, facts.installed
    if target is None or installed is None or request.answers.effort == Effort.THOROUGH:
        return facts
    names = {
        package.name
        for package in target.packages or ()
        if part_of((package.name.replace("-", "_"), *_modules(package.name)), facts) is Part.IN_FAILURE
    }
    names |= {package.name for package in installed.packages if part_of(package.modules, facts) is Part.IN_FAILURE}
    if not names or len(names) > _MOST_BY_CONTENT:
        return facts
    again = read_installed(target, by_content=names)
    return msgspec.structs.replace(facts, installed=merged_content(installed, again))


def _modules(name: str) -> tuple[str, ...]:
    from checks.knowledge.packages.import_packages import modules_of_distribution

    return modules_of_distribution(name)
