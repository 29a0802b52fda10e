"""Mutated cases, PDFs and models: answered without an exception, in bounds. Many more: tests/tools/mutate.py."""

from pathlib import Path

import pytest

from tests.support.mutations import KINDS, run

pytestmark = pytest.mark.usefixtures("qapp")

COUNT = {"case": 60, "pdf": 150, "model": 400}


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutation_breaks_nothing(tmp_path: Path, kind: str) -> None:
    tally = run(kind, range(COUNT[kind]), tmp_path)
    assert not tally.faults
    assert tally.count == COUNT[kind]
