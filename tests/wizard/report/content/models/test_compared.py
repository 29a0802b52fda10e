"""Two model files side by side: of what only one has, a few names are enough."""

import msgspec

from checks.facts import Facts, ModelComparison, TensorDifference
from checks.facts.case import Answers
from checks.judgement.judge import judged
from wizard.report.content.models.compared import comparison_views


def test_names_that_a_tool_gave_anew_do_not_fill_pages() -> None:
    alone = [TensorDifference(name=f"w{place}", kind="only-second", second="int8 [4]") for place in range(62)]
    changed = TensorDifference(name="c1.bias", kind="values", first="float32 [4]", second="float32 [4]", max_abs=0.1)
    compared = ModelComparison(
        first="a.onnx", second="b.onnx", weights={"same": 5, "only-second": 62, "values": 1}, tensors=(*alone, changed)
    )
    case = judged(msgspec.structs.replace(Facts(), comparisons=(compared,)), Answers(symptom="models"))
    (view,) = comparison_views(case, "en")
    assert view.tensors[0].cells[0] == "c1.bias"
    assert len(view.tensors) == 1 + 6 + 1
    assert view.tensors[-1].cells[0] == "and 56 more"
