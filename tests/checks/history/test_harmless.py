"""What is kept without the redaction is what the redaction would leave alone; in doubt it is asked."""

import pytest

from checks.history.harmless import plainly_redacted
from checks.sharing.redact import Own, redacted_plain

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
