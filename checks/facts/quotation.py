"""A long line of an error as a finding quotes it: cut between words, and marked where something is left out."""

CLUE_SHOWN = 300  # characters of a line that a finding quotes
_BEFORE = 80  # of these before the wording that is meant
_WORD = 40  # characters that are given up for a whole word


def quotation(line: str, start: int = 0, length: int = 0) -> str:
    """The line, or of a long one the part around the wording of this length at ``start``."""
    line, begin = line.rstrip(), 0
    if start + length > CLUE_SHOWN:
        begin = max(start - _BEFORE, 0)
        space = line.find(" ", begin, min(begin + _WORD, start))
        begin = space + 1 if space >= 0 else begin
    mark = "…" if begin and line[:begin].strip() else ""
    kept = line[begin:].strip()
    room = CLUE_SHOWN - len(mark)
    if len(kept) > room:
        end = kept.rfind(" ", room - _WORD, room)
        kept = f"{kept[: end if end > 0 else room - 1].rstrip()}…"
    return f"{mark}{kept}"
