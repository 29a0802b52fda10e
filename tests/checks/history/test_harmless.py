"""What is kept without the redaction is what the redaction would leave alone; in doubt it is asked."""

import pytest

from checks.history import remember
from checks.history.harmless import plainly_redacted
from checks.knowledge.tickets.redaction import KnownWords
from checks.readers.private.hiding import Own
from checks.sharing.redact import redacted_plain

OWN = Own(user="hanako", home="/home/hanako", host="tanuki")
PLAIN = (
    "numpy",
    "2.4.0+cu121",
    "1.26.4 py311h0_0",
    "/home/hanako/env/bin/python",
    "/home/hanako/lib:/usr/local/cuda/lib64",
    "/opt/models/x.onnx",
    "Ubuntu 24.04.1 LTS",
    "env/bin/python train.py",
    "torch/lib/libtorch_cpu.so",
    "size 1234",
    "12 bytes, 0123456789abcdef",
    "ModuleNotFoundError: No module named 'tomli'",
    "PYTHONPATH",
    "0,1",
    "cannot import name 'x' from 'y' (/home/hanako/env/lib/python3.11/site-packages/y.py)",
    "AttributeError: module 'numpy' has no attribute 'float'",
    "NVIDIA GeForce RTX 4090",
)
DOUBTFUL = (
    "/home/taro/env/bin/python",
    "/mnt/home/x/y",
    "train.py --token abc",
    "hf_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9b",
    "user@example.com",
    "https://example.com/x",
    "tanuki",
    "/srv/hanako/x",
    "OPENAI_API_KEY",
    "C:\\Users\\Hanako",
    "ValueError: for Mr. Yamada's file",
    "花子",
    "a" * 900,
    "password=x",
    "//server/share/x",
    "cannot import name 'x' from 'y' (/home/taro/projects/secret/y.py)",
    "cannot import name 'x' from 'y' (/data/users/taro/y.py)",
    "AttributeError: module 'hanako_keys' has no attribute 'x'",
    "AttributeError: module 'keys' has no attribute 'tanuki'",
    "10.0.3.17",
    "ghp_abcdefghijabcdefghijabcdefghijabcdefgh",
    "~taro/x",
    "HANAKO~1",
    "GPU-8932f937",
    "00:1a:2b:3c:4d:5e",
    "fe80::1a2b:3c4d",
    "https://hooks.example.com/x",
)


@pytest.mark.parametrize("text", PLAIN)
def test_passes_as_the_redaction_has_it(text: str) -> None:
    shown = plainly_redacted({"x": text}, OWN)
    assert shown is not None
    assert shown == redacted_plain({"x": text}, "", OWN)


@pytest.mark.parametrize("text", DOUBTFUL)
def test_in_doubt_the_redaction_is_asked(text: str) -> None:
    assert plainly_redacted({"x": [text]}, OWN) is None
    assert plainly_redacted({text: "x"}, OWN) is None


def test_what_a_rule_of_the_redaction_hides_is_never_kept() -> None:
    for rule in KnownWords.read().rules():
        for example in rule.hidden:
            text = rule.shown_as.replace("{}", example)
            for value in ({"x": text}, {text: "x"}, {"command": text.split(" ")}):
                kept = plainly_redacted(value, OWN)
                assert kept is None or kept == redacted_plain(value, "", OWN), (rule.id, text)


def test_a_variable_and_an_option_tell_what_their_value_is() -> None:
    for value in ({"DB_PASSWORD": "hunter2x"}, {"command": ["prog", "--token", "hunter2x"]}):
        assert plainly_redacted(value, OWN) in (None, redacted_plain(value, "", OWN))


def test_a_home_that_the_redaction_does_not_know_is_left_to_it() -> None:
    own = Own(user="hanako", home="/data/hanako", host="tanuki.example.com")
    assert plainly_redacted({"x": "/data/hanako/x"}, own) is None
    assert plainly_redacted({"x": "on tanuki"}, own) is None
    assert plainly_redacted({"x": "/root/x"}, Own(user="root", home="/root")) == {"x": "/root/x"}


def test_releases_stay_and_what_only_looks_like_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remember, "this_machine", lambda: OWN)
    releases = {"nvidia-cublas-cu12": "12.4.5.8", "mine": "1.0+hanako"}
    kept = remember._redacted({"state": {"package": releases, "variable": {"SERVER": "10.0.3.17"}}}, "")["state"]
    assert kept["package"] == {"nvidia-cublas-cu12": "12.4.5.8", "mine": "1.0+<user-1>"}
    assert kept["variable"] == {"SERVER": "<ip-1>"}
