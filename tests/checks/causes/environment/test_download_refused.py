"""download-refused, on programs that really failed (tests/recordings/runs): no network, or a hub of our own."""

from pathlib import Path

import msgspec
import pytest

from checks.analysis.failures.downloads import host_of, is_own_service
from checks.causes.environment.download_refused import REMEDIES, download_refused
from checks.facts import EnvironmentVariables, Facts, Frame, ProgramRun, ProgramRuns, PythonProcess, Raised, SentFile
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.phrase import Phrase
from checks.judgement.judge import judged
from checks.knowledge.catalogue import remedy_of
from checks.knowledge.errors.downloads import Downloads
from checks.knowledge.phrases import phrases, title_of, words_of

RECORDINGS = Path(__file__).parents[3] / "recordings/runs"

EXPECTED = {
    # recording: (why, what was wanted, who was asked)
    "g1-transformers-no-token": ("gated", "org/gated-model", "127.0.0.1"),
    "g2-transformers-403": ("gated", "org/gated-model", "127.0.0.1"),
    "g5-datasets": ("gated", "org/gated-model", ""),
    "t1-bad-token": ("token", "org/badtoken", "127.0.0.1"),
    "b1-busy": ("too-many", "org/busy", "127.0.0.1"),
    "b2-down": ("server-fault", "org/down", "127.0.0.1"),
    "b3-forbidden": ("forbidden", "org/forbidden", "127.0.0.1"),
    "f1-urllib-403": ("forbidden", "", "127.0.0.1"),
    "f3-torch-hub-403": ("forbidden", "", "127.0.0.1"),
    "c1-requests": ("certificate", "", "localhost"),
    "c4-transformers": ("certificate", "bert-base-uncased", "localhost"),
    "p1-requests-407": ("proxy", "bert-base-uncased", "huggingface.co"),
    "p2-transformers-407": ("proxy", "bert-base-uncased", ""),
    "p3-urllib-407": ("proxy", "", ""),
    "p6-hub-no-proxy-there": ("cut-off", "bert-base-uncased", ""),
    "o1-transformers-offline": ("switched-off-by-variable", "bert-base-uncased", "huggingface.co"),
    "o2-hub-offline": ("switched-off-by-variable", "bert-base-uncased", "huggingface.co"),
    "o3-transformers-variable": ("switched-off-by-variable", "bert-base-uncased", "huggingface.co"),
    "o4-datasets-offline": ("switched-off-by-variable", "squad", ""),
    "o5-local-files-only": ("switched-off", "bert-base-uncased", "huggingface.co"),
    "n1-transformers": ("unknown-name", "bert-base-uncased", "huggingface.co"),
    "n6-torch-hub": ("unknown-name", "pytorch/vision", ""),
    "n7-datasets": ("unreached", "squad", ""),
    "n8-nltk": ("unknown-name", "", "raw.githubusercontent.com"),
    "n9-requests": ("unknown-name", "", "github.com"),
    "n10-httpx": ("unknown-name", "bert-base-uncased", "huggingface.co"),
    "n13-mnist": ("unknown-name", "", "ossci-datasets.s3.amazonaws.com"),
    "y6-gensim": ("unreached", "", ""),
    "y10-exit": ("unknown-name", "", "huggingface.co"),
    "n15-snapshot": ("unknown-name", "bert-base-uncased", ""),
}
# A name or a file that is not there; a service of one's own that does not run; an error after the refusal was handled.
NOT_OURS = {
    "l1-local-folder": "model-file-not-found",
    "l2-local-file": "model-file-not-found",
    "l3-no-such-name": "model-file-not-found",
    "l4-no-such-file": "model-file-not-found",
    "l7-fallback-missing": "model-file-not-found",
    "l8-local-service": "unknown",
    "l9-handler-own-bug": "user-code-error",
}


MAX_RETRIES = (
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='huggingface.co', port=443): "
    "Max retries exceeded with url: /bert (Caused by NameResolutionError)"
)


def facts_of(name: str) -> Facts:
    return msgspec.json.decode((RECORDINGS / f"download-{name}.json").read_bytes(), type=Facts)


def found_in(facts: Facts) -> list[Finding]:
    return list(download_refused(facts.program_runs, facts.environment))


def reason_of(finding: Finding) -> str:
    refusal = finding.values["refusal"]
    assert isinstance(refusal, Phrase)
    refusal = refusal.values.get("refusal", refusal)
    assert isinstance(refusal, Phrase)
    return refusal.key.removeprefix("refusal-")


@pytest.mark.parametrize("name", EXPECTED)
def test_why_nothing_came(name: str) -> None:
    reason, wanted, host = EXPECTED[name]
    (finding,) = found_in(facts_of(name))
    shown = finding.placeholders()
    assert (reason_of(finding), shown.get("download_wanted", ""), shown.get("download_address", "")) == (
        reason, wanted, host,
    )  # fmt: skip
    assert finding.severity is Severity.BLOCKING
    assert FAILED_RUN in finding.values


@pytest.mark.parametrize("name", EXPECTED)
def test_it_comes_first(name: str) -> None:
    assert judged(facts_of(name), Answers()).findings[0].cause == "download-refused"


@pytest.mark.parametrize("name", NOT_OURS)
def test_silent_where_nothing_was_refused_in_the_end(name: str) -> None:
    assert found_in(facts_of(name)) == []
    assert judged(facts_of(name), Answers()).findings[0].cause == NOT_OURS[name]


def test_the_variable_is_named_with_its_own_remedy() -> None:
    (finding,) = found_in(facts_of("o3-transformers-variable"))
    assert finding.placeholders()["variable"] == "TRANSFORMERS_OFFLINE"
    assert finding.remedies[0] == "unset-environment-variable"
    assert "TRANSFORMERS_OFFLINE" in words_of(finding, "en")["refusal_because"]


def title_in(recording: str, language: str) -> str:
    (finding,) = found_in(facts_of(recording))
    return title_of(msgspec.structs.replace(finding, cause="download-refused"), language)


def test_the_title_names_what_was_asked_for() -> None:
    gated = "the model is gated, and you are not let in (org/gated-model)"
    assert title_in("g1-transformers-no-token", "en").endswith(gated)
    assert "github.com" in title_in("n9-requests", "ja")


def test_where_no_variable_is_set_the_program_itself_forbids_it() -> None:
    facts = facts_of("o5-local-files-only")
    nothing_set = msgspec.structs.replace(facts, environment=EnvironmentVariables(values={"HF_HUB_OFFLINE": "0"}))
    assert reason_of(found_in(nothing_set)[0]) == "switched-off-by-program"


def test_every_reason_has_its_words_and_remedies() -> None:
    for row in Downloads.read().refusal:
        assert {f"refusal-{row.id}", f"refusal-{row.id}-because"} <= phrases().keys()
    for remedies in REMEDIES.values():
        assert all(remedy_of(remedy) for remedy in remedies)


def failed(*, errors: str = "", raised: Raised | None = None, **more: object) -> Facts:
    python = (PythonProcess(pid=1, raised=raised),) if raised else ()
    run = ProgramRun(command=("python", "app.py"), exit_code=1, errors=errors, pythons=python)
    return Facts(runs=(msgspec.structs.replace(run, **more),))


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        ("curl: (6) Could not resolve host: huggingface.co\nfailed to download model", "unknown-name"),
        ("Error: Access to model google/gemma-2-2b is restricted. Please log in.", "gated"),
        ("Downloading weights\nurllib.error.HTTPError: HTTP Error 503: Service Unavailable", "server-fault"),
        ("dial tcp 127.0.0.1:11434: connect: Connection refused", ""),
        ("HTTP Error 403: Forbidden", ""),
        ("Killed", ""),
        ("", ""),
    ],
)
def test_what_a_program_only_prints(errors: str, reason: str) -> None:
    assert [reason_of(finding) for finding in found_in(failed(errors=errors))] == ([reason] if reason else [])


def test_a_program_that_went_on_and_worked_is_not_accused() -> None:
    words = "OSError: We couldn't connect to 'https://huggingface.co' to load the files"
    assert found_in(failed(errors=words, exit_code=0)) == []


def test_an_answer_of_a_server_that_is_asked_for_no_file_is_no_download() -> None:
    raised = Raised(
        type="requests.exceptions.HTTPError",
        message="401 Client Error: Unauthorized for url: https://api.example.com/v1/chat",
        frames=(Frame(file="/home/user/app.py", function="ask", code="answer.raise_for_status()"),),
    )
    assert found_in(failed(raised=raised)) == []


def test_what_the_program_makes_of_it_on_purpose_is_passed_on() -> None:
    before = Raised(type="socket.gaierror", message="[Errno -2] Name or service not known")
    frame = Frame(file="/app.py", function="fetch_weights", code='raise RuntimeError("no weights") from error')
    last = Raised(type="RuntimeError", message="no weights", frames=(frame,))
    python = PythonProcess(pid=1, raised=last, led_there=(before,))
    runs = ProgramRuns(runs=(ProgramRun(command=("app.py",), exit_code=1, pythons=(python,)),))
    (finding,) = download_refused(runs, None)
    assert reason_of(finding) == "unknown-name"


@pytest.mark.parametrize(
    ("text", "reason", "remedy"),
    [
        ("OSError: You are trying to access a gated repo.", "gated", "ask-for-model-access"),
        (MAX_RETRIES, "unreached", "check-network-connection"),
        ("huggingface_hub.errors.OfflineModeIsEnabled: offline mode", "switched-off", "allow-model-download"),
    ],
)  # fmt: skip
def test_a_pasted_text_tells_why_too(text: str, reason: str, remedy: str) -> None:
    facts = Facts(reported=True, logs=(SentFile(name="log", kind="log", text=text),))
    finding = judged(facts, Answers()).findings[0]
    assert (finding.cause, reason_of(finding), finding.remedies[0]) == ("download-refused", reason, remedy)
    assert phrases()[f"refusal-{reason}"].ja in title_of(finding, "ja")


@pytest.mark.parametrize(
    ("address", "host", "is_own"),
    [
        ("https://huggingface.co/x", "huggingface.co", False),
        ("http://127.0.0.1:9/x", "127.0.0.1", True),
        ("http://[::1]:9/x", "::1", True),
        ("localhost", "localhost", True),
        ("http://model-server:8000/v1", "model-server", True),
        ("http://192.168.1.20:11434/api", "192.168.1.20", True),
        ("http://nas.local/x", "nas.local", True),
        ("http://[bad", "", False),
        ("", "", False),
    ],
)
def test_hosts(address: str, host: str, is_own: bool) -> None:
    assert host_of(address) == host
    assert is_own_service(host) is is_own


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("jwt.ExpiredSignatureError", "token is expired"),
        ("openai.AuthenticationError", "Error code: 401 - Your token doesn't have access"),
        ("ValueError", "Token is required"),
    ],
)
def test_a_token_of_something_else_is_no_download(kind: str, message: str) -> None:
    frame = Frame(file="/home/user/app.py", line=3, function="main", code="client.ask()")
    python = PythonProcess(pid=1, raised=Raised(type=kind, message=message, frames=(frame,)))
    run = ProgramRun(command=("python", "app.py"), exit_code=1, pythons=(python,))
    assert not list(download_refused(ProgramRuns(runs=(run,)), EnvironmentVariables()))
