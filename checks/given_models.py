"""Which of the given models a check is about: without one there is nothing to check, and nothing is found fine."""

from __future__ import annotations

from collections.abc import Iterable

from checks.facts import ModelFacts
from checks.finding import NotHere


def some(models: Iterable[ModelFacts], kind: str) -> tuple[ModelFacts, ...]:
    """The models of a kind, of which at least one was given. ``kind``: its label, an id of fields.toml.

    Raises:
        NotHere: none was given.
    """
    found = tuple(models)
    if not found:
        raise NotHere(kind, "none-given")
    return found
