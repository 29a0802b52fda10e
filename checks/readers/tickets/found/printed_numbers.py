"""Numbers and arrays as NumPy, PyTorch, TensorFlow and JAX print them, with what their digits leave open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A result, not a version, a time, an index or a size: with a point or an exponent, and nothing of a word around it.
NUMBER = (
    r"(?<![A-Za-z0-9_.:/^-])-?(?:\d{1,15}\.(?:\d{1,20}|(?=\s?[,\])]))|\.\d{1,20}|\d{1,3}(?=[eE]))(?:[eE][-+]?\d{1,3})?"
    r"(?![A-Za-z0-9_:/]|\.\d)"
)
_NUMBER = re.compile(NUMBER)
_ELEMENT = re.compile(r"-?(?:\d{1,15}\.?\d{0,20}|\.\d{1,20})(?:[eE][-+]?\d{1,3})?")
# What stands in a list of numbers alone: a time in brackets is none.
_LIST = re.compile(r"[-\d\s.,eE+\[\]naif…]*")
_NO_NUMBER = re.compile(r"\b(?:nan|inf)\b", re.IGNORECASE)
# What is printed begins with its kind; "torch.tensor(" and "np.array(" are code that somebody wrote.
_ARRAY = re.compile(
    r"(?<![\w.])(?:tensor|array|Array|DeviceArray|tf\.Tensor|Tensor)\(\s*(?=[\[\-\d.])|(?<![\w\])(])(?=\[)"
)
_DTYPE = re.compile(r"dtype=(?:torch\.|np\.|numpy\.|<dtype: ')?(float64|float32|float16|bfloat16|double|half)\b")
_SHORT_NAMES = {"double": "float64", "half": "float16"}
_LONGEST = 8_000  # characters of one printed array
_MOST = 300  # places of one text at which an array may begin
_DEVICE = re.compile(r"device='(\w+)")


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed. ``doubt``: half a unit of its last digit; 0 of a whole number: "5.", "5.0"."""

    text: str
    value: float
    doubt: float


@dataclass(frozen=True, slots=True)
class PrintedArray:
    """An array that a text shows, or as much of it as was printed.

    ``start``, ``end``: its place in the text. ``dtype``: that it names, or that its kind has where it names none.
    ``device``: as PyTorch names it. ``is_finite``: neither NaN nor infinity is among its elements.
    """

    elements: tuple[Printed, ...]
    start: int
    end: int
    dtype: str
    device: str
    is_finite: bool

    @property
    def scale(self) -> float:
        """The largest magnitude of its elements."""
        return max((abs(element.value) for element in self.elements), default=0.0)


def printed(text: str) -> Printed:
    """A printed number."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    is_whole = not exponent and mantissa.endswith((".", ".0"))
    doubt = 0.0 if is_whole else 0.5 * 10.0 ** (int(exponent or 0) - decimals)
    return Printed(text, float(text), doubt)


def numbers_in(text: str, start: int, end: int, least: int = 0) -> Iterator[tuple[int, int, Printed]]:
    """The results in a part of a text that have at least so many characters, and where each begins and ends."""
    for found in _NUMBER.finditer(text, start, end):
        if found.end() - found.start() >= least:
            yield found.start(), found.end(), printed(found[0])


def arrays_in(whole: str) -> list[PrintedArray]:
    """The arrays that are printed in a text, in their order; a list of whole numbers alone is none."""
    found: list[PrintedArray] = []
    place = 0
    for _ in range(_MOST):
        begin = _ARRAY.search(whole, place)
        if begin is None:
            break
        is_call = whole[begin.end() - 1 : begin.end()] != "[" and begin.end() > begin.start()
        end = _closed(whole, begin.end() if is_call else begin.start(), ")" if is_call else "]")
        place = end or begin.start() + 1
        is_whole = end is not None
        if end is None and is_call:
            place = end = _cut(whole, begin.end())
        if end is not None:
            array = _array(whole, begin.start(), begin.end(), end, is_whole=is_whole)
            if array is not None:
                found.append(array)
    return found


def _cut(whole: str, start: int) -> int:
    """Where an array ends of which the end was cut off: with its line or two, before the next one."""
    end = whole.find("\n", min(whole.find("\n", start) % (len(whole) + 1) + 1, len(whole))) % (len(whole) + 1)
    following = _ARRAY.search(whole, whole.find("\n", start) % (len(whole) + 1), end)
    return following.start() if following else end


def _closed(whole: str, start: int, closing: str) -> int | None:
    """Where it is closed; None: too far away. ``closing``: ")", behind an opened one, or "]", which begins at start."""
    opening = "(" if closing == ")" else "["
    depth = 1 if closing == ")" else 0
    for place in range(start, min(len(whole), start + _LONGEST)):
        if whole[place] == opening:
            depth += 1
        elif whole[place] == closing:
            depth -= 1
            if depth == 0:
                return place + 1
    return None


def _array(whole: str, start: int, inner: int, end: int, *, is_whole: bool) -> PrintedArray | None:
    body = whole[inner : end - is_whole] if inner > start else whole[start:end]
    opened, closed = body.find("["), body.rfind("]") if is_whole else len(body)
    listed = body[opened : closed + 1] if 0 <= opened < closed else body.partition(",")[0]
    texts = _ELEMENT.findall(listed)
    if not texts or (listed.lstrip("[ \n").partition(",")[0][:1].isalpha() and not _NO_NUMBER.search(listed)):
        return None
    if not any("." in text or "e" in text.lower() for text in texts) or re.search(r"[A-Za-z_]{4,}", listed):
        return None
    named = _DTYPE.search(body)
    kind = whole[start:inner].strip("( \n")
    if not kind and ((len(texts) < 2 and listed.count("[") < 2) or _LIST.fullmatch(listed) is None):
        return None
    # NumPy names every type but float64, PyTorch every type but its default one.
    default = {"array": "float64", "tensor": "float32"}.get(kind, "") if is_whole else ""
    dtype = _SHORT_NAMES.get(named[1], named[1]) if named else default
    device = _DEVICE.search(body)
    return PrintedArray(
        _as_printed(texts), start, end, dtype, device[1] if device else "", _NO_NUMBER.search(listed) is None
    )


def _as_printed(texts: list[str]) -> tuple[Printed, ...]:
    """The elements: zeros at the end are left out, so that all have as many decimals as the one with most."""
    elements = [printed(text) for text in texts]
    if any("e" in text.lower() for text in texts):
        return tuple(elements)
    least = min((element.doubt for element in elements if element.doubt), default=0.0)
    return tuple(Printed(element.text, element.value, least) for element in elements)
