"""Cases saved as JSON and read back (checks/facts/case.py has their types).

What is read back is judged again by this version; the findings in the file are only for readers of the JSON.
"""

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
_MOST_TEXTS = 200  # logs in one case
_DEEPEST = 50  # levels of lists and objects in the JSON of a case; facts have ten, and each level costs stack later


class CaseError(Exception):
    """A file that cannot be opened as a case. ``reason`` is an id of resources/words/errors.toml."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


def to_builtins(case: Case) -> dict[str, Any]:
    """The case as plain data, without the rendered texts of the findings (see wizard/report/prints/json_report.py).

    What a file system gave that is no Unicode (half of a surrogate pair) becomes U+FFFD: JSON cannot hold it.
    """
    plain: dict[str, Any] = _encodable(msgspec.to_builtins(case))
    plain.pop("newer")
    plain["facts"] = {**KINDS_OF_FACTS, **plain["facts"]}
    of_model: dict[str, list[dict[str, Any]]] = {}
    for verdict in plain.pop("verdicts"):
        of_model.setdefault(verdict.pop("model"), []).append(verdict)
    for model in plain["facts"]["models"]:
        model["verdicts"] = of_model.get(model.get("path", ""), [])
    return {"format": FORMAT, **plain}


def decode(data: bytes) -> Case:
    """Read a case back and judge its facts again.

    Raises:
        CaseError: "case-damaged" (no JSON), "case-not-ours" (other JSON), "case-unreadable" (fields of wrong types,
            nested too deep, or too many texts).
    """
    try:
        plain = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError("case-damaged", str(error)) from error
    if not isinstance(plain, dict) or not isinstance(plain.get("format"), int) or "facts" not in plain:
        raise CaseError("case-not-ours")
    newer = plain["format"] > FORMAT
    if _is_deeper(plain, _DEEPEST):
        raise CaseError("case-unreadable", f"more than {_DEEPEST} levels")
    try:
        facts = msgspec.convert(_with_known_measurements(plain["facts"]), Facts)
        answers = msgspec.convert(plain.get("answers", {}), Answers)
        created = msgspec.convert(plain.get("created", ""), str)
        complete = msgspec.convert(plain.get("complete", True), bool)
    except (msgspec.ValidationError, RecursionError) as error:
        raise CaseError("case-too-new" if newer else "case-unreadable", str(error)) from error
    if len(facts.logs) > _MOST_TEXTS:
        raise CaseError("case-unreadable", f"more than {_MOST_TEXTS} texts")
    facts = msgspec.structs.replace(facts, logs=tuple(map(_with_kept_text, facts.logs)))
    if facts.symptom is None:
        answered = Symptom(origin="case", name=answers.symptom, exactness=answers.exactness)
        facts = msgspec.structs.replace(facts, symptom=answered)
    again = judged(facts, answers, created=created, complete=complete)
    return msgspec.structs.replace(again, newer=newer, naosu=str(plain.get("naosu", "")))


def _with_known_measurements(facts: Any) -> Any:
    """The facts without kinds of measurements that only a newer version knows."""
    measured = facts.get("measurements") if isinstance(facts, dict) else None
    if not isinstance(measured, list):
        return facts
    kinds = {kind.__struct_config__.tag for kind in get_args(Measurement)}
    known = [run for run in measured if isinstance(run, dict) and run.get("kind") in kinds]
    return {**facts, "measurements": known}


def _with_kept_text(sent: SentFile) -> SentFile:
    """A log as this version would have kept it: judging megabytes of it would take minutes."""
    return sent if sent.text is None else msgspec.structs.replace(sent, text=kept(sent.text))


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deeper(child, levels - 1) for child in inner)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value
