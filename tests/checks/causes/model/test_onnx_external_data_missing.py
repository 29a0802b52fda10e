"""When files with weights are missing."""

import msgspec
import pytest
from support.onnx_files import evidence, loaded, model

from checks.causes.model.onnx_external_data_missing import onnx_external_data_missing
from checks.facts import Facts, ModelFacts, ModelFiles, NeededFile, OnnxRuntimeFacts
from checks.facts.finding import Finding, Severity
from checks.remedies.plan import RemedyPlan, plan_remedies


def with_files(*files: NeededFile) -> ModelFacts:
    facts = model("made/external.onnx")
    return msgspec.structs.replace(facts, needs=msgspec.structs.replace(facts.needs, files=files))


def findings(facts: ModelFacts, onnxruntime: str | None = None) -> list[Finding]:
    runtime = OnnxRuntimeFacts(version=onnxruntime) if onnxruntime else None
    return list(onnx_external_data_missing(ModelFiles(files=(facts,)), runtime))


def test_missing() -> None:
    (found,) = findings(with_files(NeededFile(name="weights.bin", size=128, present=False)))
    assert (found.severity, found.values["runtime"]) == (Severity.BLOCKING, "")
    assert evidence(found)["weights_missing"] == "weights.bin"


def test_too_short() -> None:
    (found,) = findings(with_files(NeededFile(name="weights.bin", size=128, present=True, present_size=127)))
    assert found.severity is Severity.BLOCKING
    assert evidence(found)["weights_short"] == "weights.bin (127 < 128)"


def test_many_are_named_in_part() -> None:
    files = [NeededFile(name=f"w{number}", size=1, present=False) for number in range(300)]
    (found,) = findings(with_files(*files))
    assert evidence(found)["weights_missing"] == "w0, w1, w2, w3, w4, w5 +294"


@pytest.mark.parametrize(
    ("version", "severity"),
    [
        ("1.31.1", Severity.BLOCKING),
        ("1.24.1", Severity.BLOCKING),
        ("1.23.2", Severity.WARNING),
        (None, Severity.WARNING),
    ],
)
def test_outside_the_folder(version: str | None, severity: Severity) -> None:
    (found,) = findings(model("made/external_outside.onnx"), version)
    assert found.severity is severity
    assert found.values["runtime"] == ("onnxruntime" if severity is Severity.BLOCKING else "")
    assert evidence(found)["weights_outside"] == "../elsewhere/weights.bin"


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(model("made/external.onnx"), id="there"),
        pytest.param(model("abs.onnx"), id="no-such-files"),
        pytest.param(with_files(NeededFile(name="w", size=128, present=True, present_size=4096)), id="longer"),
        pytest.param(model("made/external_outside.onnx", loaded()), id="loaded-in-fact"),
    ],
)
def test_silent(facts: ModelFacts) -> None:
    assert findings(facts, "1.31.1") == []


OUT = NeededFile(name="weights.bin", size=128, present=True, present_size=128, linked_to="/blobs/1f")
BESIDE = msgspec.structs.replace(OUT, beside_real_model=True)


@pytest.mark.parametrize(
    ("file", "version", "severity"),
    [
        pytest.param(OUT, None, Severity.WARNING, id="no-runtime-told"),
        pytest.param(OUT, "1.23.2", Severity.WARNING, id="the-last-that-follows-links"),
        pytest.param(OUT, "1.24.1", Severity.BLOCKING, id="the-first-that-refuses-them"),
        pytest.param(OUT, "1.31.1", Severity.BLOCKING, id="today"),
        pytest.param(BESIDE, "1.24.1", Severity.BLOCKING, id="the-cache-of-hugging-face"),
    ],
)
def test_a_link_out_of_the_folder(file: NeededFile, version: str | None, severity: Severity) -> None:
    (found,) = findings(with_files(file), version)
    assert found.severity is severity
    assert evidence(found)["weights_linked_out"] == "weights.bin → /blobs/1f"


@pytest.mark.parametrize("version", [None, "1.23.2", "1.24.2", "1.31.1"])
def test_links_of_model_and_weights_into_one_folder_are_followed(version: str | None) -> None:
    assert findings(with_files(BESIDE), version) == []


def test_what_to_do_about_a_link() -> None:
    assert [each.id for each in planned(with_files(OUT))] == ["put-weights-in-place-of-links"]
    (found,) = findings(with_files(BESIDE), "1.24.1")
    assert found.remedies == ("update-onnxruntime", "put-weights-in-place-of-links")


def planned(facts: ModelFacts) -> list[RemedyPlan]:
    (found,) = findings(facts)
    return list(plan_remedies(found, Facts(), "en"))


def test_the_missing_files_are_named_in_what_to_do() -> None:
    first, second = planned(
        with_files(
            NeededFile(name="weights.bin", size=128, present=False),
            NeededFile(name="more.bin", size=128, present=True, present_size=127),
        )
    )
    assert first.id == "put-named-weights-beside-model"
    assert "weights.bin, more.bin" in first.steps[0].text
    assert "folder /m," in first.steps[0].text
    assert "external.onnx model-in-one.onnx" in second.steps[-1].code


def test_of_files_outside_the_folder_the_usual_advice_is_given() -> None:
    first = planned(model("made/external_outside.onnx"))[0]
    assert first.id == "put-external-data-beside-model"
    assert first.steps[1].code.endswith("/m/external_outside.onnx")
