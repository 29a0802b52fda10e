"""An export that computes something else: planted differences are named, rounding is not."""

import msgspec
import pytest
from support.recorded_exports import NAMES, export, files, model

from checks.causes.reproducibility.exporter_numeric_difference import exporter_numeric_difference
from checks.facts import ExportRun, ModelFiles, NodeDifference, OutputDifference
from checks.facts.finding import Finding, Inconclusive, NotHere, Severity

PLANTED = {
    "planted-dynamo-resize": ("Resize", "aten.upsample_bilinear2d.vec"),
    "planted-dynamo-pool": ("AveragePool", "aten.avg_pool2d.default"),
    "planted-dynamo-weight": ("Conv", "aten._native_batch_norm_legit_no_training.default"),  # the two became one Conv
    "planted-program-pool": ("AveragePool", "aten.avg_pool2d.default"),
    "planted-torchscript-resize": ("Resize", "aten::upsample_bilinear2d"),
    "planted-torchscript-pool": ("AveragePool", "aten::avg_pool2d"),
    "planted-tf2onnx-resize": ("Resize", "UpSampling2D"),
    "planted-tf2onnx-savedmodel-resize": ("Resize", "ResizeBilinear"),
    "planted-dynamo-gelu": ("Gelu", "aten.gelu.default"),
    "planted-torchscript-gelu": ("Gelu", "aten::gelu"),
    "planted-torchscript-epsilon": ("LayerNormalization", "aten::layer_norm"),
}
SMALL = ("planted-dynamo-gelu", "planted-torchscript-gelu", "planted-torchscript-epsilon")  # one of twelve layers
APART = OutputDifference(name="output 0", max_abs=1e-3, scale=1.0, max_rel=1e-3, bound=1e-5, nan=0, share=0.5)


def findings(models: ModelFiles) -> list[Finding]:
    return list(exporter_numeric_difference(models))


def evidence(finding: Finding) -> dict[str, str]:
    return {each.name: each.value for each in finding.evidence}


def made(output: OutputDifference, **more: object) -> ModelFiles:
    run = ExportRun(exporter="torch-onnx-dynamo", exported=True, ran=True, bound_by="float64", outputs=(output,))
    return ModelFiles(files=(model(exports=(msgspec.structs.replace(run, **more),)),))


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_difference_is_found_where_it_is(name: str) -> None:
    (finding,) = findings(files(name))
    node, operation = PLANTED[name]
    told = evidence(finding)
    assert told["parting_node"].endswith(f"({node})")
    assert told["original_operation"].startswith(f"{operation} ")
    assert finding.severity is (Severity.WARNING if name in SMALL else Severity.BLOCKING)
    assert finding.values["model_path"] == "/home/user/models/model"


def test_the_line_of_the_program_where_the_file_tells_it() -> None:
    (finding,) = findings(files("planted-program-pool"))
    assert evidence(finding)["original_place"].endswith(".py:10")
    (finding,) = findings(files("planted-torchscript-pool"))
    assert "original_place" not in evidence(finding)  # the line is one of PyTorch itself


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(PLANTED)))
def test_silent_for_every_right_or_failed_export(name: str) -> None:
    assert findings(files(name)) == []


def test_rounding_of_a_deep_network_is_there_and_is_not_told() -> None:
    (output,) = export("torch-2.13.0-dynamo-deep").outputs or ()
    assert output.max_abs
    assert output.is_rounding


@pytest.mark.parametrize(
    ("output", "severity"),
    [
        pytest.param(APART, Severity.WARNING, id="a-thousandth"),
        pytest.param(msgspec.structs.replace(APART, max_abs=0.1, max_rel=0.1), Severity.BLOCKING, id="a-tenth"),
        pytest.param(msgspec.structs.replace(APART, same_top=0.9), Severity.BLOCKING, id="another-answer"),
        pytest.param(msgspec.structs.replace(APART, max_abs=0.0, nan=1), Severity.BLOCKING, id="nan"),
        pytest.param(OutputDifference(shape=(1, 2), export_shape=(2, 1)), Severity.BLOCKING, id="another-shape"),
        pytest.param(OutputDifference(equal=False), Severity.BLOCKING, id="other-words"),
        pytest.param(
            OutputDifference(max_abs=1.0, bound=0.0, scale=9.0, nan=0, share=0.2), Severity.BLOCKING, id="whole-numbers"
        ),
    ],
)
def test_its_size_decides_how_bad_it_is(output: OutputDifference, severity: Severity) -> None:
    (finding,) = findings(made(output))
    assert finding.severity is severity


def test_a_computed_bound_leaves_room() -> None:
    near = msgspec.structs.replace(APART, max_abs=3e-5, max_rel=3e-5)
    (finding,) = findings(made(near, bound_by="unit-roundoff"))
    assert finding.severity is Severity.NOTE
    (finding,) = findings(made(near))
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(msgspec.structs.replace(APART, max_abs=1e-5), id="at-the-bound"),
        pytest.param(OutputDifference(equal=True), id="equal-words"),
        pytest.param(OutputDifference(max_abs=0.0, bound=0.0, nan=0), id="equal-whole-numbers"),
    ],
)
def test_silent_within_rounding(output: OutputDifference) -> None:
    assert findings(made(output)) == []


def test_silent_for_a_tie_that_fell_the_other_way() -> None:
    tie = NodeDifference(name="node_argmax", op="ArgMax", share=0.005)
    assert findings(made(APART, first_difference=tie)) == []
    many = msgspec.structs.replace(tie, share=0.2)
    assert len(findings(made(APART, first_difference=many))) == 1
    other = msgspec.structs.replace(tie, op="Conv")
    assert len(findings(made(APART, first_difference=other))) == 1


def test_silent_where_the_runtime_is_at_fault() -> None:
    assert findings(made(APART, differs_unoptimized=False)) == []


def test_no_export_is_no_health() -> None:
    with pytest.raises(NotHere):
        findings(ModelFiles(files=(model(),)))


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(OutputDifference(shape=(2, 3), max_abs=0.0, bound=0.0, nan=0, nan_in_both=6), id="nan"),
        pytest.param(OutputDifference(shape=(0, 6), max_abs=0.0, bound=0.0, nan=0), id="empty"),
    ],
)
def test_nan_beside_nan_and_nothing_beside_nothing_are_no_health(output: OutputDifference) -> None:
    with pytest.raises(Inconclusive, match="nothing-compared"):
        findings(made(output))


def test_one_output_that_can_be_compared_is_enough() -> None:
    nan = OutputDifference(shape=(2,), max_abs=0.0, bound=0.0, nan=0, nan_in_both=2)
    same = OutputDifference(shape=(2,), max_abs=0.0, bound=0.0, nan=0)
    assert findings(made(nan, outputs=(nan, same))) == []
