"""Python tracebacks, wherever they stand in a text: what was raised, by which package, and what it came from.

Read are the interpreter's own (with and without their header, with the marks of Python 3.11 and exception groups),
IPython's of all ages, pytest's short ones and those in rich's boxes; and lines that name an exception alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from checks.readers.tickets.lines import Line

MOST = 50  # exceptions of one text
MOST_FRAMES = 40  # of one traceback; the innermost are kept
MESSAGE_LINES = 12
MESSAGE_LENGTH = 2000  # characters

_HEADER = "Traceback (most recent call last"
_CHAINS = ("During handling of the above exception", "The above exception was the direct cause")
_FRAME = re.compile(
    r"\s{0,40}File \"(?P<path>[^\"\n]{1,400})\", line (?P<line>\d{1,7})(?:, in (?P<function>[^\n]{1,160}))?"
)
_CUT_FRAME = re.compile(
    r"\s{0,20}\S{0,80}\.py\", line \d{1,7}, in (?P<function>[^\n]{1,160})$"
)  # its beginning was not pasted
# File ~/lib/python3.10/site-packages/torch/cuda/__init__.py:239, in _lazy_init()    (IPython 8)
_IPYTHON = re.compile(
    r"\s{0,8}File (?P<path>(?:[A-Za-z]:)?[^\s:\"][^:\"\n]{0,400}):(?P<line>\d{1,7}),? in (?P<function>[^\n]{1,400})"
)
# /usr/lib/python3.11/site-packages/numpy/_pickle.py in <module>    (IPython 7 and before)
_IPYTHON_OLD = re.compile(
    r"(?P<path>(?:[A-Za-z]:|~)?[^\s:\"'|]{1,400}(?:\.pyx?|>)) in (?P<function>[\w<>.]{1,80}[^\n]{0,300})$"
)
_CELL = re.compile(
    r"\s{0,8}(?:Cell In|Input In|In) ?\[\d{1,5}\],? (?:line (?P<line>\d{1,7})|in (?P<function>[^\n]{1,160}))"
)
_ARROW = re.compile(r"-{2,6}> ?(?P<line>\d{1,7}) (?P<code>.{0,300})")
# /usr/lib/python3.11/site-packages/x/__init__.py:3: in <module>    (pytest, rich)
_SHORT = re.compile(
    r"[\s│]{0,8}(?P<path>(?:[A-Za-z]:)?[^\s:\"'|]{1,400}\.pyx?):(?P<line>\d{1,7}):? in (?P<function>[\w<>.]{1,160})"
)
_RICH_ARROW = re.compile(r"[\s│]{0,8}❱\s{0,6}(?P<line>\d{1,7}) (?P<code>.{0,300})")
_NAME = r"(?:[A-Za-z_]\w{0,80}\.){0,12}_?[A-Z]\w{0,80}"
# Right behind the frames everything that looks like the name of a class is the exception.
_RAISED = re.compile(rf"(?P<type>{_NAME})(?::\s?(?P<message>.{{0,3900}}))?$")
# Elsewhere only what ends as exceptions do, or is known to be one.
_SUFFIX = r"(?:Error|Exception|Interrupt|Exit|Iteration|Timeout|Failure|Failed|Warning)"
_ALONE = re.compile(
    rf"(?:^|[\]\-|:]\s{{1,4}}|\bERROR:?\s{{1,4}})(?P<type>(?:[A-Za-z_]\w{{0,80}}\.){{0,12}}[A-Z]\w{{1,80}}{_SUFFIX}|"
    r"(?:onnxruntime\.[\w.]{1,80}\.)?(?:Fail|InvalidArgument|InvalidGraph|InvalidProtobuf|NotImplemented|NoSuchFile|RuntimeException|EPFail|NoModel))"
    r":\s(?P<message>\S.{0,3900})$"
)
_CALL = re.compile(
    r"^(?P<type>[A-Z]\w{1,60}(?:Error|Exception))\([\"'](?P<message>.{1,3000}?)[\"'],?\)\s*$"
)  # its repr
_MARKS = re.compile(r"[\s~^│]{3,}$")
_GROUP = re.compile(r"^\s{0,24}(?:\|\s?|\+-[+-]-{8,60}(?: \d{1,4} -{8,60})?|\+-{8,60}$|\+ (?=Exception Group))")
_INSTALLED = re.compile(r"(?:site|dist)-packages[\\/](?:[^\\/\n]{1,120}\.egg[\\/])?(?P<package>[^\\/\n.]{1,80})")
_STANDARD = re.compile(
    r"(?:[\\/]lib(?:64)?[\\/]python\d\.\d{1,2}|[\\/]Python\d{2,3}[\\/][Ll]ib|[\\/](?:mini|ana)conda\d?[\\/][Ll]ib|[\\/]envs[\\/][^\\/]{1,60}[\\/][Ll]ib)[\\/](?!python\d|site-|dist-)(?P<package>[^\\/\n.]{1,80})"
)
_FROZEN = re.compile(r"<frozen (?P<package>[\w]{1,40})")


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call of a traceback; ``text`` is its line of code, "" where it was not printed."""

    path: str
    function: str = ""
    text: str = ""
    line: int | None = None


class Raised(msgspec.Struct, frozen=True, omit_defaults=True):
    """An exception that was raised.

    ``package``: the top-level package of the innermost frame, where that lies among the installed ones or in the
    standard library; "" for a file of the user, and where no frame was printed. ``first``: its place in a chain, 0 for
    the exception that it began with ("During handling of the above exception ...").
    """

    type: str
    message: str
    line: int
    frames: tuple[Frame, ...] = ()
    package: str = ""
    first: int = 0

    @property
    def name(self) -> str:
        """The class without its module: "OutOfMemoryError"."""
        return self.type.rpartition(".")[2]


def read_tracebacks(lines: Sequence[Line]) -> tuple[Raised, ...]:
    """The exceptions in the order of the text."""
    reader = _Reader(lines)
    return tuple(reader.read())


class _Reader:
    """Walks the lines once. ``frames`` are those of the traceback that is being read."""

    def __init__(self, lines: Sequence[Line]) -> None:
        is_group = any("Exception Group" in line.text for line in lines)
        self.lines = [Line(line.number, _GROUP.sub("", line.text)) for line in lines] if is_group else lines
        self.frames: list[Frame] = []
        self.first = 0
        self.in_block = False  # behind a header or a frame, so that the exception's line is to come
        self.is_chained = False

    def read(self) -> Iterator[Raised]:
        count = 0
        index = 0
        while index < len(self.lines) and count < MOST:
            taken = self._step(self.lines[index].text, index)
            if isinstance(taken, Raised):
                yield taken
                count += 1
                index += max(1, min(taken.message.count("\n") + 1, MESSAGE_LINES))
                continue
            index += taken

    def _step(self, text: str, index: int) -> Raised | int:
        """Read one line; the exception that it names, or how many lines were taken."""
        if _HEADER in text or "Traceback (most recent" in text:
            self._begin()
            return 1
        if text.startswith(_CHAINS) or any(chain in text for chain in _CHAINS):
            self.is_chained = True
            return 1
        if "File " in text or ".py" in text or "[" in text or ">" in text or "❱" in text:
            taken = self._frame(text, index)
            if taken:
                return taken
        if self.in_block and text[:1].isspace():
            self._code(text)
            return 1
        found = (_RAISED.match(text) if self.in_block and text else None) or (
            _ALONE.search(text) if ": " in text else _CALL.match(text) if text.endswith(")") else None
        )
        if found is None or (found["type"].endswith("Warning") and not self.in_block):
            return 1
        if self.in_block and found.re is _RAISED and not _is_exception(found["type"], found["message"]):
            return 1
        return self._raised(found, index)

    def _begin(self) -> None:
        self.frames = []
        self.in_block = True
        self.first = self.first + 1 if self.is_chained else 0
        self.is_chained = False

    def _frame(self, text: str, index: int) -> int:
        """A frame's line: how many lines it took, 0 where it is none."""
        for pattern in (_FRAME, _IPYTHON, _SHORT, _CELL, _IPYTHON_OLD, _CUT_FRAME):
            found = pattern.match(text)
            if found is not None:
                groups = found.groupdict()
                number = groups.get("line")
                function = (groups.get("function") or "").strip()
                path = groups.get("path") or ("<cell>" if pattern is _CELL else "")
                self._add(Frame(path, function, line=int(number) if number else None))
                return 1
        if 'File "' in text and text.count('"') == 1 and index + 1 < len(self.lines):  # wrapped within the path
            joined = _FRAME.match(text + self.lines[index + 1].text.lstrip())
            if joined is not None:
                self._add(Frame(joined["path"], (joined["function"] or "").strip(), line=int(joined["line"])))
                return 2
        for pattern in (_ARROW, _RICH_ARROW):
            arrow = pattern.match(text)
            if arrow is not None:
                self._code(arrow["code"], is_arrow=True)
                self.in_block = True
                return 1
        return 0

    def _add(self, frame: Frame) -> None:
        if not self.in_block:
            self._begin()
        self.frames.append(frame)
        if len(self.frames) > 2 * MOST_FRAMES:
            del self.frames[:MOST_FRAMES]

    def _code(self, text: str, *, is_arrow: bool = False) -> None:
        """The line of code below a frame; the first is kept, an arrow marks the right one."""
        code = text.strip(" \t│")
        if self.frames and code and not _MARKS.fullmatch(text) and (is_arrow or not self.frames[-1].text):
            if not is_arrow and re.match(r"\d{1,6}(?:\s|$)", code):  # IPython numbers the lines around
                return
            self.frames[-1] = msgspec.structs.replace(self.frames[-1], text=code[:300])

    def _raised(self, found: re.Match[str], index: int) -> Raised:
        message = [(found["message"] or "").strip()]
        if found.re is not _CALL:
            message += self._more(index + 1, wanted=not message[0])
        frames = tuple(self.frames[-MOST_FRAMES:])
        raised = Raised(
            type=found["type"],
            message="\n".join(message)[:MESSAGE_LENGTH].rstrip(),
            line=self.lines[index].number,
            frames=frames,
            package=package_of_path(frames[-1].path) if frames else "",
            first=self.first if frames or self.in_block else 0,
        )
        self.frames, self.in_block = [], False
        return raised

    def _more(self, start: int, *, wanted: bool) -> Iterator[str]:
        """The lines that go on with a message: up to an empty line, or what begins something else."""
        for line in self.lines[start : start + MESSAGE_LINES - 1]:
            text = line.text
            if not text.strip():
                if wanted:  # "AssertionError: " and then the message
                    wanted = False
                    continue
                return
            is_else = text.startswith(
                ("```", "Traceback", "During handling", "The above exception", "$ ", ">>> ", "###")
            )
            if is_else or _FRAME.match(text) or _ALONE.search(text):
                return
            wanted = False
            yield text


def _is_exception(name: str, message: str | None) -> bool:
    """Whether a line behind frames that looks like a class is an exception: a word of prose has no colon behind it."""
    return message is not None or bool(re.search(_SUFFIX + "$", name)) or "." in name


def package_of_path(path: str) -> str:
    """The top-level package of an installed or standard file; "" for a file of the user."""
    installed = list(_INSTALLED.finditer(path))
    found = installed[-1] if installed else _STANDARD.search(path) or _FROZEN.search(path)
    return found["package"] if found else ""
