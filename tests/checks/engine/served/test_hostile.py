"""What is no server, no answer, or a hostile one: one problem by its name, an end in time, and nobody else is asked."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from support.played_server import TINY, asked
from support.served_player import Reply, json_reply, serving

from checks.engine.served import plan
from checks.engine.served.address import RequestError, understood
from checks.facts import ServedAspect
from checks.probes.served import connection
from wizard.report.content.measured.served import problem_words

MODELS = {"object": "list", "data": [{"id": "tiny", "owned_by": "nobody"}]}


def completion(text: str = "one two", **more: Any) -> dict[str, Any]:
    """An answer as the protocol has it."""
    return {"model": "tiny", "choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop", **more}]}


def answering(respond: Callable[[str, bytes], Reply | None]) -> Callable[[BaseHTTPRequestHandler, bytes], Reply | None]:
    """A server that has a model, and answers prompts as told."""

    def any_of(handler: BaseHTTPRequestHandler, body: bytes) -> Reply | None:
        if handler.path == "/v1/models":
            return json_reply(MODELS)
        return respond(handler.path, body) if "completions" in handler.path else json_reply({}, 404)

    return any_of


def status(code: int, words: str = "") -> Callable[[BaseHTTPRequestHandler, bytes], Reply]:
    return lambda _handler, _body: json_reply({"error": {"message": words}}, code)


def redirecting(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    handler.send_response(307)
    handler.send_header("Location", "http://elsewhere.example/v1/models?key=secret")
    handler.end_headers()


def breaking_off(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.close_connection = True


def no_http(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    handler.wfile.write(b"220 mail.example ESMTP ready\r\n" * 3)
    handler.close_connection = True


def hanging_up(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    handler.close_connection = True


HOSTILE = {
    "no-key": status(401, "missing key"),
    "forbidden": status(403),
    "too-many": status(429, "slow down"),
    "fault": status(500, "CUDA error"),
    "refused": status(400),
    "redirect": redirecting,
    "html": lambda _handler, _body: (200, "text/html", b"<!doctype html><p>log in</p>"),
    "not-json": lambda _handler, _body: (200, "application/json", b"{'data': nonsense"),
    "not-compatible": lambda _handler, _body: json_reply({"status": "ok"}),
    "broken": breaking_off,
    "not-http": no_http,
}


@pytest.mark.parametrize("problem", HOSTILE)
def test_the_problem_has_its_name_and_one_sentence(problem: str) -> None:
    with serving(HOSTILE[problem]) as url:
        found = asked(url)
    assert found.problem == problem
    assert found.trials == ()
    for language in ("en", "ja"):
        sentence = problem_words(found, language)
        assert sentence
        assert not set("{}\n") & set(sentence)
        assert "secret" not in sentence


def test_a_page_in_place_of_the_api_is_not_read_as_a_missing_path() -> None:
    with serving(lambda _handler, _body: (404, "text/html", b"<html>not here</html>")) as url:
        assert asked(url).problem == "html"


def test_a_server_that_hangs_up() -> None:
    with serving(hanging_up) as url:
        assert asked(url).problem == "broken"


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert asked(f"http://127.0.0.1:{port}").problem == "no-server"


def test_https_to_a_server_without_it() -> None:
    with serving(status(200)) as url:
        assert asked(url.replace("http:", "https:")).problem == "tls"


def test_a_certificate_that_nobody_trusts(monkeypatch: pytest.MonkeyPatch) -> None:
    def untrusted(_self: object) -> None:
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "self-signed certificate"
        raise error

    monkeypatch.setattr(http.client.HTTPSConnection, "connect", untrusted)
    found = asked("https://localhost:1")
    assert found.problem == "certificate"
    assert "self-signed certificate" in problem_words(found, "en")


def test_a_name_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert asked("http://nowhere.invalid").problem == "unknown-host"


def test_a_model_that_is_not_there_names_those_that_are() -> None:
    with serving(answering(lambda _path, _body: json_reply({"error": "no such model"}, 404))) as url:
        found = asked(url, model="huge")
    assert found.problem == "unknown-model"
    assert "tiny" in problem_words(found, "en")


def test_another_name_of_a_model_is_asked_where_the_server_knows_it() -> None:
    """Ollama lists "tiny:latest" and answers to "tiny"."""
    with serving(answering(lambda _path, _body: json_reply(completion()))) as url:
        found = asked(url, model="the-tiny-one")
    assert not found.problem
    assert found.model == "the-tiny-one"


def test_tokens_that_are_not_those_of_the_text_have_no_places() -> None:
    halves = {"content": [{"token": "\ufffd", "logprob": -1.0}, {"token": "\ufffd", "logprob": -1.0}]}
    with serving(answering(lambda _path, _body: json_reply(completion("é", logprobs=halves)))) as url:
        (trial, *_) = asked(url).of(ServedAspect.ALONE)
    assert trial.answer is not None
    assert (trial.answer.ends, trial.answer.logprobs) == ((), (-1.0, -1.0))


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST", 10_000)
    with serving(answering(lambda _path, _body: json_reply(completion("x" * 20_000)))) as url:
        assert asked(url).problem == "too-long"


def test_an_answer_of_values_without_end_is_not_made_into_objects() -> None:
    """Eight megabytes of empty objects took 770 MB; an error of as many is told without its words."""
    many = b'{"choices": [' + b"{}," * connection.MOST_VALUES + b"{}]}"
    for status, problem in ((200, "too-many-values"), (500, "fault")):
        reply = (status, "application/json", many)
        with serving(answering(lambda _path, _body, reply=reply: reply)) as url:  # type: ignore[misc]
            assert asked(url).problem == problem


def test_an_answer_that_drips_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def dripping(handler: BaseHTTPRequestHandler, _body: bytes) -> Reply | None:
        if handler.path == "/v1/models":
            return json_reply(MODELS)
        if "completions" not in handler.path:
            return json_reply({}, 404)
        handler.send_response(200)
        handler.end_headers()
        while not released.wait(0.01):
            handler.wfile.write(b" ")
        return None

    monkeypatch.setattr(plan, "REQUEST_SECONDS", 0.1)
    with serving(dripping) as url:
        found = asked(url)
        released.set()
    assert found.problem == "time-out"


ODD = [
    pytest.param([], id="a-list"),
    pytest.param({"choices": []}, id="no-choice"),
    pytest.param({"choices": [7]}, id="a-number-for-a-choice"),
    pytest.param({"choices": [{"message": {"content": {"a": 1}}}]}, id="an-object-for-the-text"),
    pytest.param({"choices": {"0": {}}}, id="an-object-for-the-choices"),
]


@pytest.mark.parametrize("told", ODD)
def test_json_of_another_shape_is_not_compatible(told: object) -> None:
    with serving(answering(lambda _path, _body: json_reply(told))) as url:
        assert asked(url).problem == "not-compatible"


LOGPROBS = [
    pytest.param({"content": "no list"}, id="text-for-a-list"),
    pytest.param({"content": [{"token": 5, "logprob": -1}]}, id="a-number-for-a-token"),
    pytest.param({"content": [{"token": "a", "logprob": "low"}]}, id="text-for-a-number"),
    pytest.param({"content": [{"token": "a", "logprob": 10**400}]}, id="a-number-without-end"),
    pytest.param({"tokens": ["a", "b"], "token_logprobs": [None, -1.0]}, id="a-missing-number"),
    pytest.param({"tokens": ["a"], "token_logprobs": [-1.0, -2.0]}, id="more-numbers-than-tokens"),
]


@pytest.mark.parametrize("logprobs", LOGPROBS)
def test_probabilities_of_another_shape_are_left_out(logprobs: dict[str, Any]) -> None:
    with serving(answering(lambda _path, _body: json_reply(completion(logprobs=logprobs)))) as url:
        found = asked(url)
    assert not found.problem
    assert not found.has_tokens
    assert found.of(ServedAspect.ALONE)


def test_the_older_form_of_probabilities_is_read() -> None:
    older = {"tokens": ["one", " two"], "token_logprobs": [-0.5, -1], "top_logprobs": [{"one": -0.5, "a": -2.0}, None]}
    with serving(answering(lambda _path, _body: json_reply(completion(logprobs=older)))) as url:
        found = asked(url)
    assert found.has_tops
    (trial, *_) = found.of(ServedAspect.ALONE)
    assert trial.answer is not None
    assert trial.answer.gaps == (1.5, None)


def test_a_server_without_chat_or_probabilities_is_asked_for_plain_text() -> None:
    bodies: list[dict[str, Any]] = []

    def plain(path: str, body: bytes) -> Reply:
        bodies.append(json.loads(body))
        if "chat" in path:
            return json_reply({"error": "no chat template"}, 400)
        if "logprobs" in bodies[-1]:
            return json_reply({"error": "logprobs are not supported"}, 400)
        return json_reply({"choices": [{"text": "one two", "finish_reason": "stop"}]})

    with serving(answering(plain)) as url:
        found = asked(url)
    assert not found.problem
    assert found.endpoint == "completions"
    assert bodies[-1]["prompt"]


def test_what_fails_on_the_way_keeps_what_was_answered() -> None:
    answers: Iterator[Reply] = iter([json_reply(completion())] * 6)

    def tiring(_path: str, _body: bytes) -> Reply:
        return next(answers, json_reply({"error": {"message": "try later"}}, 429))

    with serving(answering(tiring)) as url:
        found = asked(url, TINY)
    assert not found.problem
    ended = [trial for trial in found.trials if trial.reason]
    assert {trial.reason for trial in ended} == {"too-many"}
    assert ended[0].detail == "try later"


def failing_every_fourth() -> Callable[[str, bytes], Reply]:
    """A server whose memory is full now and then."""
    count = itertools.count(1)

    def respond(_path: str, _body: bytes) -> Reply:
        if next(count) % 4:
            return json_reply(completion())
        return json_reply({"error": {"message": "CUDA out of memory"}}, 500)

    return respond


def test_a_fault_now_and_then_keeps_what_can_be_asked_and_is_counted() -> None:
    with serving(answering(failing_every_fourth())) as url:
        found = asked(url, replace(TINY, times=9))
    alone = found.of(ServedAspect.ALONE)
    assert sum(trial.repetitions for trial in alone) >= 18
    assert sum(trial.failed for trial in alone) >= 6
    assert {(trial.reason, trial.status, trial.detail) for trial in alone} == {("fault", "500", "CUDA out of memory")}
    assert found.of(ServedAspect.COMPANY)


def test_a_fault_at_the_very_first_costs_no_probabilities() -> None:
    first = itertools.count()

    def respond(_path: str, body: bytes) -> Reply:
        if not next(first):
            return json_reply({"error": {"message": "busy"}}, 500)
        told = [{"token": token, "logprob": -0.1, "top_logprobs": []} for token in ("one", " two")]
        return json_reply(completion(logprobs={"content": told}) if b"logprobs" in body else completion())

    with serving(answering(respond)) as url:
        assert asked(url, TINY).has_tokens


def test_a_server_that_only_fails_from_some_time_on_is_not_asked_for_ever() -> None:
    asked_for = itertools.count()
    answers: Iterator[Reply] = iter([json_reply(completion())] * 6)

    def failing(_path: str, _body: bytes) -> Reply:
        next(asked_for)
        return next(answers, json_reply({"error": {"message": "CUDA error"}}, 500))

    with serving(answering(failing)) as url:
        asked(url, replace(TINY, times=40))
    assert next(asked_for) < 40


def test_the_usual_answer_is_that_which_comes_most_often() -> None:
    """Else one odd answer at the beginning makes others of all that are alike."""
    came: dict[bytes, int] = {}

    def odd_at_first(_path: str, body: bytes) -> Reply:
        came[body] = came.get(body, 0) + 1
        return json_reply(completion("odd" if came[body] <= 2 else "usual"))

    with serving(answering(odd_at_first)) as url:
        found = asked(url, replace(TINY, times=9, seeds=6))
    alone = found.of(ServedAspect.ALONE)
    assert [(trial.repetitions, trial.others, trial.first_differs) for trial in alone] == [(9, 1, True)] * 3
    assert alone[0].answer is not None
    assert alone[0].answer.text == "usual"
    (seeded,) = found.of(ServedAspect.SEED)
    assert (seeded.others, seeded.distinct) == (2, 2)


def test_the_key_goes_into_the_header_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # is not asked
    heard: set[str | None] = set()

    def listening(handler: BaseHTTPRequestHandler, _body: bytes) -> Reply:
        heard.add(handler.headers.get("Authorization"))
        return json_reply(MODELS if handler.path == "/v1/models" else completion())

    with serving(listening) as url:
        found = asked(url, key_variable="MY_KEY")
        assert heard == {"Bearer sk-very-secret"}
        heard.clear()
        asked(url)
    assert heard == {None}
    assert "very-secret" not in repr(found)


def test_a_key_that_is_refused_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "wrong")
    with serving(status(401, "invalid key")) as url:
        found = asked(url, key_variable="MY_KEY")
    assert found.problem == "key-refused"
    assert problem_words(found, "en") == "the server refuses the key in MY_KEY (status 401). invalid key"


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("http://localhost:8000", "http://localhost:8000/v1"),
        ("http://localhost:8000/", "http://localhost:8000/v1"),
        ("https://host/llm/v1/", "https://host/llm/v1"),
        ("http://host/v1/chat/completions", "http://host/v1"),
        (" http://[::1]:8080/v1 ", "http://[::1]:8080/v1"),
    ],
)
def test_an_address_is_understood(written: str, base: str) -> None:
    assert understood(written) == base


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("", "address-empty"),
        ("localhost:8000", "address-no-scheme"),
        ("ftp://host", "address-scheme"),
        ("file:///etc/passwd", "address-scheme"),
        ("http://", "address-unreadable"),
        ("http://host:port", "address-unreadable"),
        ("http://host:99999", "address-unreadable"),
        ("http://user:word@host", "address-has-password"),
        ("http://host/v1?key=1", "address-has-query"),
        ("http://ho st/", "address-unreadable"),
        ("http://host/\r\nX: 1", "address-unreadable"),
        ("http://[::1", "address-unreadable"),
    ],
)
def test_what_is_no_address_is_refused(written: str, key: str) -> None:
    with pytest.raises(RequestError) as refused:
        understood(written)
    assert refused.value.key == key
    assert "word" not in str(refused.value.values)
