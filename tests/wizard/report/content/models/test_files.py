"""Model files in words: recorded runs of real models, in both languages."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.recorded_computations import measurements
from support.recorded_runs import NAMES, facts, model

from checks.analysis.models.side_by_side import compare_models
from checks.facts import ArrayDifference, Facts, ModelFacts, ModelMeasured, Package, Symptom, TensorSpec
from checks.facts.case import Answers, Case
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from checks.judgement.models.standing import is_any_serious
from checks.readers.models import read_model, read_models
from wizard.report.content.models.files import ModelView, names_of
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal
from wizard.words import words

RECORDED = Path(__file__).parents[4] / "recordings" / "models"


def views(case: Facts, language: str = "en") -> tuple[ModelView, ...]:
    return build(judged(case, Answers(symptom=MODELS)), language).models


def read(*names: str) -> Facts:
    found = tuple(each for name in names for each in read_models(RECORDED / name))
    return Facts(models=found, symptom=Symptom(name=MODELS))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_recorded_run_in_words(name: str, language: str) -> None:
    for view in views(facts(model(name)), language):
        assert view.word
        for verdict in view.verdicts:
            assert verdict.cells[1]
            assert not verdict.cells[2].startswith("reason-")
        assert any(section.rows for section in view.sections)


def test_a_model_that_runs() -> None:
    (view,) = views(facts(model("onnxruntime-1.31.1-nudenet")))
    assert (view.state, view.symbol) == ("clear", "✓")
    assert view.word.startswith("Runs: ONNX Runtime")
    assert "CPUExecutionProvider" in view.verdicts[0].cells[2]


def test_a_model_that_runs_only_in_part_where_it_should() -> None:
    (view,) = views(facts(model("onnxruntime-openvino-1.24.1-fallback")))
    assert view.state == "warning"
    assert "OpenVINOExecutionProvider" in view.verdicts[0].cells[2]
    assert "ConvInteger" in str(view.sections)


def test_a_model_that_does_not_run_says_why() -> None:
    (view,) = views(facts(model("onnxruntime-1.10.0-opset-18")))
    assert view.state == "blocking"
    assert "opset" in view.verdicts[0].cells[2]


def test_programs_that_are_not_there_share_a_line() -> None:
    (view,) = views(facts(model("onnxruntime-1.31.1-nudenet")))
    absent = [verdict for verdict in view.verdicts if verdict.state == "absent"]
    assert len(absent) == 1
    assert "OpenVINO" in absent[0].cells[0]


def test_files_of_one_name_are_told_apart() -> None:
    paths = ("/a/one/model.onnx", "/a/two/model.onnx", "/b/two/model.onnx", "/c/other.onnx")
    found = names_of([ModelFacts(path=path, name=path.rpartition("/")[2]) for path in paths])
    assert list(found.values()) == ["one/model.onnx", "a/two/model.onnx", "b/two/model.onnx", "other.onnx"]


def test_where_no_program_is_there_the_command_that_gets_one_is() -> None:
    found = read("gguf")
    (view, *_) = views(msgspec.structs.replace(facts(*found.models, installed={}), symptom=Symptom(name=MODELS)))
    assert view.word == "No program here reads it"
    assert "-m pip install 'llama-cpp-python>=" in view.verdicts[0].cells[2]


@pytest.mark.parametrize(
    ("models", "sentence", "state"),
    [
        pytest.param(("onnxruntime-1.31.1-nudenet",), "runs in this Python", "clear", id="runs"),
        pytest.param(("torch-2.13.0-weights",), "loads in this Python", "clear", id="loads"),
        pytest.param(("onnxruntime-1.10.0-opset-18",), "opset", "blocking", id="does-not-run"),
        pytest.param(
            ("onnxruntime-1.31.1-nudenet", "onnxruntime-1.10.0-opset-18"),
            "1 do not run here, 1 run or load here",
            "blocking",
            id="both",
        ),
    ],
)
def test_the_headline_answers_whether_they_run(models: tuple[str, ...], sentence: str, state: str) -> None:
    files = (model(name, path=f"/home/user/{name}.onnx", name=f"{name}.onnx") for name in models)
    verdict = build(judged(facts(*files), Answers(symptom=MODELS)), "en").verdict
    assert sentence in verdict.sentence
    assert verdict.state == state


# Recorded with ONNX Runtime 1.32.0.
OF_NUMBERS = (
    *("logarithm-of-negative", "nan-weight", "logarithm-of-zero", "dropout-left-in", "own-seed", "only-zeros"),
)


def repeated(name: str, run: str = "onnxruntime-1.31.1-nudenet", **more: Any) -> Case:
    """A file that runs, with what repeating a recorded one gave."""
    made = measurements(name) if name else (ModelMeasured(framework="onnxruntime", **more),)
    path = next(each.path for each in made if isinstance(each, ModelMeasured))
    case = facts(model(run, path=path, name=path.rpartition("/")[2]))
    return judged(
        msgspec.structs.replace(case, measurements=made, symptom=Symptom(name=MODELS)), Answers(symptom=MODELS)
    )


@pytest.mark.parametrize(
    ("name", "sentence", "state"),
    [
        ("mlp", "gave the same bits in all of ", "clear"),
        ("seeded-noise", "but gives another answer each time: it draws random numbers", "warning"),
        ("mean-of-batch", "its answer to one input depends on what else is in the batch", "warning"),
        ("logarithm-of-negative", "makes NaN of numbers is /Log (Log), which takes -1.17058.", "warning"),
        ("nan-weight", "They come from a weight in the file that holds such numbers itself: b.weight.", "warning"),
        ("logarithm-of-zero", "in all of 100 runs. Note that every number of its outputs is infinite.", "clear"),
        ("dropout-left-in", "is in training mode. /d/Dropout (Dropout) is meant for training.", "warning"),
        ("own-seed", "the seed stands in the file.", "warning"),
        ("only-zeros", "nothing in which a change from run to run could be seen", "incomplete"),
    ],
)
def test_the_headline_says_what_repeating_showed(name: str, sentence: str, state: str) -> None:
    version = "1.32.0" if name in OF_NUMBERS else "1.31.1"
    case = repeated(f"model-onnxruntime-{version}-{name}")
    report = build(case, "en")
    assert sentence in report.verdict.sentence
    assert report.verdict.state == state
    assert report.models[0].state == ("clear" if state == "incomplete" else state)
    assert ("but see below" in report.models[0].word) is (state == "warning")
    assert is_any_serious(case.facts, case.findings, case.verdicts) is (state == "warning")
    assert build(case, "ja").verdict.sentence


@pytest.mark.parametrize(
    ("more", "sentence", "state"),
    [
        pytest.param({"aspect": "repeat", "repetitions": 3, "distinct": 1}, "too few to say", "incomplete", id="few"),
        pytest.param({"reason": "no-time"}, "could not be run again", "incomplete", id="no-time"),
        pytest.param(
            {"reason": "inputs-do-not-fit", "inputs_from": "file", "inputs_wanted": (TensorSpec(name="image"),)},
            "The input that you gave cannot be used for net.onnx, which was not run with it. It takes image;",
            "warning",
            id="refused-inputs",
        ),
        pytest.param(
            {"aspect": "repeat", "reason": "own-error"}, "an error in Naosu itself", "incomplete", id="our-error"
        ),
        pytest.param(
            {"aspect": "repeat", "repetitions": 99, "distinct": 1, "reason": "outputs-empty"},
            "nothing in which a change from run to run could be seen",
            "incomplete",
            id="nothing-came-out",
        ),
        pytest.param(
            {"aspect": "repeat", "repetitions": 99, "distinct": 1, "reason": "nan-everywhere", "outputs": 1},
            "every number of its outputs is NaN",
            "warning",
            id="nothing-but-nan",
        ),
        pytest.param(
            {"aspect": "repeat", "repetitions": 99, "distinct": 2, "device": "CUDAExecutionProvider"},
            "its result changes from run to run",
            "warning",
            id="an-unstable-provider",
        ),
        pytest.param(
            {
                "aspect": "device",
                "device": "OpenVINOExecutionProvider",
                "other": "CPUExecutionProvider",
                "inputs_from": "file",
                "difference": ArrayDifference(elements=9, differing=9, max_abs=1e-7, scale=1.0),
                "bound": 1e-6,
                "decisions": 0.5,
            },
            "but its decisions change: ",
            "warning",
            id="other-decisions",
        ),
    ],
)
def test_the_headline_says_why_repeating_shows_nothing_or_what_it_found(
    more: dict[str, Any], sentence: str, state: str
) -> None:
    verdict = build(repeated("", path="/m/net.onnx", **more), "en").verdict
    assert sentence in verdict.sentence
    assert verdict.state == state


def test_no_tick_stands_above_a_table_in_which_the_model_varies() -> None:
    case = repeated("", path="/m/net.onnx", aspect="repeat", repetitions=99, distinct=1)
    plain = ModelMeasured(
        framework="onnxruntime", path="/m/net.onnx", aspect="mode", setting="ORT_DISABLE_ALL", repetitions=9, distinct=9
    )
    both = msgspec.structs.replace(case.facts, measurements=(*case.facts.measurements, plain))
    verdict = build(judged(both, Answers(symptom=MODELS)), "en").verdict
    assert verdict.state == "warning"
    assert "but not under every setting" in verdict.sentence
    assert is_any_serious(both, case.findings, case.verdicts)


def test_of_a_file_that_was_only_loaded_it_is_not_said_that_it_runs() -> None:
    case = repeated("", "torch-2.13.0-weights", path="/m/net.pt", reason="inputs-needed")
    assert "loads in this Python" in build(case, "en").verdict.sentence
    assert "could not be run; why" in build(case, "en").verdict.sentence


def test_no_green_box_stands_above_a_warning_and_of_many_it_is_said_how_many_repeat() -> None:
    dropout = measurements("model-torch-2.13.0-dropout")
    path = next(row.path for row in dropout if isinstance(row, ModelMeasured))
    again = ModelMeasured(framework="onnxruntime", path="/m/fine.onnx", aspect="repeat", repetitions=99, distinct=1)
    case = facts(
        model("torch-2.13.0-weights", path=path), model("onnxruntime-1.31.1-nudenet", path=again.path, name="fine.onnx")
    )
    both = msgspec.structs.replace(case, measurements=(*dropout, again))
    verdict = build(judged(both, Answers(symptom=MODELS)), "en").verdict
    assert verdict.state == "warning"
    assert "1 want attention, 1 run or load here" in verdict.sentence
    assert verdict.sentence.endswith("Run again: 2, of which 1 gave the same bits each time.")


def test_the_files_in_trouble_come_first_in_every_print() -> None:
    names = ("onnxruntime-1.31.1-nudenet", "onnxruntime-openvino-1.24.1-fallback", "onnxruntime-1.10.0-opset-18")
    files = [model(name, path=f"/m/{name}", name=name) for name in (*names, "onnxruntime-1.10.0-ocr")]
    report = build(judged(facts(*files), Answers(symptom=MODELS)), "en")
    assert [view.name for view in report.models] == [names[2], names[1], names[0], "onnxruntime-1.10.0-ocr"]
    for text in (to_terminal(report), to_markdown(report)):
        table = text[text.index("Verdict") :]
        assert table.index(names[2]) < table.index(names[1]) < table.index(names[0])


def test_only_read() -> None:
    (view,) = views(read("onnx/light_bvlc_alexnet.onnx"))
    assert (view.state, view.word, view.verdicts) == ("note", "Read", ())
    rows = {row.label: row.value for section in view.sections for row in section.rows}
    assert rows["Operator sets (opset)"] == "ai.onnx 9"
    assert rows["Operators"].startswith("40 operators, 9 kinds: ConstantOfShape ×16, Relu ×7")


@pytest.mark.parametrize(
    ("name", "language", "shown"),
    [
        ("pickle/made/function.cpkl", "en", ("plain pickle / joblib / cloudpickle", "protocol 5")),
        ("pickle/made/function.cpkl", "ja", ("pickle(joblib、cloudpickleを含む)", "プロトコル5")),
        ("onnx/abs.onnx", "ja", ("ONNX", "IR 3")),
    ],
)
def test_formats_and_their_versions_are_named_in_the_readers_language(
    name: str, language: str, shown: tuple[str, str]
) -> None:
    (view,) = views(read(name), language)
    assert (view.format, view.version) == shown


def test_a_word_of_a_reader_in_the_readers_language() -> None:
    (view,) = views(read("keras-h5/made/small-2.4.keras"), "ja")
    rows = {row.label: row.value for section in view.sections for row in section.rows}
    assert rows["名前は.kerasだが、中身はHDF5"] == "はい"


def test_what_differs_in_the_readers_language() -> None:
    (view,) = build(compared("pickle/made/function.cpkl", "onnx/abs.onnx"), "ja").comparisons
    rows = {row.cells[0]: row.cells[1:] for row in view.rows}
    assert rows["形式"] == ("pickle(joblib、cloudpickleを含む)", "ONNX")
    assert rows["形式のバージョン"] == ("プロトコル5", "IR 3")


def test_what_could_not_be_read() -> None:
    (view,) = views(Facts(models=(read_model(RECORDED / "gone.onnx"),), symptom=Symptom(name=MODELS)))
    assert (view.state, view.word) == ("blocking", "Cannot be read whole")
    assert "No such file" in view.problem


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_prints_show_each_file(language: str) -> None:
    case = judged(read("onnx/abs.onnx", "onnx/mul_1.onnx", "caffe/deploy.prototxt"), Answers(symptom=MODELS))
    report = build(case, language)
    for text in (to_terminal(report), to_markdown(report)):
        for name in ("abs.onnx", "mul_1.onnx", "deploy.prototxt"):
            assert name in text.replace("\\", "")


def compared(first: str, second: str) -> Case:
    pair = read_model(RECORDED / first), read_model(RECORDED / second)
    return judged(Facts(models=pair, comparisons=(compare_models(*pair),)), Answers(symptom=MODELS))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_two_side_by_side(language: str) -> None:
    report = build(compared("onnx/abs.onnx", "onnx/mul_1.onnx"), language)
    (view,) = report.comparisons
    assert (view.first, view.second) == ("abs.onnx", "mul_1.onnx")
    assert any("Mul" in row.cells[0] for row in view.rows)
    for text in (to_terminal(report), to_markdown(report)):
        assert view.sentence in text


def test_the_same_twice() -> None:
    (view,) = build(compared("onnx/mul_1.onnx", "onnx/mul_1.onnx"), "en").comparisons
    assert view.sentence.startswith("Nothing differs")
    assert view.rows == view.tensors == ()


def test_the_same_twice_without_weights() -> None:
    (view,) = build(compared("onnx/abs.onnx", "onnx/abs.onnx"), "en").comparisons
    assert view.sentence == "The two files are the same, byte for byte."
    assert view.weights == "There are no weights in the files that could be compared."


def test_files_whose_operators_may_be_set_otherwise_are_not_called_the_same() -> None:
    case = compared("onnx/mul_1.onnx", "onnx/mul_1.onnx")
    (comparison,) = case.facts.comparisons
    other = msgspec.structs.replace(comparison, same_bytes=False, is_wired=False)
    facts_of = msgspec.structs.replace(case.facts, comparisons=(other,))
    (view,) = build(msgspec.structs.replace(case, facts=facts_of), "en").comparisons
    assert "was not compared" in view.sentence


def test_weights_that_cannot_be_compared_are_not_called_the_same() -> None:
    (view,) = build(compared("tf-checkpoint/made/old.ckpt", "tf-checkpoint/made/old.ckpt"), "en").comparisons
    assert view.sentence == "Nothing differs in what could be compared; some of the weights could not."
    assert view.weights == "3 not compared, because of how they are stored"
    assert [row.cells[0] for row in view.tensors] == ["conv/kernel", "dense/kernel", "half"]


def test_the_package_that_a_model_came_with_is_named() -> None:
    model = msgspec.structs.replace(
        read_model(RECORDED / "onnx" / "abs.onnx"), package=Package(name="reader", version="2.1")
    )
    report = build(judged(Facts(models=(model,)), Answers(symptom=MODELS)), "en")
    assert "Came with: reader 2.1" in to_terminal(report)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_table_of_several_says_what_the_page_of_one_does(language: str) -> None:
    found = read("gguf", "pickle/made/pipeline.joblib")
    case = msgspec.structs.replace(facts(*found.models, installed={}), symptom=Symptom(name=MODELS))
    report = build(judged(case, Answers(symptom=MODELS)), language)
    for text in (to_terminal(report), to_markdown(report)):
        assert "pip install" in text
        assert "llama" in text
    shown = to_terminal(report)
    assert words("models.note-bound", language) in shown
    assert words("models.note-runs-code", language, files="pipeline.joblib") in shown
    (pickle,) = (view for view in report.models if view.runs_code)
    assert words("models.group-free", language) not in str(pickle.sections)


def test_the_table_of_safe_files_warns_of_none() -> None:
    shown = to_terminal(build(judged(read("gguf"), Answers(symptom=MODELS)), "en"))
    assert "run any code" not in shown


@pytest.mark.parametrize(("seconds", "said"), [(0.0000312, "0.03 ms"), (0.00012, "0.1 ms"), (1.5, "1500.0 ms")])
def test_an_inference_of_no_time_at_all_is_never_told(seconds: float, said: str) -> None:
    made = model("onnxruntime-1.31.1-nudenet")
    run = msgspec.structs.replace(made.runs[0], seconds=seconds)
    (view,) = views(facts(msgspec.structs.replace(made, runs=(run,))))
    assert said in str(view.sections)
