"""No text that a stranger put into the facts of a model file breaks a print, or gets into a command."""

import json
import re
from typing import Any

import msgspec
from support.extent import ALL, some
from support.hostile_facts import HOSTILE, keys_of_texts, with_text
from support.recorded_exports import NAMES as EXPORTS
from support.recorded_exports import model as exported
from support.recorded_runs import facts, model
from support.walk import for_each

from checks.facts import Binding, ModelComparison, ModelDifference, ModelFacts, ModelNeeds, TensorDifference
from checks.facts.case import Answers
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from checks.sharing.case import decode, to_builtins
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

RUNS = ("onnxruntime-openvino-1.24.1-fallback", "onnxruntime-1.10.0-opset-18", "litert-2.3.0-custom-op")
COMPARED = ModelComparison(
    first="/home/user/models/model",
    second="/b",
    differences=(ModelDifference(what="opset", name="x", first="1", second="2"),),
    weights={"same": 1, "values": 1},
    tensors=(TensorDifference(name="w", kind="values", first="a", second="b"),),
)
UNREAD = ModelComparison(first="/a", second="/b", weights_unread="no-reader")


UNTRIED = ModelFacts(  # a file that nothing in the target reads, with all that a reader tells
    path="/home/user/models/model.gguf",
    name="model.gguf",
    format="gguf",
    version="3",
    producer="llama.cpp",
    dependence="low",
    bound_to=(Binding(kind="llama-architecture", value="llama"),),
    needs=ModelNeeds(frameworks=("llama-cpp-python>=0.1.79",), devices=("cpu",), systems={"macOS": "13"}),
    problem="truncated",
    problem_detail="at byte 1",
)
MISNAMED = ModelFacts(  # a file that is judged by its name
    path="/home/user/models/net.onnx",
    name="net.onnx",
    format="tflite",
    version="protocol 3",
    details={"training": "yes"},
)


def plain(installed: dict[str, str] | None, *models: ModelFacts) -> dict[str, Any]:
    """A case with everything that can be told of model files."""
    case = judged(facts(*models, installed=installed), Answers(symptom=MODELS))
    told: dict[str, Any] = json.loads(json.dumps(to_builtins(case)))
    told["facts"]["comparisons"] = json.loads(json.dumps([*map(msgspec.to_builtins, (COMPARED, UNREAD))]))
    return told


CASES = {
    "tried": plain(None, *map(model, RUNS), exported(EXPORTS[0])),
    "no-program": plain({}, UNTRIED, MISNAMED),
}
CHANGED = ("models", "comparisons")
KEYS = [
    (name, key)
    for name, case in CASES.items()
    for key in sorted({*keys_of_texts(list(map(case["facts"].get, CHANGED)))})
]


# Texts that do their harm wherever they stand in a value, in one.
ANYWHERE = ("control-characters", "placeholder", "lines-of-markdown")
TEXTS = {"together": "".join(HOSTILE[name] for name in ANYWHERE), **HOSTILE}
ALONE = [name for name in HOSTILE if name not in ANYWHERE]

# Every field with one of the texts, in one language; before a release with all of them in both.
PRINTS = [
    (name, key, text, language)
    for number, (name, key) in enumerate(KEYS)
    for text in (tuple(HOSTILE) if ALL else (("together", ALONE[number // 2 % len(ALONE)])[number % 2],))
    for language in some(("en", "ja"), 1, first=number // 2)
]


@for_each(PRINTS, "/".join)
def test_every_print_stays_whole(name: str, key: str, text: str, language: str) -> None:
    plain = CASES[name]
    changed = plain["facts"] | {kind: with_text(plain["facts"][kind], key, TEXTS[text]) for kind in CHANGED}
    case = decode(json.dumps({**plain, "facts": changed}).encode())
    report = build(case, language)
    to_terminal(report)
    assert "\n# Injected" not in re.sub(r"(?ms)^(`{3,}).*?^\1$", "", to_markdown(report))  # a fence shows it as it is
