"""Sizes of memory as programs write them: "1.61 GiB", "107,374,182,400 bytes"."""

import re

_SIZE = re.compile(r"([\d.,]{1,40}) ?(?:([KMGTPE])(?:i?B)?|(?:bytes|B))?$", re.ASCII)
_POWERS = {letter: 1024 ** (place + 1) for place, letter in enumerate("KMGTPE")}


def size_of(text: str) -> int | None:
    """Bytes of "1.61 GiB", "268435456 bytes" or "107,374,182,400"; None: no size."""
    found = _SIZE.match(text.strip())
    if found is None or found[1].count(".") > 1:
        return None
    return int(float(found[1].replace(",", "").strip(".") or 0) * _POWERS.get(found[2] or "", 1))
