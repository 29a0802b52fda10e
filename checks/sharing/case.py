"""Cases saved as JSON and read back (checks/facts/case.py has their types).

What is read back is judged again by this version; the findings in the file are only for readers of the JSON. The sender
may be hostile: how much is read and judged is bounded, and the case says where something was cut.
"""

import itertools
import re
from typing import Any, get_args

import msgspec

from checks.facts import Facts, Measurement, SentFile, Symptom
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.prepared import prepared
from checks.readers.text import kept

FORMAT = 1
# The contract of the JSON: these kinds are always there; null = not collected, an empty list = nothing of the kind.
KINDS_OF_FACTS: dict[str, Any] = {
    **dict.fromkeys(("machine", "interpreters", "frameworks")),
    **{kind: [] for kind in ("models", "scripts", "logs", "measurements")},
}
SIZE_LIMIT = 100 * 1024 * 1024  # bytes; two hundred logs as they are kept, with as much of each as is
PACKED_LIMIT = 64 * 1024 * 1024  # bytes of what is unpacked or encoded anew first, when both are there at once
_LARGEST = 32 * 1024 * 1024  # bytes of the facts without the texts of the logs
_MOST_VALUES = 500_000  # in the JSON; a long examination of many models has some 20,000
_MOST_ITEMS = 2_500  # of one list; a very large environment has 1,000 packages, a long load test 2,000 samples
# Lists of what a machine has few of, whose entries are held against each other, or each against every wording.
_FEWER = {
    **dict.fromkeys(("companions", "providers", "providers_listed", "frameworks", "plugins", "accelerators"), 100),
    "local_programs": 20,
    **dict.fromkeys(("warnings", "devices", "mig_instances", "device_nodes", "gpu_processes", "interpreters"), 200),
}
_LONGEST = 100_000  # characters of one text that is no log
_LOGS = 1_500_000  # characters of all logs together
_READ = 8  # bytes of JSON that are read of a log for each character that all may have
_COUNTED = 1 << 20  # bytes in which values are counted at once
_MOST_TEXTS = 200  # logs in one case
_SHORT = 200  # characters of a version or a time
_DEEPEST = 50  # levels of lists and objects in the JSON of a case; facts have ten, and each level costs stack later
# As much as there is without a sign that parts values, and then a text that holds some, or the end.
_TEXT = re.compile(rb'(?:[^"]++|"(?:[^"\\,\[{]++|\\.)*+")*+("(?:[^"\\]++|\\.)*+")?+', re.DOTALL)
_LONGEST_ESCAPE = 6
_HALF = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}$")  # of a pair of escapes for one sign
_KINDS = frozenset(kind.__struct_config__.tag for kind in get_args(Measurement))


class CaseError(Exception):
    """A file that cannot be opened as a case. ``reason`` is an id of resources/words/errors.toml."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class _File(msgspec.Struct):
    """The JSON of a case, of which nothing is made but what is read: the rest is passed over."""

    format: int
    facts: msgspec.Raw
    answers: msgspec.Raw = msgspec.Raw(b"{}")
    created: msgspec.Raw = msgspec.Raw(b'""')
    naosu: msgspec.Raw = msgspec.Raw(b'""')
    complete: msgspec.Raw = msgspec.Raw(b"true")
    shortened: msgspec.Raw = msgspec.Raw(b"false")


def to_builtins(case: Case) -> dict[str, Any]:
    """The case as plain data, without the rendered texts of the findings (see wizard/report/prints/json_report.py).

    What a file system gave that is no Unicode (half of a surrogate pair) becomes U+FFFD: JSON cannot hold it.
    """
    plain: dict[str, Any] = _encodable(msgspec.to_builtins(case))
    plain.pop("newer")
    if not case.shortened:
        plain.pop("shortened")
    plain["facts"] = {**KINDS_OF_FACTS, **plain["facts"]}
    plain["facts"].pop("here", None)
    of_model: dict[str, list[dict[str, Any]]] = {}
    for verdict in plain.pop("verdicts"):
        of_model.setdefault(verdict.pop("model"), []).append(verdict)
    for model in plain["facts"]["models"]:
        model["verdicts"] = of_model.get(model.get("path", ""), [])
    return {"format": FORMAT, **plain}


class Sent(msgspec.Struct, frozen=True):
    """What a file of a case holds, not judged. ``shortened``: more than is read of one was left out."""

    format: int
    facts: Facts
    answers: Answers
    created: str
    naosu: str
    complete: bool
    shortened: bool


def decode(data: bytes) -> Case:
    """Read a case back and judge its facts again.

    Raises:
        CaseError: as :func:`facts_in`.
    """
    sent = facts_in(data)
    again = judged(sent.facts, sent.answers, created=sent.created, complete=sent.complete)
    return msgspec.structs.replace(again, newer=sent.format > FORMAT, naosu=sent.naosu, shortened=sent.shortened)


def facts_in(data: bytes) -> Sent:
    """Read a case back.

    Raises:
        CaseError: "case-damaged" (no JSON), "case-not-ours" (other JSON), "file-too-large" (more values than any case
            has), "case-unreadable" (fields of wrong types, nested too deep, or too many texts).
    """
    if len(data) > SIZE_LIMIT:
        raise CaseError("file-too-large")
    try:
        file = msgspec.json.decode(data, type=prepared(_File))
    except msgspec.ValidationError as error:
        raise CaseError("case-not-ours", str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError("case-damaged", str(error)) from error
    newer = file.format > FORMAT
    fence = _Fence()
    try:
        kinds = msgspec.json.decode(file.facts, type=prepared(dict[str, msgspec.Raw]))
        logs = kinds.pop("logs", msgspec.Raw(b"[]"))
        size, values = sum(map(len, kinds.values())), sum(map(_values, (*kinds.values(), logs)))
        if size > _LARGEST or values > _MOST_VALUES:
            raise CaseError("file-too-large")
        plain = fence.cut({kind: msgspec.json.decode(raw) for kind, raw in kinds.items()})
        facts = msgspec.structs.replace(msgspec.convert(plain, prepared(Facts)), logs=fence.logs(logs), here=False)
        answers = msgspec.json.decode(file.answers, type=prepared(Answers))
        created, written = (msgspec.json.decode(text, type=str)[:_SHORT] for text in (file.created, file.naosu))
        complete, shortened = (msgspec.json.decode(flag, type=bool) for flag in (file.complete, file.shortened))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError("case-too-new" if newer else "case-unreadable", str(error)) from error
    if facts.symptom is None:
        answered = Symptom(origin="case", name=answers.symptom, exactness=answers.exactness)
        facts = msgspec.structs.replace(facts, symptom=answered)
    return Sent(file.format, facts, answers, created, written, complete, shortened or fence.has_cut)


def _values(raw: msgspec.Raw) -> int:
    """How many values a JSON has at most, counted before anything is made of them; what stands in texts is none."""
    data = memoryview(raw)  # of which nothing large is copied
    count = _signs(data, 0, len(data))
    if count > _MOST_VALUES:
        for text in itertools.islice(_TEXT.finditer(data), 2 * _MOST_VALUES):  # each is a value or names one
            count -= _signs(data, *text.span(1))
    return count


def _signs(data: memoryview, start: int, end: int) -> int:
    """How many signs that part values stand there."""
    pieces = (bytes(data[place : min(place + _COUNTED, end)]) for place in range(max(start, 0), end, _COUNTED))
    return sum(piece.count(sign) for piece in pieces for sign in (b",", b"[", b"{"))


class _Fence:
    """What of the facts of a stranger is taken. ``has_cut``: something was left out."""

    def __init__(self) -> None:
        self.has_cut = False
        self._left = _LOGS

    def cut(self, facts: dict[str, Any]) -> dict[str, Any]:
        """The facts with lists and texts of a length that can be judged, and the measurements that are known here.

        Raises:
            CaseError: they are nested too deep.
        """
        kept: dict[str, Any] = self._cut(facts, _DEEPEST)
        if isinstance(kept.get("measurements"), list):
            kept["measurements"] = [run for run in kept["measurements"] if _is_known(run)]
        return kept

    def logs(self, raw: msgspec.Raw) -> tuple[SentFile, ...]:
        """The logs, one at a time: all that are kept take less room than one may that was sent.

        Raises:
            CaseError: there are too many, or what is beside the texts is too large.
            msgspec.DecodeError: they are no logs.
        """
        sent = msgspec.json.decode(raw, type=prepared(list[dict[str, msgspec.Raw]]))
        if len(sent) > _MOST_TEXTS:
            raise CaseError("case-unreadable", f"more than {_MOST_TEXTS} texts")
        if sum(len(value) for log in sent for name, value in log.items() if name != "text") > _LARGEST:
            raise CaseError("file-too-large")
        return tuple(map(self._log, sent))

    def _log(self, sent: dict[str, msgspec.Raw]) -> SentFile:
        text = bytes(memoryview(sent.pop("text", msgspec.Raw(b"null")))[: _READ * _LOGS + 1])
        plain = {name: msgspec.json.decode(raw) for name, raw in sent.items()}
        if len(text) > _READ * _LOGS:
            self.has_cut = True
            text = cut_text(text)
        return self.with_kept_text(msgspec.convert({**plain, "text": msgspec.json.decode(text)}, prepared(SentFile)))

    def with_kept_text(self, sent: SentFile) -> SentFile:
        """A log as this version would have kept it: judging megabytes of it would take minutes."""
        if sent.text is None:
            return sent
        raw = sent.text if len(sent.text) <= 2 * _LOGS else self._first(sent.text, 2 * _LOGS)
        whole = kept(raw) if self._left else raw
        text = whole if len(whole) <= self._left else self._first(whole, self._left)
        self._left -= len(text)
        return msgspec.structs.replace(sent, text=text)

    def _cut(self, value: Any, levels: int) -> Any:
        if not levels:
            raise CaseError("case-unreadable", f"more than {_DEEPEST} levels")
        if isinstance(value, str):
            return value if len(value) <= _LONGEST else self._first(value, _LONGEST)
        if isinstance(value, list):
            return [self._cut(item, levels - 1) for item in self._fewer("", value)]
        if isinstance(value, dict):
            items = list(value.items())
            most = items if len(items) <= _MOST_ITEMS else self._first(items, _MOST_ITEMS)
            return {name[:_LONGEST]: self._cut(self._fewer(name, item), levels - 1) for name, item in most}
        return value

    def _fewer(self, name: str, value: Any) -> Any:
        most = _FEWER.get(name, _MOST_ITEMS)
        return self._first(value, most) if isinstance(value, list) and len(value) > most else value

    def _first(self, value: Any, count: int) -> Any:
        self.has_cut = True
        return value[:count]


def cut_text(text: bytes) -> bytes:
    """The beginning of a text in JSON as a whole one: no sign and no escape at its end is a part of one."""
    text = text.rstrip(bytes(range(0x80, 0xC0)))
    text = text[:-1] if text[-1] >= 0xC0 else text
    near = text[-_LONGEST_ESCAPE:]
    if b"\\" in near:
        text = text[: len(text) - len(near) + near.rfind(b"\\")]
        if (len(text) - len(text.rstrip(b"\\"))) % 2:  # that was the second of two
            text = text[:-1]
    return _HALF.sub(b"", text) + b'"'


def _is_known(run: Any) -> bool:
    """Whether a measurement is of a kind that this version knows; only a newer one knows others."""
    kind = run.get("kind") if isinstance(run, dict) else None
    return isinstance(kind, str) and kind in _KINDS


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value
