"""``naosu served URL``: what it announces, says and writes, on servers that play what real ones answered."""

import itertools
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from support.played_server import TINY
from support.served_player import Recording, Reply, Respond, json_reply, serving

from checks.engine.served import plan
from wizard.cli.command_line import run_command

SMALL = "llama-four-slots"


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_LANG", "en")
    monkeypatch.setitem(plan.AMOUNTS, "quick", TINY)


def answering(text: str) -> Respond:
    """A server that always answers the same, to whatever it is asked."""

    def respond(handler: BaseHTTPRequestHandler, _body: bytes) -> Reply:
        if handler.path == "/v1/models":
            return json_reply({"data": [{"id": "tiny", "owned_by": "vllm"}]})
        if handler.path == "/version":
            return json_reply({"version": "0.15.0"})
        return json_reply({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    return respond


def test_a_whole_examination(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.played_server import SMALL as AMOUNT

    monkeypatch.setitem(plan.AMOUNTS, "quick", AMOUNT)
    paths = [tmp_path / f"case.{ending}" for ending in ("json", "md")]
    with serving(Recording(SMALL)) as url:
        status = run_command(
            ["served", url, "-v", "--effort", "quick", "--json", str(paths[0]), "--markdown", str(paths[1])]
        )
    captured = capsys.readouterr()
    host = url.removeprefix("http://")
    assert f"Asking {host}, and nobody else: at most" in captured.err
    assert "Other requests at the same time change the server's token probabilities" in captured.out
    assert "all 3 tries were the same" in captured.out
    assert status == 0  # rounding is no fault
    told = json.loads(paths[0].read_bytes())
    assert told["findings"][0]["cause"] == "served-batch-dependence"
    assert told["facts"]["served"]["trials"]
    assert "| alone |" in paths[1].read_text(encoding="utf-8")


def test_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(answering("one two")) as url:
        assert run_command(["served", url, "-v", "--effort", "quick", "--lang", "ja"]) == 0
    captured = capsys.readouterr()
    assert "だけに問い合わせます" in captured.err
    assert "回答はすべて同じでしたが" in captured.out
    assert "VLLM_BATCH_INVARIANT=1" in captured.out


def test_a_prompt_of_the_users_is_asked_and_hidden_in_the_report(tmp_path: Path) -> None:
    prompt, case = tmp_path / "mine.txt", tmp_path / "case.json"
    prompt.write_text("Write to jane.roe@company.example about the sea.", encoding="utf-8")
    with serving(answering("Dear jane.roe@company.example")) as url:
        run_command(["served", url, "--effort", "quick", "--quiet", "--prompt", str(prompt), "--json", str(case)])
    told = case.read_text(encoding="utf-8")
    assert "about the sea" in told
    assert "jane" not in told


def test_the_key_reaches_the_server_and_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SERVER_KEY", "k3y-of-the-server")
    heard = set()

    def listening(handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        heard.add(handler.headers.get("Authorization"))
        return answering("one two")(handler, body)

    paths = [tmp_path / f"case.{ending}" for ending in ("json", "md", "pdf")]
    outputs = [word for path in paths for word in (f"--{path.suffix[1:].replace('md', 'markdown')}", str(path))]
    with serving(listening) as url:
        run_command(
            ["served", url, "-v", "--effort", "quick", "--key-variable", "MY_SERVER_KEY", "--no-redact", *outputs]
        )
    captured = capsys.readouterr()
    assert heard == {"Bearer k3y-of-the-server"}
    assert "MY_SERVER_KEY is sent along unencrypted" in captured.err
    assert not [path for path in paths if b"k3y-of" in path.read_bytes()]
    assert "k3y-of" not in captured.out + captured.err


def test_a_mode_that_is_claimed_and_held(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(answering("one two")) as url:
        run_command(["served", url, "--effort", "quick", "--times", "12", "--deterministic", "-v"])
    told = capsys.readouterr().out
    assert "Every prompt got the same answer each time: 36 answers" in told
    assert "Not confirmed: The deterministic mode" not in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["localhost:8000"], "write http://localhost:8000", id="no-scheme"),
        pytest.param(["http://host", "--times", "1"], "no whole number from 2 to 1000", id="too-few-times"),
        pytest.param(["http://host", "--times", "many"], "no whole number from 2 to 1000", id="no-number"),
        pytest.param(["http://host", "--prompt", "nowhere.txt"], "nowhere.txt cannot be read", id="no-prompt"),
        pytest.param(["http://host", "--key-variable", "NO_SUCH"], "NO_SUCH is not set", id="no-key"),
        pytest.param(["http://127.0.0.1:1"], "no server listens at this address", id="no-server"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["served", "--effort", "quick", "--quiet", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_a_server_that_fails_now_and_then_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    count = itertools.count(1)

    def failing(handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        if "completions" in handler.path and next(count) % 4 == 0:
            return json_reply({"error": {"message": "CUDA out of memory"}}, 500)
        return answering("one two")(handler, body)

    with serving(failing) as url:
        assert run_command(["served", url, "--effort", "quick"]) == 1
    told = capsys.readouterr().out.splitlines()[0]
    assert "(status 500). CUDA out of memory. " in told


def test_two_saved_examinations_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("before", "the sea is wide"), ("after", "the sea is deep")):
        with serving(answering(text)) as url:
            run_command(["served", url, "--effort", "quick", "--quiet", "--json", str(tmp_path / f"{name}.json")])
    both = [str(tmp_path / f"{name}.json") for name in ("before", "after")]
    assert run_command(["compare", *both, "--lang", "ja"]) == 1  # nobody knows why: no probabilities
    assert "before.jsonとafter.jsonは、3件のプロンプトのうち0件で同じ回答でした" in capsys.readouterr().out
    assert run_command(["compare", both[0], both[0]]) == 0
    assert "gave the same answers to 3 of 3 prompts" in capsys.readouterr().out
