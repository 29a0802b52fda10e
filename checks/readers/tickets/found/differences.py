"""How far results are apart, as a text states it or shows by the numbers that it prints beside each other.

Read are differences in words ("max abs diff 1.2e-7", NumPy's and PyTorch's assertions), two arrays of the same length
of which most elements agree, numbers behind the names of two sides ("CPU: 1.0001, GPU: 1.0002"), and two numbers of
many digits near each other that agree in the first of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from checks.facts import ReportedDifference
from checks.readers.tickets.found.comparisons import read_comparisons
from checks.readers.tickets.found.printed_numbers import NUMBER, Printed, PrintedArray, arrays_in, numbers_in, printed
from checks.readers.tickets.text import Statement, Text

MOST = 40  # differences of one text
# What a text without any difference has not got: a result with three decimals, a small exponent, or an array.
_GATE = re2.compile(
    r"(?i)\d\.\d{3}|\de-\d|\d\.\d* ?(?:%|on |\()|(?:tensor|array)\(|vs\.? -?\d|[!=]= ?-?\d|\d{6}\.\d"
    r"|(?:got|cpu|gpu).{0,30}\d\.\d|(?:diff\w*|err\w*)[ :=]{1,3}\d+\.\d"
)
_GAP = (
    r"(?:[\s:=~≈<>|\[\]()`'\"*,-]|は|が|約|最大で?|："
    r"|\b(?:is|was|are|of|about|around|up to|approx\w*|at most|only|as|small|large|low|high|in|the|order|an?|on|among"
    r"|violations|tensor|array|np|float(?:16|32|64)|roughly|nearly|just|values?|found|between|outputs?|results?|them|to"
    r"|from|cpu|gpu|cuda|numpy|(?:py)?torch)\b){0,12}?"
)
_STATED = re.compile(
    r"(?i)(?P<words>(?<![a-z])(?:(?:max(?:imum)?|greatest|largest|biggest|mean|avg|average|total|median|min(?:imum)?"
    r"|abs(?:olute)?|rel(?:ative)?)[ _.-]{0,2}){0,3}(?:(?:max|mean|abs|rel)(?=[a-z]))*"
    r"(?:diff(?:erence|s)?|dif|err(?:or)?|deviation|discrepanc(?:y|ies)|mismatch)s?(?![a-z])"
    r"|differ(?:s|ed|ing|ent)?(?: only| just| slightly)? by|\boff by|\b(?:MaxAbs|MaxRel|Abs|Rel)(?:Err|Diff)"
    r"|(?:最大)?(?:の?絶対|の?相対)?(?:誤差|差分?|ずれ)|误差|差异|差值)"
    rf"{_GAP}(?P<number>{NUMBER})(?P<percent> ?%)?"
)
# In all that it finds stands one of these, and before that nothing but the words around it: see _stated_in.
_ANCHOR = re.compile(r"(?i)di(?:f|sc)|err|devia|misma|off by|差|ずれ")
_BEFORE_ANCHOR = re.compile(r"(?i)[a-z _.\-最大の絶対相誤误]*")
_BEHIND = re.compile(
    rf"(?P<number>{NUMBER})(?P<percent> ?%)?(?:程度|ほど|くらい|ぐらい)?(?:の)?(?:(?:誤差|差|ずれ|違い)"
    r"| (?:of )?(?:(?:max|maximum|abs|absolute|rel|relative|numerical) ){0,2}"
    r"(?:diff(?:erence)?s?|error|deviation|apart)\b)"
)
_NO_MAXIMUM = re.compile(r"(?i)mean|avg|average|total|median|min")
_RELATIVE = re.compile(r"(?i)rel|相対")
_SURE = re.compile(r"(?i)diff|max|abs|rel|greatest|largest|differ|dif\b|discrep|deviation|誤差|差|误差")
_TOLERANCE = re.compile(r"(?i)\b(?:[ar]tol|tol|tolerance|threshold|allowed|eps(?:ilon)?)\b[^\d]{0,12}$")
# NumPy where NaN stands in one array alone, and PyTorch and NumPy where the largest difference is none.
_LOST = re.compile(
    r"(?i)\b(nan|inf) location mismatch|(?:greatest|max) (?:absolute|relative) difference[a-z ]{0,24}: (nan|inf)\b"
)
_MISMATCHED = re.compile(r"Mismatched elements: (\d{1,12}) / (\d{1,12})")
_SCALE = re.compile(
    r"(?i)\b(?:values?|magnitudes?|outputs?|entries)\b"
    r"(?: (?:are|is|of|about|around|in|range|up|to|near|that|magnitude|roughly|order)|[ :=~≈]){0,6}"
    rf"[-+±]?(?P<number>{NUMBER}|\d{{1,12}}\b(?![.\w%/:]))"
)
_FORMATS = {
    "float16": r"f(?:p|loat)[-_ ]?16|half[- ]precision|\.half\(|torch\.half|半精度",
    "bfloat16": r"bf(?:loat)?[-_ ]?16",
    "float64": r"f(?:p|loat)[-_ ]?64|double(?:[- ]precision|\(\)|\b)|倍精度",
    "float32": r"f(?:p|loat)[-_ ]?32|single[- ]precision|単精度",
}
_FORMAT = {name: re.compile(rf"(?i)(?<![a-z]){words}") for name, words in _FORMATS.items()}
_ABOUT = {  # the first that is named counts
    "training": re.compile(
        r"(?i)(?<![a-z])(?:train(?:s|ed|ing)?|fine-?tun\w+|epochs?|loss(?:es)?|accura(?:cy|cies)|mAP|perplexity"
        r"|iterations?|tokens?|prompts?|generat\w+|seeds?|random\w*|optimi[sz]er)(?![a-z])|学習|训练"
    ),
    "model": re.compile(
        r"(?i)(?<![a-z])(?:models?|net(?:work)?s?|layers|checkpoints?|infer\w*|predict\w*|embeddings?|logits)(?![a-z])"
        r"|モデル|推論|模型"
    ),
}
_SIDES = re.compile(
    r"(?i)(?<![A-Za-z0-9_])(?:(?P<cpu>cpu)|(?P<gpu>gpu|cuda|mps|xpu|dml|directml|npu)"
    r"|(?P<expected>expected|desired|reference|should be|ref)|(?P<actual>actual|got|received|returned)"
    r"|(?P<eager>eager)|(?P<compiled>compiled|inductor|jit(?:ted)?)|(?P<onnx>onnx\w*|ort)|(?P<torch>(?:py)?torch)"
    r"|(?P<numpy>numpy|np)|(?P<tensorflow>tensorflow|tf)|(?P<jax>jax))(?![A-Za-z0-9_]|\.\w)"
)
_UNIT = re.compile(
    r" ?(?:[KMGT]i?B|[kKMG]?Hz|ms|us|µs|ns|s\b|sec|min\b|W\b|C\b|°|%|it/s|fps|GHz|MB|GB|x\b|h\b|tokens?)"
)
_VERSUS = re.compile(
    rf"(?:(?<=assert )({NUMBER}) == ({NUMBER})"
    rf"|({NUMBER})\W{{0,3}}(?:vs\.?|versus|!=|≠|instead of|rather than|but not|→|->)\W{{0,3}}({NUMBER}))"
)
_LOGGED = re.compile(r"\W{0,3}(?:\[ *\d+\.\d+\] \w|\d{4}-\d\d|\d\d:\d\d)")
_NEAR = 400  # characters between two arrays, or two numbers, that are compared
_TOGETHER = 12  # lines of one comparison: the figures and the arrays of an assertion
_ALIKE, _AGREE = 1e-3, 0.1  # how near two numbers of many digits are, and most elements of two arrays
_MANY_DIGITS, _FEW_DIGITS = 6, 4
_SIZE = 3.0  # times, within which numbers are of one size


@dataclass(frozen=True, slots=True)
class _Stated:
    value: Printed
    is_relative: bool
    start: int


def read_differences(text: Text) -> Iterator[Statement]:
    """The differences of results that a text tells, the first of it first."""
    lost = _LOST.search(text.whole)
    if lost is not None:
        yield Statement("numbers.lost", (lost[1] or lost[2]).lower(), text.at(lost))
    if _GATE.search(text.whole) is None:
        return
    stated = list(_stated(text))
    reports = list(read_comparisons(text))
    pairs = [*reports, *_of_arrays(text), *_of_sides(text), *_versus(text), *_alike(text)]
    found = [*([] if reports else _merged(text, stated, pairs)), *pairs]
    unique = {(pair.first, pair.second, pair.most, pair.relative): pair for pair in reversed(found)}
    for difference in sorted(unique.values(), key=lambda told: told.lines)[:MOST]:
        yield Statement("numbers.differences", difference, difference.lines)
    for name, pattern in _FORMAT.items() if unique else ():
        named = pattern.search(text.whole)
        if named is not None:
            yield Statement("numbers.formats", name, text.at(named))
    for about, pattern in _ABOUT.items() if unique else ():
        named = pattern.search(text.whole)
        if named is not None:
            yield Statement("numbers.about", about, text.at(named))
            break


# --- differences in words ---------------------------------------------------------------------------------------------


def _stated(text: Text) -> Iterator[_Stated]:
    for found in (*_stated_in(text.whole), *_BEHIND.finditer(text.whole)):
        words = found.groupdict().get("words") or found[0]
        value = printed(found["number"])
        is_small = 0 < abs(value.value) < 1
        if _NO_MAXIMUM.search(words) or (not is_small and not _SURE.search(words)):
            continue
        before = text.whole[max(0, found.start("number") - 24) : found.start("number")]
        is_of_unit = not found["percent"] and _UNIT.match(text.whole, found.end("number"))
        if value.value == 0 or _TOLERANCE.search(before) or is_of_unit:
            continue
        if found["percent"]:
            value = Printed(value.text, value.value / 100, value.doubt / 100)
        yield _Stated(value, bool(found["percent"] or _RELATIVE.search(words)), found.start("number"))


def _stated_in(text: str) -> Iterator[re.Match[str]]:
    """What ``_STATED.finditer`` finds, tried only where it may begin: a log has few such places."""
    place = 0  # where the next one may begin at the earliest
    for anchor in _ANCHOR.finditer(text):
        if anchor.start() < place:  # within the one before
            continue
        end = anchor.start() + 1
        before = _BEFORE_ANCHOR.match(text[place : anchor.start()][::-1])
        first = anchor.start() - (before.end() if before is not None else 0)
        found = next(filter(None, (_STATED.match(text, begin) for begin in range(first, end))), None)
        if found is not None:
            yield found
        place = end if found is None else found.end()


def _merged(text: Text, stated: Sequence[_Stated], pairs: Sequence[ReportedDifference]) -> Iterator[ReportedDifference]:
    """The stated differences: an absolute one with the relative one, the size and the numbers that stand with it."""
    elements = _MISMATCHED.search(text.whole)
    places = {one.start for one in stated}
    sizes = [abs(float(size[1])) for size in _SCALE.finditer(text.whole) if size.start(1) not in places]
    printed_sizes = [(text.number_at(array.start), array.scale) for array in arrays_in(text.whole)]
    relative = [one for one in stated if one.is_relative]
    taken: set[int] = set()
    for one in stated:
        line = text.number_at(one.start)
        if one.is_relative:
            continue
        near = [
            other for other in relative if abs(text.number_at(other.start) - line) <= 3 and other.start not in taken
        ]
        taken.update(other.start for other in near[:1])
        shown = [*((pair.lines[0], pair.scale or 0.0) for pair in pairs), *printed_sizes]
        beside = [size for place, size in shown if abs(place - line) <= _TOGETHER and size > 0]
        yield _difference(
            one.value,
            line,
            scale=max([*beside, *sizes], default=None),
            relative=near[0].value.value if near else None,
            elements=int(elements[2]) if elements else None,
        )
    for one in relative:
        if one.start not in taken:
            yield _difference(None, text.number_at(one.start), relative=one.value.value)


def _difference(
    value: Printed | None,
    line: int,
    *,
    scale: float | None = None,
    relative: float | None = None,
    elements: int | None = None,
) -> ReportedDifference:
    return ReportedDifference(
        least=abs(value.value) if value else None,
        most=abs(value.value) if value else None,
        scale=scale,
        relative=abs(relative) if relative is not None else None,
        elements=elements,
        lines=(line,),
    )


# --- numbers beside each other ----------------------------------------------------------------------------------------


def _of_arrays(text: Text) -> Iterator[ReportedDifference]:
    """Two arrays of one length, one behind the other: of two named sides, or alike in most of their elements."""
    arrays = [array for array in arrays_in(text.whole) if array.is_finite]
    for first, second in itertools.pairwise(arrays):
        if len(first.elements) != len(second.elements) or second.start - first.end > _NEAR:
            continue
        sides = {_side_of(text, array) for array in (first, second)} - {""}
        agreeing = sum(map(_agree, first.elements, second.elements))
        if len(sides) < 2 and agreeing * 2 < len(first.elements) + 1:
            continue
        pair = max(zip(first.elements, second.elements, strict=True), key=lambda two: abs(two[0].value - two[1].value))
        if pair[0].value != pair[1].value:
            formats = {array.dtype for array in (first, second) if array.dtype}
            yield _pair(
                *pair,
                (*text.at(first.start), *text.at(second.start)),
                scale=max(first.scale, second.scale),
                elements=len(first.elements),
                dtype=min(formats, key=_COARSEST.index, default=""),
            )


_COARSEST = ("bfloat16", "float16", "float32", "float64")


def _side_of(text: Text, array: PrintedArray) -> str:
    """What an array is of: its device, or the last side that is named before it in its line or the one before."""
    if array.device:
        return "gpu" if array.device != "cpu" else "cpu"
    start = text.line_start(max(text.line_start(array.start) - 1, 0))
    before = text.whole[max(start, array.start - 80) : array.start]
    named = [found.lastgroup or "" for found in _SIDES.finditer(before.replace("_", " "))]
    return named[-1] if named else ""


def _agree(first: Printed, second: Printed) -> bool:
    return abs(first.value - second.value) <= _AGREE * max(abs(first.value), abs(second.value))


def _of_sides(text: Text) -> Iterator[ReportedDifference]:
    """Numbers that stand with the names of two sides in one line, or in two lines in a row."""
    found: list[tuple[str, int, Printed]] = []
    for line, start, end in _lines_with(text, _SIDES):
        if _OF_VERSIONS.search(text.whole, start, end):
            continue
        numbers = [
            one
            for one in numbers_in(text.whole, start, end)
            if not _UNIT.match(text.whole, one[1]) and not _VERSION.search(text.whole[max(0, one[0] - 16) : one[1]])
        ]
        sides = [(side.lastgroup or "", side.start(), side.end()) for side in _SIDES.finditer(text.whole, start, end)]
        if 0 < len(numbers) <= 2 * len(sides) and len(numbers) <= 4:
            found += [(side, line, value) for side, value in _with_sides(text.whole, numbers, sides)]
    place = 0
    while place + 1 < len(found):
        (first, at, one), (second, then, other) = found[place : place + 2]
        is_pair = first != second and then - at <= 2
        if is_pair and one.value != other.value:
            yield _pair(one, other, (at, then))
        place += 2 if is_pair else 1


def _with_sides(
    whole: str, numbers: Sequence[tuple[int, int, Printed]], sides: Sequence[tuple[str, int, int]]
) -> Iterator[tuple[str, Printed]]:
    """Each number with its side: "0.1 on the CPU", else the side before it, with no other number between."""
    for place, (start, end, value) in enumerate(numbers):
        following = numbers[place + 1][0] if place + 1 < len(numbers) else len(whole)
        behind = next(
            (side for side in sides if end <= side[1] < following and _ON.fullmatch(whole, end, side[1])), None
        )
        before = numbers[place - 1][1] if place else 0
        ahead = [side for side in sides if before <= side[1] and side[2] <= start and start - side[2] <= 40]
        side = behind or (ahead[-1] if ahead else None)
        if side is not None and (side[0] not in _FRAMEWORKS or _digits(value) >= _FEW_DIGITS):  # else it is a version
            yield side[0], value


def _digits(value: Printed) -> int:
    """How many significant digits are printed."""
    return len(value.text.strip("-0.").partition("e")[0].replace(".", ""))


_FRAMEWORKS = frozenset({"torch", "numpy", "tensorflow", "jax", "onnx"})
_VERSION = re.compile(
    r"(?i)(?:cuda|cudnn|python|driver|rocm|tensorrt|trt|opset|windows|ubuntu|==)[ =:]{0,3}v?\d{1,3}\.\d{1,2}$"
)
_OF_VERSIONS = re.compile(r"(?i)\bversions?\b|バージョン|版本")
_ON = re.compile(r"[)\]`'\"]{0,2} ?(?:on|in|with|from|by|for|under|at|\(|using)(?: (?:the|my|a))? ?")


def _versus(text: Text) -> Iterator[ReportedDifference]:
    for found in _VERSUS.finditer(text.whole):
        first, second = (printed(number) for number in found.groups() if number)
        if first.value != second.value and not _UNIT.match(text.whole, found.end()):
            yield _pair(first, second, text.at(found))


def _alike(text: Text) -> Iterator[ReportedDifference]:
    """Two numbers of many digits near each other that agree in the first of them: one result, computed twice.

    Where a third one of their size stands near, it may be the one that is meant, and nothing is said.
    """
    long = [
        (start, end, value)
        for start, end, value in numbers_in(text.whole, 0, len(text.whole), _MANY_DIGITS)
        if _digits(value) >= _MANY_DIGITS
        and not _UNIT.match(text.whole, end)
        and not _LOGGED.match(text.whole, text.line_start(start))
    ]
    for place, ((_, end, first), (start, _, second)) in enumerate(itertools.pairwise(long)):
        if start - end > _NEAR // 2 or not 0 < abs(first.value - second.value) <= _ALIKE * abs(second.value):
            continue
        around = (*long[max(0, place - 1) : place], *long[place + 2 : place + 3])
        if not any(_is_of_size(other[2], second) and abs(other[0] - start) <= _NEAR for other in around):
            yield _pair(first, second, text.at(start))


def _is_of_size(other: Printed, value: Printed) -> bool:
    return value.value != 0 and 1 / _SIZE < other.value / value.value < _SIZE


def _lines_with(text: Text, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    """The lines in which a pattern stands: number, begin and end of each."""
    last = -1
    for found in pattern.finditer(text.whole):
        start = text.line_start(found.start())
        if start != last:
            last = start
            end = text.whole.find("\n", start)
            yield text.number_at(start), start, len(text.whole) if end < 0 else end


def _pair(
    first: Printed,
    second: Printed,
    lines: tuple[int, ...],
    *,
    scale: float | None = None,
    elements: int | None = 1,
    dtype: str = "",
) -> ReportedDifference:
    """Two numbers of one result. Beside 0 one is a difference itself, or a result of a size that nobody tells."""
    apart, doubt = abs(first.value - second.value), first.doubt + second.doubt
    scale = scale or max(abs(first.value), abs(second.value))
    is_from_0 = 0 in (first.value, second.value) and apart >= scale
    return ReportedDifference(
        first=first.text,
        second=second.text,
        least=max(apart - doubt, 0.0),
        most=apart + doubt,
        scale=None if is_from_0 else scale,
        elements=elements,
        dtype=dtype,
        lines=tuple(dict.fromkeys(lines)),
    )
