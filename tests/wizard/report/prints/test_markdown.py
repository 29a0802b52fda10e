"""The ticket's text: nothing that came from outside breaks out of its cell, fence or line."""

from collections.abc import Callable

import pytest

from checks.facts import Facts, ModelComparison, ModelFacts, SentFile, TensorDifference
from checks.facts.case import Answers, Case
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from wizard.report.content.blocks import Block, Plot, Row, Sources, Step, Table
from wizard.report.content.report import build
from wizard.report.prints.markdown import blocks_as_markdown, code_block, code_span, escaped, prose, to_markdown

INJECTED = "conv\n\n# Injected heading\n\n- [ ] item"
MODEL_FILES = tuple(ModelFacts(path=f"/models/{name}", name=name, format="onnx") for name in ("a_1.onnx", "b*.onnx"))
TWO_FILES = Answers(symptom=MODELS)


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


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(Table("", ("name",), (Row((INJECTED,)),)), id="a-cell"),
        pytest.param(Table("", ("name",), (Row((INJECTED,)),), code=(0,)), id="a-cell-of-code"),
        pytest.param(Table(INJECTED, (INJECTED,), (Row(("x",)),) * 13, note=INJECTED), id="a-fold"),
        pytest.param(Plot("p", "lines", "", "", (), INJECTED), id="a-summary"),
        pytest.param(Step("1.", "x", label=INJECTED), id="a-label-of-a-step"),
        pytest.param(Sources("s", (f"https://a.example/{INJECTED}", f"http://> {INJECTED}")), id="an-address"),
    ],
)
def test_what_stands_in_a_line_stays_there(block: Block) -> None:
    lines = blocks_as_markdown([block], "en").splitlines()
    assert "Injected heading" in " ".join(lines)
    assert not [line for line in lines if line.startswith(("#", "- [", ">"))]


def test_the_name_of_a_tensor_is_code_and_starts_no_heading() -> None:
    tensor = TensorDifference(name=INJECTED, kind="values", first="f32", second="f16")
    comparison = ModelComparison(first="/a", second="/b", weights={"values": 1}, tensors=(tensor,))
    text = to_markdown(build(judged(Facts(comparisons=(comparison,), models=MODEL_FILES), TWO_FILES), "en"))
    assert "\n# Injected" not in text
    assert "| `conv # Injected heading - [ ] item` |" in text


def test_the_list_of_models_names_their_paths_as_code() -> None:
    text = to_markdown(build(judged(Facts(models=MODEL_FILES), TWO_FILES), "en"))
    assert all(f"| `{model.path}` | ONNX |" in text for model in MODEL_FILES)


def test_words_about_the_report_are_no_code(case: Case) -> None:
    assert "| What happened | It runs, but not on the GPU |" in to_markdown(build(case, "en"))
