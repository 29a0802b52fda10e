"""What the local version of a compiled extension tells about the PyTorch that it was built for."""

import re
from dataclasses import dataclass

from checks.knowledge import Row, Table


class Notation(Row):
    """One way to write torch's release. ``pattern`` has the groups ``major`` and ``minor``."""

    example: str
    pattern: str
    source: str


class ExtensionTags(Table):
    cuda: str
    abi: str
    notation: tuple[Notation, ...]


@dataclass(frozen=True)
class BuiltFor:
    """What an extension was compiled for; None where its tag does not say."""

    tag: str
    torch: str  # "2.4"
    cuda_major: int | None
    cxx11_abi: bool | None
    source: str


def built_for(version: str) -> BuiltFor | None:
    """Read the local part of a version ("2.8.3+cu12torch2.4cxx11abiFALSE"); None where it does not speak of torch."""
    tag = version.partition("+")[2]
    table = ExtensionTags.read()
    for notation in table.notation:
        torch = re.search(notation.pattern, tag)
        if torch is not None:
            cuda, abi = re.search(table.cuda, tag), re.search(table.abi, tag)
            return BuiltFor(
                tag=tag,
                torch=f"{torch['major']}.{torch['minor']}",
                cuda_major=int(cuda["major"]) if cuda else None,
                cxx11_abi=abi["abi"].lower() == "true" if abi else None,
                source=notation.source,
            )
    return None
