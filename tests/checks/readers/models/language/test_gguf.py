"""GGUF files that the gguf package wrote, whole and damaged, and their sets."""

import shutil
import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.causes.model.pickle_runs_code import pickle_runs_code
from checks.facts import Facts, ModelFiles, NamedClass, NeededFile
from checks.facts.case import Answers
from checks.facts.finding import Severity
from checks.judgement.judge import judged
from checks.readers.models import read_model, read_models
from checks.readers.models.language.gguf import gguf
from wizard.report.content.models.files import model_views

MADE = Path(__file__).parents[4] / "recordings" / "models" / "gguf" / "made"
TINY = (MADE / "tiny.gguf").read_bytes()
BIG_ENDIAN = (MADE / "big_endian.gguf").read_bytes()


def text(value: bytes, size: str = "<Q") -> bytes:
    return struct.pack(size, len(value)) + value


def head(version: int, tensors: int, keys: int) -> bytes:
    return b"GGUF" + struct.pack("<I", version) + struct.pack("<QQ" if version > 1 else "<II", tensors, keys)


def architecture(name: bytes) -> bytes:
    return text(b"general.architecture") + struct.pack("<I", 8) + text(name)


def tensor(name: bytes, axes: tuple[int, ...], kind: int, offset: int) -> bytes:
    return text(name) + struct.pack(f"<I{len(axes)}QIQ", len(axes), *axes, kind, offset)


def test_all_of_a_file() -> None:
    facts = read_model(MADE / "tiny.gguf")
    assert (facts.format, facts.version, facts.problem) == ("gguf", "3", None)
    assert facts.needs.frameworks == ("llama-cpp-python>=0.1.79",)
    assert (facts.parameters, facts.needs.memory) == (256, 648)
    assert facts.dtypes == {"float32": 128, "Q8_0": 128}
    assert facts.quantization == "Q8_0"
    assert facts.details == {
        "architecture": "llama",
        "title": "tiny",
        "context-length": "2048",
        "layers": "1",
        "tokenizer": "gpt2",
        "vocabulary": "3",
        "tensors": "2",
    }


ESCAPE = "{% for x in ().__class__.__base__.__subclasses__() %}{{ x.__init__.__globals__ }}{% endfor %}"
# As Llama 3 and Qwen 2.5 are published with, shortened.
CHAT = (
    "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + "
    "message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}"
    "{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
    '{%- if tools %}{%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}{%- endif %}'
)


def with_template(template: str, key: str = "tokenizer.chat_template") -> bytes:
    value = text(key.encode()) + struct.pack("<I", 8) + text(template.encode())
    return head(3, 0, 2) + architecture(b"llama") + value


@pytest.mark.parametrize(
    ("template", "given"),
    [
        pytest.param(ESCAPE, "__class__, __base__, __subclasses__, __init__, __globals__", id="plain"),
        pytest.param("x" * 9000 + ESCAPE, "__class__, __base__, __subclasses__, __init__, __globals__", id="long"),
        pytest.param("{{ cycler|attr ('\\x5f\\x5finit\\x5f\\x5f') }}", "|attr (, \\x5f", id="written-otherwise"),
    ],
)
@pytest.mark.parametrize("key", ["tokenizer.chat_template", "tokenizer.chat_template.tool_use"])
def test_a_template_that_reaches_python(tmp_path: Path, template: str, given: str, key: str) -> None:
    (tmp_path / "m.gguf").write_bytes(with_template(template, key))
    facts = read_model(tmp_path / "m.gguf")
    assert facts.needs.classes == (NamedClass(name=key, risk="dangerous", given=given),)
    (finding,) = pickle_runs_code(ModelFiles(files=(facts,)), None)
    assert finding.severity is Severity.BLOCKING
    (view,) = model_views(judged(Facts(models=(facts,)), Answers(symptom="models")), "en")
    told = [row.value for part in view.sections for row in part.rows]
    assert "No" not in told  # that loading runs no code
    assert any(key in value for value in told)


@pytest.mark.parametrize("template", [CHAT, "x" * 9000 + CHAT])
def test_a_template_of_a_chat(tmp_path: Path, template: str) -> None:
    (tmp_path / "m.gguf").write_bytes(with_template(template))
    assert read_model(tmp_path / "m.gguf").needs.classes is None


def test_the_other_byte_order() -> None:
    facts = read_model(MADE / "big_endian.gguf")
    assert (facts.version, facts.problem, facts.parameters) == ("3", None, 128)
    assert facts.details["byte-order"] == "big-endian"


def test_a_set_is_one_model() -> None:
    found = {each.name: each for each in read_models(MADE)}
    assert sorted(found) == ["big_endian.gguf", "quantized.gguf", "split-00001-of-00002.gguf", "tiny.gguf"]
    first = found["split-00001-of-00002.gguf"]
    assert first.needs.files == (NeededFile(name="split-00002-of-00002.gguf", present=True, present_size=672),)
    assert first.details["part"] == "1 / 2"
    assert (first.parameters, first.needs.memory, first.details["tensors"]) == (256, 1024, "2")


def test_a_part_is_missing(tmp_path: Path) -> None:
    shutil.copy(MADE / "split-00002-of-00002.gguf", tmp_path)
    facts = read_model(tmp_path / "split-00002-of-00002.gguf")
    assert (facts.problem, facts.problem_detail) == ("missing-part", "split-00001-of-00002.gguf")


def test_a_part_is_short(tmp_path: Path) -> None:
    for part in MADE.glob("split-*.gguf"):
        shutil.copy(part, tmp_path)
    other = tmp_path / "split-00002-of-00002.gguf"
    other.write_bytes(other.read_bytes()[:-12])
    facts = read_model(tmp_path / "split-00001-of-00002.gguf")
    assert (facts.problem, facts.problem_detail) == ("truncated", f"{other.name}: 12 of 512 bytes are missing")


def test_the_first_version() -> None:
    data = head(1, 0, 1) + text(b"general.architecture", "<I") + struct.pack("<I", 8) + text(b"falcon", "<I")
    facts = read(gguf, data, "old.gguf")
    assert facts is not None
    assert (facts.version, facts.problem, facts.details["architecture"]) == ("1", None, "falcon")


def test_a_version_of_the_future() -> None:
    facts = read(gguf, head(4, 0, 0), "new.gguf")
    assert facts is not None
    assert (facts.version, facts.problem) == ("4", "version-unknown")


@pytest.mark.parametrize(
    ("name", "library"),
    [
        pytest.param(b"qwen3", "llama-cpp-python>=0.3.9", id="newer"),
        pytest.param(b"flux", "gguf", id="images"),
        pytest.param(b"zebra", "llama-cpp-python", id="unknown"),
    ],
)
def test_what_reads_it(name: bytes, library: str) -> None:
    facts = read(gguf, head(3, 0, 1) + architecture(name), "model.gguf")
    assert facts is not None
    assert facts.needs.frameworks == (library,)


def test_number_types_ask_for_a_release_too() -> None:
    data = head(3, 1, 1) + architecture(b"llama") + tensor(b"t", (32,), 39, 0)
    facts = read(gguf, data + bytes(-len(data) % 32 + 17), "model.gguf")
    assert facts is not None
    assert (facts.needs.frameworks, facts.quantization) == (("llama-cpp-python>=0.3.15",), "MXFP4")


def test_a_number_type_of_the_future() -> None:
    facts = read(gguf, head(3, 1, 0) + tensor(b"t", (32,), 999, 0) + bytes(100), "model.gguf")
    assert facts is not None
    assert (facts.problem, facts.problem_detail, facts.needs.memory) == ("dtype-unknown", "999", None)


def test_an_empty_file_of_words_alone_is_whole() -> None:
    facts = read(gguf, head(3, 0, 0), "vocabulary.gguf")
    assert facts is not None
    assert (facts.problem, facts.parameters, facts.quantization) == (None, 0, None)


@pytest.mark.parametrize("data", [*cuts(TINY)][1:])
def test_cut(data: bytes) -> None:
    answer = survives(gguf, data, "model.gguf")
    assert answer == "truncated" or getattr(answer, "problem", None) == "truncated"


def test_what_is_missing_is_counted() -> None:
    facts = read(gguf, TINY[:-100], "model.gguf")
    assert facts is not None
    assert facts.problem == "truncated"
    assert facts.problem_detail.endswith("of 648 bytes are missing")
    assert facts.parameters == 256


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(head(3, 1 << 63, 0), id="tensors"),
        pytest.param(head(3, 0, 1 << 63), id="keys"),
        pytest.param(head(3, 0, 1) + struct.pack("<Q", 1 << 63), id="length-of-a-key"),
        pytest.param(head(3, 0, 1) + text(b"k") + struct.pack("<IIQ", 9, 8, 1 << 63), id="a-list-of-texts"),
        pytest.param(head(3, 0, 1) + text(b"k") + struct.pack("<IIQ", 9, 4, 1 << 63), id="a-list-of-numbers"),
        pytest.param(head(3, 0, 1) + text(b"k") + struct.pack("<IIQ", 9, 9, 1) * 100, id="lists-in-lists"),
        pytest.param(head(3, 1, 0) + tensor(b"t", (1 << 62, 1 << 62), 0, 0), id="axes"),
        pytest.param(head(3, 1, 0) + tensor(b"t", (1,), 0, 1 << 63), id="offset"),
        pytest.param(head(3, 1, 0) + text(b"t") + struct.pack("<I", 1 << 31), id="number-of-axes"),
        pytest.param(head(3, 0, 1) + text(b"k") + struct.pack("<I", 99), id="type"),
    ],
)
def test_hostile(data: bytes) -> None:
    answer = survives(gguf, data + bytes(64), "model.gguf")
    assert getattr(answer, "problem", answer) in ("header-damaged", "truncated")


@given(mangled(TINY, BIG_ENDIAN))
def test_survives(data: bytes) -> None:
    survives(gguf, data, "model-00001-of-00002.gguf")
