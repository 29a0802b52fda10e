"""The ticket's text: nothing that came from outside breaks out of its cell, fence or line."""

from collections.abc import Callable

import pytest

from checks.facts import Facts, SentFile
from checks.facts.case import Case
from wizard.report.content.report import build
from wizard.report.prints.markdown import code_block, code_span, escaped, prose, to_markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 2.6.0+cu124", "plain text, 2.6.0+cu124"),
        ("a|b", r"a\|b"),
        ("<script>alert(1)</script>", r"\<script\>alert(1)\</script\>"),
        ("[x](http://evil)", r"\[x\](http://evil)"),
        ("**bold** _it_ `code`", r"\*\*bold\*\* \_it\_ \`code\`"),
        ("@octocat, #12 and GH-3", "@\u200boctocat, #\u200b12 and GH-\u200b3"),
        ("!image", "!\u200bimage"),
        ("line\n# heading", "line # heading"),
        ("# heading", r"\# heading"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("2.6.0 stays", r"2\.6.0 stays"),
        ("a & b &lt;", r"a \& b \&lt;"),
    ],
)
def test_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a|b", r"`a\|b`"),
        ("a\nb", "`a b`"),
        ("", ""),
    ],
)
def test_code_span(text: str, shown: str) -> None:
    assert code_span(text) == shown


def test_a_fence_is_longer_than_any_inside() -> None:
    assert code_block("x\n```\n````\n# free") == "`````\nx\n```\n````\n# free\n`````"


def test_a_log_stays_in_its_fence(make_case: Callable[..., Case]) -> None:
    log = SentFile(name="<img src=x>|@all", kind="log", text="</details>\n```\n# out\n@octocat\n")
    text = to_markdown(build(make_case(only=Facts(logs=(log,))), "en"))
    assert "````\n</details>\n```\n# out\n@octocat\n````" in text
    assert r"\<img src=x\>\|@" + "\u200ball" in text
    assert text.rstrip().endswith("</details>")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_whole_report(case: Case, language: str) -> None:
    report = build(case, language)
    text = to_markdown(report)
    assert text.startswith(f"# {report.title}\n")
    for finding in report.findings:
        assert finding.cause in text
        for remedy in finding.remedies:
            assert all(line in text for step in remedy.steps for line in step.code.splitlines())
    for line in text.splitlines():
        assert not line.startswith("|") or line.endswith("|")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("例えばsm_75はCompute Capability 7.5用", "例えば`sm_75`はCompute Capability 7.5用"),
        ("Set OLLAMA_VULKAN=1 or -DGGML_VULKAN=ON.", "Set `OLLAMA_VULKAN=1` or `-DGGML_VULKAN=ON`."),
        (
            'Run python -c "import torch; print(torch.__version__)" there',
            'Run `python -c "import torch; print(torch.__version__)"` there',
        ),
        ('What does "nvidia-smi -L" print?', "What does `nvidia-smi -L` print?"),
        (
            "What does \"lsmod | grep -E 'nvidia|nouveau'\" print?",
            "What does `lsmod | grep -E 'nvidia|nouveau'` print?",
        ),
        ("「python -m pip check」や「nvidia-smi」の出力", "`python -m pip check`や`nvidia-smi`の出力"),
        ('「python -c "import torch"」の出力', '`python -c "import torch"`の出力'),
        ('for example pip install "hugging_hub<0.26".', 'for example `pip install "hugging_hub<0.26"`.'),
        ("「ls /a_b」と「設定」", "`ls /a_b`と「設定」"),
        ("See https://a.example/b#gpu_x for it", "See <https://a.example/b#gpu_x> for it"),
        ("<b>bold</b> and *stars*", r"\<b\>bold\</b\> and \*stars\*"),
        ("- no list", r"\- no list"),
    ],
)
def test_commands_and_names_in_a_sentence_are_code(text: str, written: str) -> None:
    assert prose(text) == written
