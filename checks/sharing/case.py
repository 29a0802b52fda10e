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
from checks.readers.text import kept

FORMAT = 1
# The contract of the JSON: these kinds are always there; null = not collected, an empty list = nothing of the kind.
KINDS_OF_FACTS: dict[str, Any] = {
    **dict.fromkeys(("machine", "interpreters", "frameworks")),
    **{kind: [] for kind in ("models", "scripts", "logs", "measurements")},
}
SIZE_LIMIT = 64 * 1024 * 1024  # bytes; a thousand findings with all their words take six megabytes
_LARGEST = 32 * 1024 * 1024  # bytes of the facts; of a log of five megabytes less than one is kept
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
_MOST_TEXTS = 200  # logs in one case
_SHORT = 200  # characters of a version or a time
_DEEPEST = 50  # levels of lists and objects in the JSON of a case; facts have ten, and each level costs stack later
# As much as there is without a sign that parts values, and then a text that holds some, or the end.
_TEXT = re.compile(rb'(?:[^"]++|"(?:[^"\\,\[{]++|\\.)*+")*+("(?:[^"\\]++|\\.)*+")?+', re.DOTALL)
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


def decode(data: bytes) -> Case:
    """Read a case back and judge its facts again.

    Raises:
        CaseError: "case-damaged" (no JSON), "case-not-ours" (other JSON), "file-too-large" (more values than any case
            has), "case-unreadable" (fields of wrong types, nested too deep, or too many texts).
    """
    if len(data) > SIZE_LIMIT:
        raise CaseError("file-too-large")
    try:
        file = msgspec.json.decode(data, type=_File)
    except msgspec.ValidationError as error:
        raise CaseError("case-not-ours", str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError("case-damaged", str(error)) from error
    if len(file.facts) > _LARGEST or _values(file.facts) > _MOST_VALUES:
        raise CaseError("file-too-large")
    newer = file.format > FORMAT
    fence = _Fence()
    try:
        facts = msgspec.convert(fence.cut(msgspec.json.decode(file.facts)), Facts)
        answers = msgspec.json.decode(file.answers, type=Answers)
        created, written = (msgspec.json.decode(text, type=str)[:_SHORT] for text in (file.created, file.naosu))
        complete, shortened = (msgspec.json.decode(flag, type=bool) for flag in (file.complete, file.shortened))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError("case-too-new" if newer else "case-unreadable", str(error)) from error
    if len(facts.logs) > _MOST_TEXTS:
        raise CaseError("case-unreadable", f"more than {_MOST_TEXTS} texts")
    facts = msgspec.structs.replace(facts, logs=tuple(map(fence.with_kept_text, facts.logs)), here=False)
    if facts.symptom is None:
        answered = Symptom(origin="case", name=answers.symptom, exactness=answers.exactness)
        facts = msgspec.structs.replace(facts, symptom=answered)
    again = judged(facts, answers, created=created, complete=complete)
    return msgspec.structs.replace(again, newer=newer, naosu=written, shortened=shortened or fence.has_cut)


def _values(raw: msgspec.Raw) -> int:
    """How many values a JSON has at most, counted before anything is made of them; what stands in texts is none."""
    data, signs = bytes(raw), (b",", b"[", b"{")
    count = sum(map(data.count, signs))
    if count > _MOST_VALUES:
        for text in itertools.islice(_TEXT.finditer(data), 2 * _MOST_VALUES):  # each is a value or names one
            count -= sum(map((text[1] or b"").count, signs))
    return count


class _Fence:
    """What of the facts of a stranger is taken. ``has_cut``: something was left out."""

    def __init__(self) -> None:
        self.has_cut = False
        self._left = _LOGS

    def cut(self, facts: Any) -> Any:
        """The facts with lists and texts of a length that can be judged, and the measurements that are known here.

        Raises:
            CaseError: they are nested too deep.
        """
        if not isinstance(facts, dict):
            return facts
        logs = facts.get("logs")
        kept: dict[str, Any] = self._cut({name: value for name, value in facts.items() if name != "logs"}, _DEEPEST)
        if "logs" in facts:
            kept["logs"] = logs
        if isinstance(kept.get("measurements"), list):
            kept["measurements"] = [run for run in kept["measurements"] if _is_known(run)]
        return kept

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
