"""The text of a page of HTML, in time that grows as its length does.

html.parser looks for the end of each comment, tag or declaration that has none through the whole rest of the page.
"""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*>|<[!?/][^<>]*>")  # none begins within another: it is linear
_BLOCKS = frozenset({"br", "p", "div", "tr", "li", "pre", "blockquote", "h1", "h2", "h3", "h4", "table", "hr"})
_PROGRAMS = frozenset({"script", "style"})  # in which "<" begins nothing
_UNSEEN = frozenset({"head", "title"})
_COMMENT, _COMMENT_ENDS = "<!--", "-->"
_BLANK_LINES = re.compile(r"\n\s*\n+")


def text_of_page(page: str, *, blank: str = "\n\n") -> str:
    """What a reader sees of a page, line by line. ``blank``: what stands for one or more empty lines."""
    return _BLANK_LINES.sub(blank, "".join(_seen(without_comments(page)))).strip()


def without_comments(page: str) -> str:
    """A page, or a text in Markdown, without what is between "<!--" and "-->"; one that does not end stays."""
    kept: list[str] = []
    at = 0
    while (begin := page.find(_COMMENT, at)) >= 0 and (end := page.find(_COMMENT_ENDS, begin)) >= 0:
        kept.append(page[at:begin])
        at = end + len(_COMMENT_ENDS)
    return "".join((*kept, page[at:]))


def _seen(page: str) -> Iterator[str]:
    lowered = page.lower() if len(page.lower()) == len(page) else page  # a few letters have two small ones
    at = unseen = 0
    while tag := _TAG.search(page, at):
        if not unseen:
            yield _unescaped(page[at : tag.start()])
        at, name = tag.end(), (tag[2] or "").lower()
        if name in _PROGRAMS and not tag[1]:
            end = lowered.find(f"</{name}", at)
            at = len(page) if end < 0 else end
        elif name in _UNSEEN:
            unseen = max(0, unseen - 1) if tag[1] else unseen + 1
        elif name in _BLOCKS and not unseen:
            yield "\n"
    if not unseen:
        yield _unescaped(page[at:])


def _unescaped(text: str) -> str:
    with contextlib.suppress(ValueError):  # a number of more digits than Python reads
        return html.unescape(text)
    return text
