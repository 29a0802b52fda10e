"""What the packages need through which a failure passed, and what these need in their turn, from their metadata."""

from __future__ import annotations

import importlib.metadata
import re

from checks.analysis.failures.owners import owner_of_module
from checks.analysis.history.failure import failed_in, module_of
from checks.facts import Facts
from checks.interpreters.packages import normalised

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"\bextra\s*[=!]=")
_MOST = 60
_DEPTH = 2


def needs_of(facts: Facts) -> dict[str, tuple[str, ...]]:
    """Package -> the names of those that it needs; {} where the failure passed through none."""
    failed, target = failed_in(facts), facts.target_interpreter
    if failed is None or target is None:
        return {}
    folders = list(dict.fromkeys(package.location for package in target.packages or () if package.location))
    owners = (owner_of_module(module_of(frame), target) for frame in failed.frames)
    waiting = list(dict.fromkeys(owner.name for owner in owners if owner))
    found: dict[str, tuple[str, ...]] = {}
    for _ in range(_DEPTH):
        following: list[str] = []
        for name in waiting:
            if name not in found and len(found) < _MOST:
                found[name] = _requires(name, folders)
                following += found[name]
        waiting = following
    return found


def _requires(name: str, folders: list[str]) -> tuple[str, ...]:
    try:
        distribution = next(iter(importlib.metadata.distributions(name=name, path=folders)), None)
        lines = (distribution.requires if distribution else None) or []
    except (OSError, ValueError, TypeError):
        return ()
    names = (_NAME.match(line.strip()) for line in lines if not _EXTRA.search(line))
    return tuple(dict.fromkeys(normalised(name[0]) for name in names if name))
