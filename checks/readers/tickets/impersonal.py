"""The texts of a ticket as they are judged: whose they are is left out, so that a report is judged as its original was.

What a report hides (checks/readers/private/) is one and the same letter here, whether it still stands in a text or a
placeholder stands for it, and every home folder is ``~``. So no letter of a secret or of a name can speak for a cause,
and what was judged by such a text is judged the same again where the report is opened.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from checks.facts import SentFile
from checks.readers.private.hiding import Own, Redaction, learned
from checks.readers.private.homes import own_homes
from checks.readers.tickets.excerpt import LONG, excerpt
from checks.readers.tickets.lines import lines_of

ANYTHING = "x"  # stands for all that is hidden: no word of a text is a single letter, and a path stays a path
_PLACEHOLDER = re.compile(r"<(?:dropped|[a-z]+-\d+)>")
_MOST = 16 << 20  # characters of texts that are remembered
_known: dict[bytes, tuple[str, ...]] = {}


def impersonal(logs: Sequence[SentFile]) -> tuple[str, ...]:
    """The text of each of the logs of one case, with nothing in it of whom it is; of a long one what is worth reading.

    "" for one without a text.
    """
    digest = hashlib.blake2b(digest_size=20)
    for log in logs:
        digest.update((log.text or "").encode("utf-8", "surrogatepass") + b"\0")
    key = digest.digest()
    if key not in _known:
        texts = tuple(_worth_reading(log.text or "") for log in logs)
        redaction = Redaction(learned(texts, "", Own()))
        hidden = tuple(_without_placeholders(redaction.hide(text, "text")) for text in texts)
        if sum(len(text) for kept in (*_known.values(), hidden) for text in kept) > _MOST:
            _known.clear()
        _known[key] = hidden
    return _known[key]


def _worth_reading(text: str) -> str:
    return text if len(text) <= LONG else "\n".join(line.text for line in excerpt(lines_of(text)))


def _without_placeholders(hidden: str) -> str:
    return _PLACEHOLDER.sub(ANYTHING, own_homes(hidden))
