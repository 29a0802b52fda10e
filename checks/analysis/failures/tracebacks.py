"""The text of a traceback as the exceptions that it tells of; for a program from whose inside nothing was heard."""

import re

from checks.facts import Frame, Raised

MOST_LINES = 2000  # of a text, from its end
MESSAGE_LINES = 40

_START = "Traceback (most recent call last):"
_FRAME = re.compile(r'File "([^"]{1,1000})", line (\d{1,9})(?:, in (.{1,200}))?')
_EXCEPTION = re.compile(r"([A-Za-z_][\w.]{0,200})(?:: ?(.*))?")
_LINK = ("The above exception was the direct cause", "During handling of the above exception")
_RANK = re.compile(r"^(?:\[rank\d{1,4}\]: ?|\s*\| ?)")
# As pytest ends each frame: "../env/lib/a.py:319: AttributeError", or with nothing behind the colon.
_PYTEST_PLACE = re.compile(r"(\S.{0,1000}?\.py):(\d{1,9}): ?([A-Za-z_][\w.]{0,200})?")
_PYTEST_ERROR = re.compile(r"E {3,7}([A-Za-z_][\w.]{0,200})(?:: (.*))?")
_MISSING = re.compile(r"^No module named ['\"]([\w.]{1,200})['\"]")


def raised_in(text: str) -> tuple[Raised, ...]:
    """The exceptions of the last traceback of a text and of those that led to it, the first one first."""
    lines = [_RANK.sub("", line) for line in text.splitlines()[-MOST_LINES:]]
    chain: list[Raised] = []
    at, was_linked = 0, False
    while at < len(lines):
        line = lines[at]
        if line.strip().startswith(_START):  # NumPy prints one with its first frame on the same line
            found, at = _one(lines, at)
            if found is not None:
                chain = [*chain, found] if was_linked else [found]
                was_linked = False
            continue
        was_linked = was_linked or line.strip().startswith(_LINK)
        at += 1
    return tuple(chain)


def raised_in_tests(text: str) -> Raised | None:
    """The exception of the last test that failed, as pytest prints it; None where its text has none."""
    found: Raised | None = None
    frames: list[Frame] = []
    code, error = "", None
    for line in text.splitlines()[-MOST_LINES:]:
        if line.startswith(("___", "===")):  # the next test begins
            frames, code, error = [], "", None
        elif line.startswith(">"):
            code, error = line[1:].strip(), None
        elif error is None and line.startswith("E "):
            error = _PYTEST_ERROR.fullmatch(line)
        elif place := _PYTEST_PLACE.fullmatch(line):
            frames.append(Frame(file=place[1], line=int(place[2]), code=code))
            if error is not None and place[3] and error[1].endswith(place[3]):
                found = Raised(type=error[1], message=error[2] or "", frames=tuple(frames))
    return found


def _one(lines: list[str], start: int) -> tuple[Raised | None, int]:
    """The exception whose traceback begins there, and where the text goes on."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    first = _FRAME.search(lines[start])
    frames = [Frame(file=first[1], line=int(first[2]), function=(first[3] or "").strip())] if first else []
    at = start + 1
    while at < len(lines):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        found = _FRAME.search(line)
        if found is not None:
            frames.append(Frame(file=found[1], line=int(found[2]), function=(found[3] or "").strip()))
        elif frames and not frames[-1].code and line.strip():
            frames[-1] = Frame(
                file=frames[-1].file, line=frames[-1].line, function=frames[-1].function, code=line.strip()
            )
        at += 1
    shown = _EXCEPTION.fullmatch(lines[at].strip()) if at < len(lines) else None
    if shown is None:
        return None, max(at, start + 1)
    message = [shown[2] or ""]
    at += 1
    while at < len(lines) and len(message) < MESSAGE_LINES:
        if lines[at].strip().startswith(_START) or lines[at].strip().startswith(_LINK):
            break
        message.append(lines[at])
        at += 1
    words = "\n".join(message).strip("\n")
    missing = _MISSING.match(words) if shown[1] == "ModuleNotFoundError" else None
    return Raised(type=shown[1], message=words, frames=tuple(frames), name=missing[1] if missing else None), at
