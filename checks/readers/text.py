"""A log or ticket as text, whatever its size and encoding, in bounded memory.

Kept whole up to WHOLE bytes. Of a longer one: its beginning, its end, and of the middle the lines that speak of errors
or of versions, each wording once, with what follows them; a line in brackets stands for what was left out.
"""

from __future__ import annotations

import codecs
import functools
import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

import re2
from charset_normalizer import from_bytes

PIECE = 1 << 20  # bytes read at a time
WHOLE = 500_000  # bytes up to which a text is kept as it is
# Bytes that are kept of a longer one; together less than WHOLE, so that what was kept once is kept as it is.
HEAD, TAIL, TROUBLES, VERSIONS = 64_000, 160_000, 200_000, 50_000
BLOCK = 4000  # bytes of lines that are searched at once, as most have nothing to find
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
    r"(?im)error|exception|traceback|fail|fatal|panic|cannot|can't|could ?n[o']t|unable|abort|killed|core dumped"
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
    return text_of(iter(lambda: file.read(PIECE), b""))


def text_of(pieces: Iterator[bytes]) -> str:
    """The same of what comes piece by piece.

    Raises:
        NotText: it is no text.
    """
    return decoded(_condensed(_as_lines(_in_bytes(pieces))))


def kept(text: str) -> str:
    """A text that is there already, as much of it as is kept."""
    if len(text) < WHOLE / 4:  # no character has more than four bytes
        return text
    data = text.encode("utf-8", "replace")
    pieces = (data[start : start + PIECE] for start in range(0, len(data), PIECE))
    return _condensed(_as_lines(pieces)).decode("utf-8", "replace")


def whole_characters(text: str) -> str:
    """The same, with the half characters written out that undecodable file names and odd codecs leave in a text."""
    return text.encode("utf-8", "backslashreplace").decode()


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


def _as_lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines, many at a time; one of more than LONGEST bytes is broken."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > 16 * LONGEST:
            *whole, rest = _broken(rest)
            lines += whole
        if lines:
            yield lines if max(map(len, lines)) <= LONGEST else [part for line in lines for part in _broken(line)]
    yield list(_broken(rest))


def _broken(line: bytes) -> Iterator[bytes]:
    while len(line) > LONGEST:
        end = line.rfind(b" ", LONGEST // 2, LONGEST)
        end = LONGEST if end < 0 else end
        while 0x80 <= line[end] < 0xC0 and end > LONGEST // 2:  # not inside a character of UTF-8
            end -= 1
        yield line[:end]
        line = line[end:]
    yield line


def _condensed(lines: Iterator[list[bytes]]) -> bytes:
    whole: list[bytes] = []
    size = 0
    for some in lines:
        whole += some
        size += _size(some)
        if size > WHOLE:
            return b"\n".join(_parts(whole, lines))
    return b"\n".join(whole)


def _size(lines: Sequence[bytes]) -> int:
    return sum(map(len, lines)) + len(lines)


def _parts(read: list[bytes], lines: Iterator[list[bytes]]) -> list[bytes]:
    """Of a long text: the beginning, what matters of the middle, the end."""
    size = index = 0
    while size < HEAD:
        size += len(read[index]) + 1
        index += 1
    middle = _Middle()
    end: deque[tuple[list[bytes], int]] = deque()  # blocks of lines, with their sizes
    end_size = 0
    for some in itertools.chain((read[index:],), lines):
        for block in _blocks(some):
            end.append((block, _size(block)))
            end_size += end[-1][1]
            while end_size - end[0][1] >= TAIL:
                oldest, oldest_size = end.popleft()
                end_size -= oldest_size
                middle.add(oldest)
    last = [line for block, _ in end for line in block]
    first = 0
    while end_size > TAIL:
        end_size -= len(last[first]) + 1
        first += 1
    middle.add(last[:first])
    return [*read[:index], *middle.kept(), *last[first:]]


def _blocks(lines: list[bytes]) -> Iterator[list[bytes]]:
    """The same in lists of about BLOCK bytes, where the lines are of one length."""
    count = max(1, BLOCK * len(lines) // max(_size(lines), 1))
    yield from (lines[start : start + count] for start in range(0, len(lines), count))


class _Middle:
    """The lines between beginning and end that matter, each wording once."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self._seen: set[bytes] = set()
        self._troubles, self._versions = TROUBLES, VERSIONS
        self._following = self._left_out = 0

    def add(self, lines: list[bytes]) -> None:
        """The next lines; where nothing in them can matter, they are not looked at one by one."""
        if self._following == 0 and not self._has_signs(b"\n".join(lines)):
            self._left_out += len(lines)
            return
        for line in lines:
            self._add(line)

    def kept(self) -> list[bytes]:
        """What was kept, with a mark for what was not."""
        self._mark()
        return self._kept

    def _has_signs(self, block: bytes) -> bool:
        return (self._troubles > 0 and _trouble().search(block) is not None) or (
            self._versions > 0 and _version().search(block) is not None
        )

    def _add(self, line: bytes) -> None:
        if self._troubles > 0 and _trouble().search(line) is not None and self._is_new(line):
            self._troubles -= self._keep(line)
            self._following = FOLLOWING
        elif self._following > 0 and self._troubles > 0:
            self._troubles -= self._keep(line)
            self._following -= 1
        elif self._versions > 0 and _version().search(line) is not None and self._is_new(line):
            self._versions -= self._keep(line)
        else:
            self._following = 0 if self._troubles <= 0 else self._following
            self._left_out += 1

    def _keep(self, line: bytes) -> int:
        """Keep a line; the bytes that it takes, with those of the mark before it."""
        size = self._mark() + len(line) + 1
        self._kept.append(line)
        return size

    def _is_new(self, line: bytes) -> bool:
        wording = _NUMBERS.sub(b"0", line[:300])
        if wording in self._seen:
            return False
        self._seen.add(wording)
        return True

    def _mark(self) -> int:
        if not self._left_out:
            return 0
        self._kept.append(b"[... %d ...]" % self._left_out)
        self._left_out = 0
        return len(self._kept[-1]) + 1


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
