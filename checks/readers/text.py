"""A log or ticket as text, whatever its size and encoding, in bounded memory.

Kept whole up to WHOLE bytes. Of a longer one: its beginning, its end, and of the middle the lines that speak of errors
or of versions, each wording once, with what follows them; a line in brackets stands for what was left out.
"""

from __future__ import annotations

import codecs
import functools
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import re2
from charset_normalizer import from_bytes

PIECE = 1 << 20  # bytes read at a time
WHOLE = 400_000  # bytes up to which a text is kept as it is
HEAD, TAIL, TROUBLES, VERSIONS = 64_000, 160_000, 200_000, 60_000  # bytes that are kept of a longer one
FOLLOWING = 4  # lines kept after one that speaks of an error
LONGEST = 4000  # bytes after which a line is broken: a log can come as one line
BINARY = 0.05  # share of control characters from which on it is no text

# Windows of one country each, beside UTF-8: what PowerShell, cmd and old logs write.
ENCODINGS = ["cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1252", "cp1251"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_TROUBLE = (
    r"(?i)error|exception|traceback|fail|fatal|panic|cannot|can't|could ?n[o']t|unable|abort|killed|core dumped"
    r"|segfault|sigsegv|sigill|illegal|denied|undefined|unsupported|mismatch|incompatib|corrupt|invalid|missing|too old"
    r"|not (?:found|support|compat|avail|implement|initial|permit)|out of memory|\boom\b|\bxid\b|nvrm|assert|\bnan\b"
    r"|no kernel|warn|no such|^\s+file \"|エラー|失敗|ありません|できません|错误|失败|找不到|无法"
)
_VERSION = (
    r"(?i)version|\+cu\d|==\d|driver|nvidia|geforce|tesla|quadro|rtx|gtx|radeon|compute capab|cuda|cudnn|python 3"
    r"|win(?:dows)? ?1[01]|ubuntu"
)
_NUMBERS = re.compile(rb"0x[0-9a-fA-F]+|\d+")


class NotText(ValueError):  # noqa: N818 - named for what it is
    """The bytes are no text: a picture, an archive, a model."""


def read_text(file: BinaryIO) -> str:
    """The text of an open file or pipe, as much of it as is kept.

    Raises:
        OSError: it cannot be read.
        NotText: it is no text.
    """
    return decoded(_condensed(_as_lines(_in_bytes(iter(lambda: file.read(PIECE), b"")))))


def kept(text: str) -> str:
    """A text that is there already, as much of it as is kept."""
    if len(text) < WHOLE / 4:  # no character has more than four bytes
        return text
    data = text.encode("utf-8", "replace")
    pieces = (data[start : start + PIECE] for start in range(0, len(data), PIECE))
    return _condensed(_as_lines(pieces)).decode("utf-8", "replace")


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-8, or what charset-normalizer takes the first foreign characters for.

    Raises:
        NotText: more than BINARY of it are control characters.
    """
    if len(_CONTROL.findall(data[:WHOLE])) > BINARY * max(len(data[:WHOLE]), 1):
        raise NotText
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A cut character at the end, or a single bad byte in UTF-8, must not turn the whole text into another script.
        sample = data[max(0, error.start - 2000) : error.start + 20_000]
        if len(sample.decode("utf-8", "ignore").encode()) > 0.98 * len(sample) and len(sample) > 1000:
            return data.decode("utf-8", "replace")
        guess = from_bytes(sample, cp_isolation=ENCODINGS).best()
        return data.decode(guess.encoding if guess is not None else "utf-8", "replace")


def _in_bytes(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same in an encoding that has ASCII in it: UTF-16 and UTF-32 become UTF-8."""
    head = next(pieces, b"")
    name = _wide(head)
    if name is None:
        yield head
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(name)("replace")
    yield decoder.decode(head).encode("utf-8", "replace")
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _wide(head: bytes) -> str | None:
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    sample = head[:4000]
    # PowerShell writes UTF-16; a cut piece of it has no mark, but every second byte of its ASCII is zero.
    for name, zeros, letters in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        if len(zeros) >= 8 and zeros.count(0) > 0.5 * len(zeros) and letters.count(0) < 0.05 * len(letters):
            return name
    return None


def _as_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield from (line,) if len(line) <= LONGEST else _broken(line)
        if len(rest) > 16 * LONGEST:
            *whole, rest = _broken(rest)
            yield from whole
    yield from _broken(rest)


def _broken(line: bytes) -> Iterator[bytes]:
    while len(line) > LONGEST:
        end = line.rfind(b" ", LONGEST // 2, LONGEST)
        end = LONGEST if end < 0 else end
        while 0x80 <= line[end] < 0xC0 and end > LONGEST // 2:  # not inside a character of UTF-8
            end -= 1
        yield line[:end]
        line = line[end:]
    yield line


def _condensed(lines: Iterator[bytes]) -> bytes:
    whole: list[bytes] = []
    size = 0
    for line in lines:
        whole.append(line)
        size += len(line) + 1
        if size > WHOLE:
            return b"\n".join(_parts(whole, lines))
    return b"\n".join(whole)


def _parts(read: list[bytes], lines: Iterator[bytes]) -> list[bytes]:
    """Of a long text: the beginning, what matters of the middle, the end."""
    kept_lines: list[bytes] = []
    size = index = 0
    while size < HEAD:
        kept_lines.append(read[index])
        size += len(read[index]) + 1
        index += 1
    middle = _Middle()
    end: deque[bytes] = deque()
    end_size = 0
    for source in (iter(read[index:]), lines):
        for line in source:
            end.append(line)
            end_size += len(line) + 1
            while end_size > TAIL:
                oldest = end.popleft()
                end_size -= len(oldest) + 1
                middle.add(oldest)
    return [*kept_lines, *middle.kept(), *end]


class _Middle:
    """The lines between beginning and end that matter, each wording once."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self._seen: set[bytes] = set()
        self._troubles, self._versions = TROUBLES, VERSIONS
        self._following = self._left_out = 0

    def add(self, line: bytes) -> None:
        if self._troubles > 0 and _trouble().search(line) is not None and self._is_new(line):
            self._troubles -= len(line) + 1
            self._following = FOLLOWING
        elif self._following > 0 and self._troubles > 0:
            self._troubles -= len(line) + 1
            self._following -= 1
        elif self._versions > 0 and _version().search(line) is not None and self._is_new(line):
            self._versions -= len(line) + 1
        else:
            self._left_out += 1
            return
        self._tell()
        self._kept.append(line)

    def kept(self) -> list[bytes]:
        self._tell()
        return self._kept

    def _is_new(self, line: bytes) -> bool:
        wording = _NUMBERS.sub(b"0", line[:300])
        if wording in self._seen:
            return False
        self._seen.add(wording)
        return True

    def _tell(self) -> None:
        if self._left_out:
            self._kept.append(b"[... %d ...]" % self._left_out)
            self._left_out = 0


@functools.cache
def _trouble() -> Any:
    return _compiled(_TROUBLE)


@functools.cache
def _version() -> Any:
    return _compiled(_VERSION)


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.never_capture = True
    return re2.compile(pattern, options)
