"""Text without characters that a terminal obeys, or that hide or turn round what stands beside them.

Whatever is bound for a terminal passes here: names of files, packages and errors come from strangers. It is escape
sequences and other control characters (Cc), formatting such as bidirectional overrides (Cf), halves of surrogate pairs
(Cs) and separators of lines that are no line break (Zl, Zp).
"""

import functools
import re

_BUT_CONTROLS = (
    "\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064"
    "\u2066-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
_IN_LINE = f"[\x00-\x1f{_BUT_CONTROLS}]"
_IN_TEXT = f"[\x00-\x08\x0b-\x1f{_BUT_CONTROLS}]"  # a tab and a line break may stand there
_IN_MARKDOWN = _IN_TEXT.replace("\u200b-\u200f", "\u200c-\u200f")
_compiled = functools.cache(re.compile)  # when something is printed: the first window waits for none of it
_INSTEAD = "\ufffd"


def is_visible(text: str) -> bool:
    """Whether nothing of the kind is in it, line breaks included."""
    return _compiled(_IN_LINE).search(text) is None


def visible(line: str) -> str:
    """One line."""
    return _compiled(_IN_LINE).sub(_INSTEAD, line)


def visible_text(text: str) -> str:
    """Several lines."""
    return _compiled(_IN_TEXT).sub(_INSTEAD, text.replace("\r\n", "\n"))


def visible_markdown(text: str) -> str:
    """Several lines in which a space without width keeps a name from being a reference."""
    return _compiled(_IN_MARKDOWN).sub(_INSTEAD, text.replace("\r\n", "\n"))


def visible_json(encoded: bytes) -> bytes:
    """JSON that means the same, with those characters escaped."""
    return _compiled(_IN_TEXT).sub(_escaped, encoded.decode()).encode()


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
