"""What could be read of a damaged file is told all the same."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from checks.readers.containers.source import Damaged


@dataclass
class Partly:
    """Takes in the damage of each part that is read; the first is the file's problem."""

    problem: Damaged | None = None

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        """One part of a file."""
        try:
            yield
        except Damaged as problem:
            self.problem = self.problem or problem

    @property
    def reason(self) -> str | None:
        """As ModelFacts.problem."""
        return self.problem.reason if self.problem else None

    @property
    def detail(self) -> str:
        """As ModelFacts.problem_detail."""
        return self.problem.detail if self.problem else ""
