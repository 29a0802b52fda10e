"""What the pages say beside their looks: headings, paragraphs, lists, tables, figures, in reading order. No Qt.

A part is an element of the PDF's structure (ISO 32000-1, 14.7 and 14.8). While a page is drawn, what begins a part
leaves a mark in the content, and :mod:`wizard.report.pdf.tags` puts the operators there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_TAGGED = b"EMC\n/%s <</MCID %d>> BDC\n"
_DECORATION = b"EMC\n/Artifact <</Type/Pagination>> BDC\n"


class Content(NamedTuple):
    """A piece of a page that belongs to a part. ``page`` counts from 0, ``number`` within the page."""

    page: int
    number: int


class LinkPlace(NamedTuple):
    """Where a link can be clicked. ``number``: of all links of the file, from 0."""

    number: int


@dataclass(eq=False)
class Part:
    """An element: "P", "H2", "Table" ... It joins the structure when the first of its content is drawn.

    ``within``: what it belongs to; None: the document. ``alt``: what it shows, for those who cannot see it.
    ``attributes``: of its owner, as they are written in the file.
    """

    kind: str
    within: Part | None = None
    alt: str = ""
    attributes: str = ""
    kids: list[Part | Content | LinkPlace] = field(default_factory=list, init=False, repr=False)
    _named: dict[str, Part] = field(default_factory=dict, init=False, repr=False)

    def child(self, kind: str) -> Part:
        """The one part of this kind in it."""
        return self._named.setdefault(kind, Part(kind, self))

    @property
    def is_figure(self) -> bool:
        """Whether its lines and fills are content, and no decoration."""
        return self.kind == "Figure"


class Structure:
    """The parts of a document, and for each page what stands where a mark was drawn."""

    def __init__(self) -> None:
        self.document = Part("Document")
        self.operators: list[list[bytes]] = []
        self.owners: list[list[Part]] = []  # for each page the part of each piece of content
        self.links: list[Part] = []
        self._joined = {self.document}
        self._level = 0
        self._open: Part | None = None

    def begin_page(self) -> None:
        """A new page, on which decoration comes first."""
        self.operators.append([_DECORATION.removeprefix(b"EMC\n")])
        self.owners.append([])
        self._open = None

    def begin(self, part: Part | None) -> bool:
        """What is drawn next belongs to this part, None: it is decoration. Whether that is a change to be marked."""
        if part is self._open:
            return False
        self._open = part
        if part is None:
            self.operators[-1].append(_DECORATION)
            return True
        self.join(part)
        content = Content(len(self.owners) - 1, len(self.owners[-1]))
        part.kids.append(content)
        self.owners[-1].append(part)
        self.operators[-1].append(_TAGGED % (part.kind.encode(), content.number))
        return True

    def link(self, part: Part) -> None:
        """Another place that can be clicked."""
        self.join(part)
        part.kids.append(LinkPlace(len(self.links)))
        self.links.append(part)

    def join(self, part: Part) -> None:
        """Put a part behind those that are there. A heading goes no more than one level deeper than the last."""
        if part in self._joined:
            return
        self._joined.add(part)
        within = part.within or self.document
        self.join(within)
        if part.kind[0] == "H" and part.kind[1:].isdigit():
            self._level = min(int(part.kind[1:]), self._level + 1)
            part.kind = f"H{self._level}"
        within.kids.append(part)

    def __iter__(self) -> Iterator[Part]:
        """All parts in reading order, each before those in it."""
        waiting = [self.document]
        while waiting:
            part = waiting.pop()
            yield part
            waiting += [kid for kid in reversed(part.kids) if isinstance(kid, Part)]
