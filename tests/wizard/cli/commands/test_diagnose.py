"""`naosu diagnose`: a ticket from a file, a pipe or one of many lines, good ones and bad ones."""

import io
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from wizard.cli.command_line import run_command

OUT_OF_MEMORY = """Training stops after an hour.
Traceback (most recent call last):
  File "train.py", line 31, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of \
which 1.10 GiB is free. Of the allocated memory 20.11 GiB is allocated by PyTorch
"""
CONTRACT = {"cause", "severity", "confidence", "title", "explanation", "evidence", "remedies"}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_LANG", "en")


@pytest.fixture
def ticket(tmp_path: Path) -> Path:
    path = tmp_path / "ticket.txt"
    path.write_text(OUT_OF_MEMORY, encoding="utf-8")
    return path


def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))


def test_a_file(ticket: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", str(ticket)]) == 1
    shown = capfd.readouterr().out
    assert "memory" in shown.splitlines()[0]
    assert "No machine was examined" in shown


def test_a_pipe_as_json(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    piped(monkeypatch, OUT_OF_MEMORY.encode())
    run_command(["diagnose", "--json", "-"])
    case = json.loads(capfd.readouterr().out)
    best = case["findings"][0]
    assert best["cause"] == "gpu-out-of-memory"
    assert set(best) >= CONTRACT
    assert 5 in best["evidence"][0]["lines"]
    assert case["facts"]["told"] is True
    assert [log["text"] for log in case["facts"]["logs"]] == [OUT_OF_MEMORY]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_with_a_name_is_read_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As of `naosu diagnose <(journalctl -k)`: what was read of it is gone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(OUT_OF_MEMORY,), daemon=True)
    writer.start()
    assert run_command(["diagnose", str(pipe)]) == 1
    assert "memory" in capfd.readouterr().out.splitlines()[0]
    writer.join()


def test_the_case_comes_back(ticket: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "case.json"
    run_command(["diagnose", str(ticket), "--json", str(saved), "--no-redact", "--quiet"])
    run_command(["show", str(saved), "--json"])
    again = json.loads(capfd.readouterr().out)
    first = json.loads(saved.read_bytes())
    assert [finding["cause"] for finding in again["findings"]] == [finding["cause"] for finding in first["findings"]]
    assert again["facts"] == first["facts"]


@pytest.mark.parametrize(("language", "word"), [("en", "Thank you"), ("ja", "ありがとうございます")])
def test_an_answer_to_paste_back(ticket: Path, capfd: pytest.CaptureFixture[str], language: str, word: str) -> None:
    run_command(["diagnose", str(ticket), "--reply", "--lang", language])
    reply = capfd.readouterr().out
    assert word in reply.splitlines()[0]
    assert "torch.OutOfMemoryError" in reply  # the line that shows it


@pytest.mark.parametrize("data", [b"", b"\n \n", "うまく動きません".encode(), "It does not work.".encode("utf-16")])
def test_what_says_nothing_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    piped(monkeypatch, data)
    assert run_command(["diagnose", "--json"]) == 0  # nothing found
    best = json.loads(capfd.readouterr().out)["findings"][0]
    assert best["cause"] == "unknown"
    assert best["questions"]


NVIDIA_SMI = """\
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA A100-SXM4-40GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   34C    P0             55W /  400W |   39870MiB /  40960MiB |      0%      Default |
|    0   N/A  N/A     91245      C   python                                      39860MiB |
"""


@pytest.mark.parametrize(("language", "word"), [("en", "They do show"), ("ja", "原因とは限りません")])
def test_an_answer_without_a_cause_says_what_was_seen(
    language: str, word: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    piped(monkeypatch, NVIDIA_SMI.encode())
    run_command(["diagnose", "--reply", "--quiet", "--lang", language])
    reply = capfd.readouterr().out
    assert word in reply
    assert "91245" in reply
    piped(monkeypatch, b"It does not work.")
    run_command(["diagnose", "--reply", "--quiet", "--lang", language])
    assert word not in capfd.readouterr().out


def test_what_is_no_text_is_refused_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "screen.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    assert run_command(["diagnose", str(picture)]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "screen.png is not a text" in line


def test_a_file_that_is_not_there(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", "/nowhere/ticket.txt"]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("option", ["--reply", "--json", "--markdown", "--pdf"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_ticket_behind_an_option_is_not_overwritten(
    ticket: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], option: str, language: str
) -> None:
    piped(monkeypatch, b"")
    assert run_command(["diagnose", option, str(ticket), "--lang", language]) == 2
    assert ticket.read_text(encoding="utf-8") == OUT_OF_MEMORY
    (line,) = capfd.readouterr().err.splitlines()
    assert f"{option}={ticket}" in line


@pytest.mark.parametrize("spelling", ["--reply={old}", "- --reply {old}", "--reply {new}"])
def test_an_answer_is_written_where_it_is_meant_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("")
    piped(monkeypatch, OUT_OF_MEMORY.encode())
    assert run_command(["diagnose", *spelling.format(old=old, new=new).split(" ")]) in {0, 1}
    assert "torch.OutOfMemoryError" in (new if "new" in spelling else old).read_text(encoding="utf-8")


def test_an_earlier_report_is_replaced(
    qapp: QApplication, ticket: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.pdf"
    report.touch()
    for _ in range(2):
        piped(monkeypatch, OUT_OF_MEMORY.encode())
        assert run_command(["diagnose", "--pdf", str(report)]) == 1


@pytest.mark.parametrize("kind", ["json", "pdf"])
def test_a_report_is_no_ticket(
    qapp: QApplication, ticket: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    report = tmp_path / f"report.{kind}"
    run_command(["diagnose", str(ticket), f"--{kind}", str(report), "--quiet"])
    assert run_command(["diagnose", str(report)]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert f"naosu show {report}" in line


def test_a_ticket_in_json_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"format": 1, "message": OUT_OF_MEMORY}), encoding="utf-8")
    assert run_command(["diagnose", str(path)]) == 1


def test_two_files(ticket: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", str(ticket), str(ticket)]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "one file at a time" in line


@pytest.mark.parametrize("text", ["CUDA out of memory", "CUDA out of memory " * 1000])
def test_a_text_instead_of_a_file(capfd: pytest.CaptureFixture[str], text: str) -> None:
    assert run_command(["diagnose", text]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "| naosu diagnose" in line


# --- many ------------------------------------------------------------------------------------------------------------


def answers(capfd: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def test_many_in_their_order(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tickets = tmp_path / "tickets.jsonl"
    rows = [{"id": "b", "text": OUT_OF_MEMORY, "more": 1}, {"text": "", "id": 7}, {"text": OUT_OF_MEMORY}]
    tickets.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run_command(["diagnose", "--json-lines", str(tickets)]) == 1
    found = answers(capfd)
    assert [answer["id"] for answer in found] == ["b", 7, None]
    causes = [answer["findings"][0]["cause"] for answer in found]  # type: ignore[index]
    assert causes == ["gpu-out-of-memory", "unknown", "gpu-out-of-memory"]
    assert all(set(finding) >= CONTRACT for answer in found for finding in answer["findings"])  # type: ignore[attr-defined]


def test_many_from_a_pipe(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    piped(monkeypatch, json.dumps({"id": 1, "text": OUT_OF_MEMORY}).encode())
    assert run_command(["diagnose", "--json-lines", "-"]) == 1
    assert [answer["id"] for answer in answers(capfd)] == [1]


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(b"{", id="no-json"),
        pytest.param(b"[]", id="a-list"),
        pytest.param(b'{"id": 1}', id="no-text"),
        pytest.param(b'{"text": 5}', id="a-number"),
        pytest.param(b'{"text": "\xff"}', id="no-utf-8"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_a_line_that_is_no_ticket_spoils_no_other(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], wrong: bytes
) -> None:
    tickets = tmp_path / "tickets.jsonl"
    good = json.dumps({"id": 2, "text": OUT_OF_MEMORY}).encode()
    tickets.write_bytes(wrong + b"\n" + good + b"\n")
    assert run_command(["diagnose", "--json-lines", str(tickets)]) == 2
    bad, fine = answers(capfd)
    assert "line 1" in str(bad["error"])
    assert bad["findings"] == []
    assert fine["id"] == 2


@pytest.mark.parametrize("name", ["7", '"b"', "1.50", "12345678901234567890123", '{"a": [null]}', r'"\ud800"'])
def test_the_id_comes_back_whatever_it_is(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    piped(monkeypatch, f'{{"id": {name}, "text": ""}}\n{{"id": {name}}}'.encode())
    run_command(["diagnose", "--json-lines", "-"])
    assert [answer["id"] for answer in answers(capfd)] == [json.loads(name)] * 2


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b" "])
def test_what_editors_and_loggers_leave_in_the_lines(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], before: bytes
) -> None:
    text = OUT_OF_MEMORY + "\udcff"  # a byte that was no UTF-8 when Python read it
    piped(monkeypatch, before + json.dumps({"text": text}).encode() + b"\r\n")
    assert run_command(["diagnose", "--json-lines", "-"]) == 1
    assert answers(capfd)[0]["findings"][0]["cause"] == "gpu-out-of-memory"  # type: ignore[index]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("way", ["file", "pipe"])
def test_lines_as_powershell_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], encoding: str, way: str
) -> None:
    rows = "".join(json.dumps({"id": name, "text": OUT_OF_MEMORY + "Ċ"}, ensure_ascii=False) + "\r\n" for name in "ab")
    data = ("\ufeff" + rows).encode(encoding)
    tickets = tmp_path / "tickets.jsonl"
    tickets.write_bytes(data)
    piped(monkeypatch, data)
    assert run_command(["diagnose", "--json-lines", str(tickets) if way == "file" else "-"]) == 1
    assert [answer["id"] for answer in answers(capfd)] == ["a", "b"]


def test_private_values_are_hidden_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = OUT_OF_MEMORY.replace("Tried", "/home/alice/train.py C:\\Users\\alice\\x hf_" + "a1" * 12 + " Tried")
    for options, is_hidden in (([], True), (["--no-redact"], False)):
        piped(monkeypatch, json.dumps({"id": "alice", "text": text}).encode())
        run_command(["diagnose", "--json-lines", "-", *options])
        (answer,) = answers(capfd)
        assert answer["id"] == "alice"
        shown = json.dumps(answer["findings"])
        assert ("alice" not in shown and "hf_a1" not in shown) is is_hidden


def test_the_terminal_shows_no_key(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    key = "hf_" + "a1" * 12
    for options, is_hidden in (([], True), (["--no-redact"], False)):
        piped(monkeypatch, OUT_OF_MEMORY.replace("CUDA out of memory", f"CUDA out of memory, token {key}").encode())
        run_command(["diagnose", "-", *options])
        shown = capfd.readouterr().out
        assert "out of memory" in shown
        assert (key not in shown) is is_hidden


def test_words_of_the_users_own_are_hidden(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    piped(monkeypatch, OUT_OF_MEMORY.replace("Tried", "in bluebird/train.py and BLUEBIRD2, Tried").encode())
    saved = tmp_path / "case.json"
    run_command(["diagnose", "-", "--json", str(saved), "--redact", "Bluebird", "--redact", "nowhere", "--quiet"])
    shown = saved.read_text("utf-8")
    assert "in <word-1>/train.py and BLUEBIRD2" in shown  # another word


def test_nothing_to_answer_is_fine(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    piped(monkeypatch, b"\n")
    assert run_command(["diagnose", "--json-lines", "-"]) == 0
    assert not answers(capfd)


@pytest.mark.parametrize("other", [["--json"], ["--reply"], ["--pdf", "a.pdf"]])
def test_one_kind_of_answer(ticket: Path, capfd: pytest.CaptureFixture[str], other: list[str]) -> None:
    assert run_command(["diagnose", "--json-lines", str(ticket), *other]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_one_way_to_name_the_tickets(ticket: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", str(ticket), "--json-lines", str(ticket)]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "options", "word"),
    [
        ("起動しません。torch.OutOfMemoryError: CUDA out of memory.", [], "ありがとう"),
        ("It fails: torch.OutOfMemoryError: CUDA out of memory.", [], "Thank"),
        ("起動しません。torch.OutOfMemoryError: CUDA out of memory.", ["--lang", "en"], "Thank"),
    ],
)
def test_the_answer_is_in_the_language_of_the_ticket(
    text: str, options: list[str], word: str, tmp_path: Path, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("NAOSU_LANG", "en" if "ありがとう" in word else "ja")
    ticket = tmp_path / "ticket.txt"
    ticket.write_text(text, encoding="utf-8")
    run_command(["diagnose", str(ticket), "--reply", *options])
    assert word in capfd.readouterr().out.splitlines()[0]


NO_GPU = "torch.cuda.is_available() returns False. What can I do?"


@pytest.fixture
def open_ticket(tmp_path: Path) -> str:
    path = tmp_path / "open.txt"
    path.write_text(NO_GPU, encoding="utf-8")
    return str(path)


def test_the_one_question_of_an_open_ticket(open_ticket: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["diagnose", open_ticket, "--json"])
    question = json.loads(capfd.readouterr().out)["question"]
    assert question["id"] == "nvidia-smi"
    assert set(question) == {"id", "text", "choices", "gain", "why"}
    assert question["why"].startswith("The answer decides between: ")


def test_every_line_of_many_has_its_question(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "many.jsonl"
    sure = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    path.write_text("\n".join(json.dumps({"id": 1, "text": text}) for text in (NO_GPU, sure)), encoding="utf-8")
    run_command(["diagnose", "--json-lines", str(path)])
    first, second = answers(capfd)
    assert first["question"]["id"] == "nvidia-smi"  # type: ignore[index]
    run_command(["diagnose", "--json-lines", str(path), "--lang", "ja"])
    assert "何と表示しますか" in answers(capfd)[0]["question"]["text"]  # type: ignore[index]
    assert second["question"] is None or set(second["question"]) == {"id", "text", "choices", "gain", "why"}  # type: ignore[call-overload]


def test_a_certain_ticket_has_no_question(ticket: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["diagnose", str(ticket), "--json"])
    assert json.loads(capfd.readouterr().out)["question"] is None


def test_answers_are_given_one_after_another(open_ticket: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["diagnose", open_ticket, "--json", "--answer", "?", "--answer", "2.6.0+cpu None False"])
    case = json.loads(capfd.readouterr().out)
    assert [one["question"] for one in case["facts"]["asked"]] == ["nvidia-smi", "torch-build"]
    assert case["findings"][0]["cause"] == "framework-cpu-only-build"


def test_an_answer_without_a_question_is_refused(ticket: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", str(ticket), "--answer", "yes"]) == 2
    assert "nothing is asked" in capfd.readouterr().err


def test_what_is_none_of_the_answers_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text("I trained the network yesterday with 91 percent, today only 88. I changed nothing at all.")
    assert run_command(["diagnose", str(path), "--answer", "perhaps"]) == 2
    assert "Between what do the results differ?" in capfd.readouterr().err
    assert run_command(["diagnose", str(path), "--answer", "runs"]) in {0, 1}


def test_an_answer_goes_to_the_question_that_it_fits(open_ticket: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["diagnose", open_ticket, "--json", "--answer", "2.6.0+cpu None False"])
    case = json.loads(capfd.readouterr().out)
    assert [one["question"] for one in case["facts"]["asked"]] == ["torch-build"]
    assert case["findings"][0]["cause"] == "framework-cpu-only-build"


def test_what_fits_no_open_question_is_refused_with_what_would(
    open_ticket: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["diagnose", open_ticket, "--answer", "banana"]) == 2
    refusal = capfd.readouterr().err
    assert "none of the open questions" in refusal
    assert '1  What does "nvidia-smi" print' in refusal
    assert "2  What does this print" in refusal
    assert run_command(["diagnose", open_ticket, "--answer", "2=banana"]) == 2
    assert "What does this print" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["2", "torch-build"])
def test_which_question_is_answered_can_be_said(name: str, open_ticket: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["diagnose", open_ticket, "--json", "--answer", f"{name}=?"])
    case = json.loads(capfd.readouterr().out)
    assert [one["question"] for one in case["facts"]["asked"]] == ["torch-build"]


def test_what_could_answer_two_questions_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text("I trained the network yesterday with 91 percent, today only 88. I changed nothing at all.")
    assert run_command(["diagnose", str(path), "--answer", "1"]) == 2
    assert "2=TEXT" in capfd.readouterr().err


def test_asking_needs_a_terminal(open_ticket: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", open_ticket, "--ask"]) == 2
    assert "--answer" in capfd.readouterr().err


def test_a_thread(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "thread.json"
    said = [("kim", NO_GPU), ("desk", "What does nvidia-smi print?"), ("kim", "No devices were found")]
    path.write_text(json.dumps([{"author": author, "text": text} for author, text in said]), encoding="utf-8")
    run_command(["diagnose", "--thread", str(path), "--json"])
    case = json.loads(capfd.readouterr().out)
    assert case["facts"]["asked"][0]["question"] == "nvidia-smi"


def test_a_mailbox_of_several_conversations_is_listed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    mark = "From x@example.org Mon Jan  1 00:00:00 2024\n"
    texts = {"No GPU here": NO_GPU, "Slow": "It is slow."}
    mails = [
        f"{mark}From: kim@example.org\nSubject: {subject}\nTo: desk@example.org\n\n{text}\n\n"
        for subject, text in texts.items()
    ]
    path = tmp_path / "box.mbox"
    path.write_text("".join(mails), encoding="utf-8")
    assert run_command(["diagnose", "--thread", str(path)]) == 2
    refusal = capfd.readouterr().err
    assert "--conversation" in refusal
    assert "1  No GPU here (mails: 1)" in refusal
    assert run_command(["diagnose", "--thread", str(path), "--conversation", "1"]) in {0, 1}
    assert run_command(["diagnose", "--thread", str(path), "--conversation", "9"]) == 2
    assert "no conversation 9" in capfd.readouterr().err


def test_what_is_no_thread(ticket: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diagnose", "--thread", str(ticket)]) == 2
    assert "mbox" in capfd.readouterr().err
    assert run_command(["diagnose", "--thread", str(tmp_path / "none")]) == 2
    assert run_command(["diagnose", "--thread", str(ticket), str(ticket)]) == 2


def test_a_reply_asks_two_questions_at_most(open_ticket: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["diagnose", open_ticket, "--reply"])
    shown = capfd.readouterr().out
    assert 1 <= shown.count("?\n") + shown.count("prints?") <= 3
    assert sum(line.startswith("- ") for line in shown.splitlines()) <= 2
