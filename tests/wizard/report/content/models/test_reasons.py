"""Why a model was not tried, or not to the end, in words."""

import pytest

from checks.facts import ExportRun, ModelRun
from checks.facts.models.verdicts import ModelVerdict, Outcome
from wizard.report.content.models.reasons import reason_of

LIMIT = 8 << 30


@pytest.mark.parametrize(
    "told",
    [
        ModelRun(runtime="torch", reason="too-much-memory", memory_limit=LIMIT),
        ExportRun(exporter="torch-export", reason="too-much-memory", memory_limit=LIMIT),
        ModelVerdict(model="a", runtime="b", outcome=Outcome.UNKNOWN, reason="too-much-memory", memory_limit=LIMIT),
    ],
    ids=["run", "export", "verdict"],
)
def test_how_much_was_too_much(told: ModelRun | ExportRun | ModelVerdict) -> None:
    assert reason_of(told, "en").startswith("It took more than 8 GiB of memory and was ended")
    assert "8 GiBを超えた" in reason_of(told, "ja")


def test_other_reasons() -> None:
    assert reason_of(ModelRun(runtime="torch"), "en") == ""
    assert reason_of(ModelRun(runtime="torch", reason="timed-out"), "en") == "It took too long and was ended."
    assert reason_of(ModelRun(runtime="torch", reason="of {a} newer version"), "en") == "of {a} newer version"


def test_a_limit_that_a_case_does_not_tell() -> None:
    assert "{" not in reason_of(ModelRun(runtime="torch", reason="too-much-memory"), "en")
