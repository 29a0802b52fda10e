"""When a library does not know the kind of a model."""

import msgspec
import pytest

from checks.causes.model.model_architecture_unknown import model_architecture_unknown
from checks.facts import InterpreterFacts, ModelFacts, ModelFiles, Package
from checks.facts.finding import Finding, NotHere, NotInTable, Severity, Unread
from checks.knowledge.formats.gguf import newest_release

GGUF = ModelFacts(path="/m/x.gguf", name="x.gguf", format="gguf", details={"architecture": "llama"})
FOLDER = ModelFacts(
    path="/m/x", name="x", format="safetensors", producer="transformers", details={"model-type": "qwen3"}
)


def gguf(kind: str, *types: str, **other: str) -> ModelFacts:
    dtypes = dict.fromkeys(types, 100)
    return msgspec.structs.replace(GGUF, dtypes=dtypes, details={"architecture": kind} | other)


def folder(kind: str, **other: str) -> ModelFacts:
    details = {"model-type": kind} | {key.replace("_", "-"): value for key, value in other.items()}
    return msgspec.structs.replace(FOLDER, details=details)


def findings(*files: ModelFacts, **packages: str) -> list[Finding]:
    installed = tuple(Package(name=name.replace("_", "-"), version=version) for name, version in packages.items())
    return list(model_architecture_unknown(ModelFiles(files=files), InterpreterFacts(path="/p", packages=installed)))


@pytest.mark.parametrize(
    ("model", "packages", "needed"),
    [
        pytest.param(gguf("qwen3"), {"llama_cpp_python": "0.3.8"}, "llama-cpp-python>=0.3.9", id="gguf"),
        pytest.param(
            gguf("llama", "MXFP4"), {"llama_cpp_python": "0.3.14"}, "llama-cpp-python>=0.3.15", id="number-type"
        ),
        pytest.param(
            gguf("llama", "Q4_0_4_4"),
            {"llama_cpp_python": "0.3.36"},
            "llama-cpp-python>=0.2.83,<0.3.3",
            id="withdrawn-number-type",
        ),
        pytest.param(folder("qwen3"), {"transformers": "4.50.3"}, "transformers>=4.51.0", id="transformers"),
        pytest.param(folder("transfo-xl"), {"transformers": "5.1.0"}, "transformers>=3.0.0,<5.0.0", id="removed"),
    ],
)
def test_found(model: ModelFacts, packages: dict[str, str], needed: str) -> None:
    (found,) = findings(model, **packages)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.95)
    assert {each.name: each.value for each in found.evidence}["needed"] == needed
    assert found.values["requirement"] == needed
    assert found.values["model_path"] == model.path


def test_no_release_knows_it() -> None:
    (found,) = findings(gguf("zebra"), llama_cpp_python="0.3.36")
    assert (found.confidence, found.remedies, "requirement" in found.values) == (0.85, (), False)


@pytest.mark.parametrize(
    ("model", "packages"),
    [
        pytest.param(gguf("qwen3", "Q4_K"), {"llama_cpp_python": "0.3.9"}, id="the-first-that-knows-it"),
        pytest.param(gguf("llama", "float32"), {"llama_cpp_python": "0.2.0"}, id="oldest"),
        pytest.param(gguf("qwen3"), {"transformers": "4.0.0"}, id="no-llama-cpp"),
        pytest.param(folder("qwen3"), {"transformers": "4.51.0"}, id="transformers-that-knows-it"),
        pytest.param(folder("qwen3"), {"torch": "2.8"}, id="no-transformers"),
    ],
)
def test_silent(model: ModelFacts, packages: dict[str, str]) -> None:
    assert findings(model, **packages) == []


def test_what_the_tables_do_not_tell() -> None:
    with pytest.raises(NotInTable):
        findings(folder("zebra"), transformers="5.23.0")
    with pytest.raises(NotInTable):
        findings(gguf("zebra"), llama_cpp_python=f"{newest_release()}1")


def test_one_open_question_hides_no_finding() -> None:
    found = findings(folder("zebra"), gguf("qwen3"), transformers="5.23.0", llama_cpp_python="0.3.8")
    assert [each.subject for each in found] == ["/m/x.gguf / llama-cpp-python"]


def test_unread_packages() -> None:
    with pytest.raises(Unread):
        list(model_architecture_unknown(ModelFiles(files=(GGUF,)), InterpreterFacts(path="/p")))


@pytest.mark.parametrize(
    ("model", "packages"),
    [
        pytest.param(gguf("clip"), {"llama_cpp_python": "0.2.0"}, id="the-half-that-sees"),
        pytest.param(gguf("flux"), {"llama_cpp_python": "0.3.36"}, id="images"),
        pytest.param(gguf(""), {"llama_cpp_python": "0.2.0"}, id="second-part-of-a-set"),
        pytest.param(folder("zebra", custom_code="m.Zebra"), {"transformers": "4.51.0"}, id="code-of-its-own"),
        pytest.param(msgspec.structs.replace(FOLDER, producer="diffusers"), {"transformers": "4.0"}, id="diffusers"),
    ],
)
def test_nothing_to_check(model: ModelFacts, packages: dict[str, str]) -> None:
    with pytest.raises(NotHere):
        findings(model, **packages)
