"""Reading a case back that somebody else wrote: what is damaged, foreign or hostile is refused before it is kept."""

import json
import tracemalloc

import msgspec
import pytest

from checks.sharing.case import CaseError, cut_text, decode, to_builtins
from wizard.report.content.report import build
from wizard.words import words


def nested(levels: int) -> bytes:
    return f'{{"format":1,"facts":{{"measurements":[{{"a":{"[" * levels}{"]" * levels}}}]}}}}'.encode()


def test_what_opens_can_be_saved_again() -> None:
    assert json.dumps(to_builtins(decode(nested(40))))


def with_texts(*texts: str) -> bytes:
    return json.dumps(
        {"format": 1, "facts": {"logs": [{"name": "a", "kind": "log", "text": t} for t in texts]}}
    ).encode()


def test_a_case_of_before_there_were_tickets_opens() -> None:
    case = decode(with_texts("torch.OutOfMemoryError: CUDA out of memory."))
    assert case.facts.reported is False
    assert [finding.cause for finding in case.findings][:1] == ["gpu-out-of-memory"]


def test_of_a_huge_text_is_judged_what_would_have_been_kept() -> None:
    (log,) = decode(with_texts("step 1\n" * 200_000)).facts.logs
    assert len(log.text or "") < 600_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"{", "case-damaged", id="cut"),
        pytest.param(b"\xff\xfe", "case-damaged", id="no-text"),
        pytest.param(nested(100_000), "case-damaged", id="nested-beyond-any-stack"),
        pytest.param(nested(900), "case-unreadable", id="nested-too-deep-to-be-saved"),
        pytest.param(b"[]", "case-not-ours", id="a-list"),
        pytest.param(b'{"format":"1","facts":{}}', "case-not-ours", id="format-is-text"),
        pytest.param(b'{"format":1,"facts":{"target":7}}', "case-unreadable", id="wrong-type"),
        pytest.param(with_texts(*[""] * 1000), "case-unreadable", id="a-thousand-texts"),
        pytest.param(b'{"format":99,"facts":{"target":7}}', "case-too-new", id="wrong-type-of-a-newer-format"),
    ],
)
def test_refuses(data: bytes, reason: str) -> None:
    with pytest.raises(CaseError) as refused:
        decode(data)
    assert refused.value.reason == reason


def test_findings_in_the_form_of_earlier_versions_do_not_keep_a_case_shut() -> None:
    old = {"cause": "gpu-throttled", "severity": "warning", "values": {"state_en": "hot", "state_ja": "熱い"}}
    case = decode(json.dumps({"format": 1, "facts": {}, "findings": [old], "outcomes": [{"findings": [old]}]}).encode())
    assert all(found.cause != "gpu-throttled" for found in case.findings)


def test_words_that_only_another_version_knows_do_not_keep_a_case_shut() -> None:
    answers = {"symptom": "of-tomorrow", "exactness": "of-tomorrow", "effort": "of-tomorrow"}
    runs = {"runs": [{"probe": "torch", "status": "of-tomorrow"}, {"probe": "os"}]}
    plain = to_builtins(decode(json.dumps({"format": 1, "answers": answers, "facts": {"probes": runs}}).encode()))
    assert plain["answers"] == answers
    assert plain["facts"]["probes"]["runs"] == runs["runs"]


# --- more than any examination holds ---------------------------------------------------------------------------------


def with_facts(**facts: object) -> bytes:
    return json.dumps({"format": 1, "facts": facts}).encode()


def packages(count: int) -> list[dict[str, object]]:
    return [{"name": f"package{each}", "version": "1", "requires": [f"package{each + 1}"]} for each in range(count)]


def test_of_twenty_thousand_packages_the_first_are_read_and_the_case_says_so() -> None:
    case = decode(with_facts(interpreters=[{"path": "/p", "packages": packages(20_000)}], target="/p"))
    (python,) = case.facts.interpreters or ()
    assert len(python.packages or ()) == 2_500
    assert case.shortened
    again = decode(json.dumps(to_builtins(case)).encode())
    assert again.shortened
    for language in ("en", "ja"):
        assert words("report.note-shortened", language) in build(again, language).notes


def test_of_what_a_machine_has_few_of_fewer_are_judged() -> None:
    """Each is held against every wording, or against all others: 2,500 took 46 s."""
    failed = {"version": "1", "error": {"type": "OSError", "message": "undefined symbol: x", "traceback": ""}}
    companions = [{"name": f"package{number}", "imported": False, **failed} for number in range(2_500)]
    torch = {"imported": True, "companions": companions, "warnings": ["a warning"] * 2_500}
    programs = [{"name": "Ollama", "text": "library=cpu"}] * 2_500
    sent = {"frameworks": {"torch": torch}, "local_programs": programs}
    case = decode(json.dumps({"format": 1, "facts": sent}).encode())
    found = case.facts.frameworks.torch if case.facts.frameworks else None
    assert case.shortened
    assert found is not None
    assert (len(found.companions or ()), len(found.warnings or ())) == (100, 200)
    assert len(case.facts.local_programs or ()) == 20


def test_an_ordinary_case_is_whole() -> None:
    case = decode(with_facts(interpreters=[{"path": "/p", "packages": packages(800)}]))
    assert not case.shortened
    assert "shortened" not in to_builtins(case)
    assert not decode(with_texts("step 1\n" * 200_000, "RuntimeError: x")).shortened


def test_a_text_without_end() -> None:
    case = decode(with_facts(target="x" * 200_000))
    assert len(case.facts.target or "") == 100_000
    assert case.shortened


def test_of_many_long_logs_as_much_is_judged_as_of_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.sharing.case._LOGS", 30_000)
    case = decode(with_texts(*["RuntimeError: CUDA error\n" * 400] * 10))
    assert sum(len(log.text or "") for log in case.facts.logs) == 30_000
    assert case.shortened


def test_the_texts_of_logs_may_be_larger_than_all_other_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.sharing.case._LARGEST", 5_000)
    assert len(decode(with_texts("x" * 9_000, "y" * 9_000)).facts.logs) == 2
    for name, size in (("name", 9_000), ("origin", 5_001)):
        log = {"name": "a", "kind": "log", "text": "x", name: "n" * size}
        with pytest.raises(CaseError, match="file-too-large"):
            decode(json.dumps({"format": 1, "facts": {"logs": [log]}}).encode())


def test_of_a_log_without_end_no_more_is_made_than_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.sharing.case._LOGS", 100)
    for text in ("\U0001f600" * 5_000, '\\"\n' * 5_000, "x" * 5_000):
        case = decode(with_texts(text))
        assert case.shortened
        assert text.startswith(case.facts.logs[0].text or "-")


@pytest.mark.parametrize("text", ["aé\U0001f600b", "\\\\\\", '\\"\\n\n', "\U0001f600\U0001f600", "日本\\u0041"])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_a_text_is_cut_where_a_sign_ends(text: str, is_ascii: bool) -> None:
    whole = json.dumps(text * 3, ensure_ascii=is_ascii).encode()
    for end in range(2, len(whole)):
        cut = msgspec.json.decode(cut_text(whole[:end]), type=str)
        assert (text * 3).startswith(cut)
        assert len(whole[:end]) - len(json.dumps(cut, ensure_ascii=is_ascii).encode()) <= 12


def test_a_log_of_many_commas_is_no_million_of_values() -> None:
    assert decode(with_texts("a, b, [c], {d}\n" * 30_000 * 6)).facts.logs


@pytest.mark.parametrize(
    "content",
    [
        b'{"format":1,"facts":{"x":[' + b"[]," * 300_000 + b"[]]}}",
        b'{"format":1,"facts":{"models":[' + b"{}," * 300_000 + b"{}]}}",
        b'{"format":1,"facts":{"models":[' + b'{"needs":{}},' * 200_000 + b"{}]}}",
        b'{"format":1,"facts":{"x":"' + b"x" * (33 << 20) + b'"}}',
    ],
    ids=["lists", "objects", "objects in objects", "text"],
)
def test_values_without_end_are_not_even_made(content: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(CaseError, match="file-too-large"):
        decode(content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * len(content)


def test_what_is_not_read_is_not_made_either() -> None:
    """The findings are for readers of the JSON, and a stranger may put anything there."""
    content = b'{"format":1,"facts":{},"findings":[' + b"[]," * 1_000_000 + b"[]]}"
    tracemalloc.start()
    decode(content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000


@pytest.mark.parametrize("kind", ["{}", "[]", "null", "1", '"unknown"', '[{"kind": {}}]', '{"kind": "numbers"}'])
def test_a_measurement_of_no_kind_is_passed_over(kind: str) -> None:
    content = f'{{"format":1,"facts":{{"measurements":[{{"kind":{kind}}}, {kind}]}}}}'
    assert decode(content.encode()).facts.measurements == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"format": true, "facts": {}}', "case-not-ours"),
        ('{"format": "1", "facts": {}}', "case-not-ours"),
        ('{"format": 1}', "case-not-ours"),
        ("[]", "case-not-ours"),
        ('{"format": 1, "facts": {}} {', "case-damaged"),
        ('{"format": 1, "facts": []}', "case-unreadable"),
        ('{"format": 1, "facts": null}', "case-unreadable"),
        ('{"format": 1, "facts": {}, "answers": []}', "case-unreadable"),
        ('{"format": 1, "facts": {}, "created": {}}', "case-unreadable"),
        ('{"format": 1, "facts": {"logs": {}}}', "case-unreadable"),
        ('{"format": 1, "facts": {"logs": [[]]}}', "case-unreadable"),
        ('{"format": 9, "facts": {"logs": [[]]}}', "case-too-new"),
    ],
)
def test_wrong_types_at_every_place(content: str, reason: str) -> None:
    with pytest.raises(CaseError) as raised:
        decode(content.encode())
    assert raised.value.reason == reason
