"""No text that a stranger put into the facts of a model file breaks a print, or gets into a command."""

import json
from typing import Any

import msgspec
import pytest

from checks.case import Answers, decode, judged, to_builtins
from checks.facts import ModelComparison, ModelDifference, TensorDifference
from checks.judge import MODELS
from tests.checks.recorded_exports import NAMES as EXPORTS
from tests.checks.recorded_exports import model as exported
from tests.checks.recorded_runs import facts, model
from tests.checks.test_hostile_facts import HOSTILE, keys_of_texts, with_text
from wizard.report.markdown import to_markdown
from wizard.report.model import build
from wizard.report.terminal import to_terminal

RUNS = ("onnxruntime-openvino-1.24.1-fallback", "onnxruntime-1.10.0-opset-18", "litert-2.3.0-custom-op")
COMPARED = ModelComparison(
    first="/home/user/models/model",
    second="/b",
    differences=(ModelDifference(what="opset", name="x", first="1", second="2"),),
    weights={"same": 1, "values": 1},
    tensors=(TensorDifference(name="w", kind="values", first="a", second="b"),),
)
UNREAD = ModelComparison(first="/a", second="/b", weights_unread="no-reader")


def plain() -> dict[str, Any]:
    """A case with everything that can be told of model files."""
    files = [model(name) for name in RUNS] + [exported(EXPORTS[0])]
    case = judged(facts(*files), Answers(symptom=MODELS))
    told: dict[str, Any] = json.loads(json.dumps(to_builtins(case)))
    told["facts"]["comparisons"] = json.loads(json.dumps([*map(msgspec.to_builtins, (COMPARED, UNREAD))]))
    return told


CASE = plain()
KEYS = sorted({*keys_of_texts(CASE["facts"]["models"]), *keys_of_texts(CASE["facts"]["comparisons"])})


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("key", KEYS)
def test_every_print_stays_whole(key: str, hostile: str) -> None:
    changed = CASE["facts"] | {kind: with_text(CASE["facts"][kind], key, hostile) for kind in ("models", "comparisons")}
    case = decode(json.dumps({**CASE, "facts": changed}).encode())
    for language in ("en", "ja"):
        report = build(case, language)
        to_terminal(report)
        to_markdown(report)
