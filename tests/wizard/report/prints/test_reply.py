"""The answer to a ticket: its language, and how a mail shows it."""

from pathlib import Path

import pytest

from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.report.content.report import build
from wizard.report.export import export
from wizard.report.prints.markdown import escaped, prose
from wizard.report.prints.reply import language_of, plain, to_reply


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (r"1\.5 GiB", "1.5 GiB"),
        (r"libcudnn\*.so.9 and cudnn\_8.dll", "libcudnn*.so.9 and cudnn_8.dll"),
        (r"Lib\\site-packages", r"Lib\site-packages"),
        ("so:\n\n```sh\necho \\*\n```\n\n1\\. or `sm_50`", "so:\n\n    echo \\*\n\n1. or sm_50"),
        ("**The cause:** see <https://example.org/a_b>, @\u200bname", "The cause: see https://example.org/a_b, @name"),
        ("`` a`b `` and 2 \\* 3", "a`b and 2 * 3"),
        ("plain", "plain"),
    ],
)
def test_marks_of_markdown_are_not_shown(markdown: str, shown: str) -> None:
    assert plain(markdown) == shown


def test_the_language_of_a_ticket() -> None:
    assert language_of("動かなくなりました", "en") == "ja"
    assert language_of("It fails", "ja") == "en"
    assert language_of("  ", "ja") == "ja"


def test_a_reply_names_versions_and_settings_as_they_are_written() -> None:
    ticket = pasted(
        "TensorFlow 2.15 gives another accuracy each run, although I set tf.random.set_seed(1), on my RTX 3090."
    )
    case = judged(read_ticket(ticket), Answers(symptom=TICKET))
    assert escaped("numpy<1.24 and torch>=2") == "numpy<1.24 and torch>=2"
    assert escaped("<b> </b> <!-- <?x") == r"\<b\> \</b\> \<!-- \<?x"
    assert "XLA_FLAGS=--xla_gpu_autotune_level=0`." in prose("JAX: XLA_FLAGS=--xla_gpu_autotune_level=0.")
    assert "`num_threads`." in prose("a fixed num_threads.")
    reply = to_reply(build(case, "en"))
    assert "enable_op_determinism" in reply
    assert "CUBLAS_WORKSPACE_CONFIG" not in reply
    assert "import jax" not in reply


def test_a_reply_in_a_text_file_is_plain(tmp_path: Path) -> None:
    ticket = pasted("RuntimeError: CUDA error: no kernel image is available")
    case = judged(read_ticket(ticket), Answers(symptom=TICKET))
    for name in ("reply.txt", "reply.md"):
        export(case, tmp_path / name, "reply", "en")
    assert "**" in (tmp_path / "reply.md").read_text()
    assert "**" not in (tmp_path / "reply.txt").read_text()
    assert "`" not in (tmp_path / "reply.txt").read_text()
