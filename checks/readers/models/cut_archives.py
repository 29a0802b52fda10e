"""Models in a zip archive that was cut off: the format, and the content of its whole members."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from checks.facts import ModelFacts
from checks.knowledge.formats.zip_members import row_of_members
from checks.readers.containers.cut_zip import mended, what_is_left
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.source import Damaged, Source


def cut_archive(source: Source, ask: Callable[[ZipFolder], ModelFacts | None]) -> tuple[ModelFacts | None, ZipFolder]:
    """The model that an archive was, and what is left of it. ``ask``: the readers of archives.

    Raises:
        Damaged: nothing is left.
    """
    left = what_is_left(source)
    if not left.names:
        raise Damaged("archive-damaged", "no members")
    archive = ZipFolder(mended(source, left))
    facts = ask(archive)
    row = row_of_members(left.names)
    if facts is None or (row and facts.format not in row.formats):
        facts = ModelFacts(format=row.formats[0]) if row else None
    if facts is None:
        return None, archive
    if row is None or not row.counts:  # what is left of the weights is not what they are
        needs = msgspec.structs.replace(facts.needs, memory=None)
        facts = msgspec.structs.replace(facts, parameters=None, dtypes=None, needs=needs)
    detail = f"{len(left.whole)} files of the archive are whole"
    problem = "truncated" if left.is_cut else "archive-damaged"
    return msgspec.structs.replace(facts, problem=problem, problem_detail=detail), archive
