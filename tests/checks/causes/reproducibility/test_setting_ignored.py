"""When setting-ignored speaks of repetitions and flips, and when it keeps silent; digits: test_computed_digits.py."""

import pytest
from support.recorded_repeats import LARGE, frameworks, left_out, measurements, recorded, repeat

from checks.causes.reproducibility.setting_ignored import setting_ignored
from checks.facts import ArrayDifference, Flip, Measurement, Symptom
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.phrases import in_language

CPU = {"device": "cpu"}
APART = ArrayDifference(elements=4096, differing=900, max_abs=2e-6, scale=1.0, max_ulp=8)
AS_TF32 = ArrayDifference(elements=65536, differing=65000, max_abs=6e-3, scale=20.0)
SAME = ArrayDifference(elements=4096, differing=0)


def findings(*made: Measurement, symptom: Symptom | None = None) -> list[Finding]:
    return list(setting_ignored(measurements(*made), None, frameworks(), symptom))


def flip(setting: str, pair: tuple[str, str], after: ArrayDifference, before: ArrayDifference = APART) -> Flip:
    return Flip(
        framework="torch",
        operation="matmul",
        device="cpu" if pair[0] == "cpu" or "threads" in pair[0] else "cuda:0",
        dtype="float32",
        setting=setting,
        pair=pair,
        before=before,
        after=after,
        terms=512,
        condition=40.0,
    )


def test_an_operation_that_varies_in_the_mode_that_promises_the_same_bits() -> None:
    (finding,) = findings(repeat("index-add", distinct=30), repeat("index-add", "deterministic", distinct=12))
    assert (finding.severity, finding.subject) == (Severity.WARNING, "torch:cuda:0:deterministic")
    told = finding.placeholders()
    assert told["settings_without_effect"] == "deterministic"
    assert told["varying_operation"] == "index-add: 12 / 300"
    assert "use_deterministic_algorithms" in told["promised_by"]
    assert "Adding rows at indices" in in_language(finding.values["ignored"], "en")
    assert "index_add" in in_language(finding.values["ignored"], "ja")


def test_an_operation_that_no_list_names_is_promised_to_repeat_like_all_others() -> None:
    (finding,) = findings(repeat("softmax"), repeat("softmax", "deterministic", distinct=2))
    assert "use_deterministic_algorithms" in finding.placeholders()["promised_by"]


def test_bits_are_no_trouble_of_whoever_needs_decisions() -> None:
    made = (repeat("index-add", distinct=30), repeat("index-add", "deterministic", distinct=12))
    (finding,) = findings(*made, symptom=Symptom(name="results-change", exactness="decisions"))
    assert finding.severity is Severity.NOTE


def test_with_the_workspace_of_cublas_too() -> None:
    made = [repeat("index-add", "deterministic-workspace", distinct=2)]
    (finding,) = findings(repeat("index-add", distinct=30), *made)
    assert finding.placeholders()["settings_without_effect"] == "deterministic-workspace"


def test_an_operation_that_varies_with_one_thread() -> None:
    (finding,) = findings(repeat("sum", distinct=9, **CPU), repeat("sum", "threads-1", distinct=4, **CPU))
    assert finding.subject == "torch:cpu:threads-1"
    assert finding.confidence < 0.7


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(
            (repeat("index-add", distinct=30), repeat("index-add", "deterministic")), id="the-mode-has-its-effect"
        ),
        pytest.param(
            (repeat("bincount-weights", distinct=30), repeat("bincount-weights", "deterministic", distinct=9)),
            id="the-mode-promises-an-error",
        ),
        pytest.param(
            (repeat("lstm-backward", distinct=3), repeat("lstm-backward", "deterministic", distinct=2)),
            id="a-document-says-that-the-mode-does-not-help",
        ),
        pytest.param(
            (
                repeat("softmax", framework="jax", device="cpu:0"),
                repeat("softmax", "deterministic", framework="jax", device="cpu:0", distinct=2),
            ),
            id="no-document-promises",
        ),
        pytest.param(
            (
                repeat("index-add", distinct=30, spread=LARGE),
                repeat("index-add", "deterministic", distinct=30, spread=LARGE),
                repeat("index-add", "exact-inputs", distinct=3, spread=LARGE),
            ),
            id="documented-to-vary-and-wrong-in-the-mode",
        ),
        pytest.param(
            (repeat("index-add", distinct=3), repeat("index-add", "deterministic", warm_up="00aa")),
            id="only-the-first-call-was-another",
        ),
        pytest.param(
            (repeat("sum", distinct=9, **CPU), repeat("sum", "threads-1", **CPU)), id="one-thread-has-its-effect"
        ),
        pytest.param(
            (repeat("sum", distinct=9), repeat("sum", "threads-1", distinct=4)), id="threads-of-the-program-on-a-card"
        ),
        pytest.param(
            (
                repeat("sum", distinct=9, spread=LARGE, **CPU),
                repeat("sum", "threads-1", distinct=4, spread=LARGE, **CPU),
            ),
            id="wrong-whatever-is-set",
        ),
        pytest.param((flip("threads-1", ("threads-8", "threads-3"), SAME),), id="one-thread-restores-the-bits"),
        # A processor and a card differ in more than threads, and a memory format in more than oneDNN.
        pytest.param((flip("tf32-off", ("cpu", "cuda:0"), APART, AS_TF32),), id="rounding-is-left-without-tf32"),
    ],
)
def test_silent(made: tuple[Measurement, ...]) -> None:
    assert findings(*made) == []


@pytest.mark.parametrize(
    "made",
    [
        pytest.param((repeat("index-add", distinct=30),), id="nothing-was-set"),
        pytest.param((left_out("index-add", "deterministic", "no-time"),), id="left-out"),
        pytest.param((flip("threads-1", ("cpu", "cuda:0"), APART),), id="not-the-same-run"),
        pytest.param((flip("mkldnn-off", ("threads-8", "threads-3"), APART),), id="another-suspect"),
        pytest.param((flip("threads-1", ("default", "mkldnn-off+threads-1+batch-1"), APART),), id="several-at-once"),
        pytest.param((flip("batch-1", ("batch-8", "batch-1"), APART),), id="no-setting"),
    ],
)
def test_nothing_that_tells_of_settings(made: tuple[Measurement, ...]) -> None:
    with pytest.raises(NotHere):
        findings(*made)


@pytest.mark.parametrize(
    ("made", "setting"),
    [
        pytest.param(flip("threads-1", ("threads-8", "threads-3"), APART), "threads-1", id="threads"),
        pytest.param(flip("autotune-off", ("default", "autotune"), APART), "autotune-off", id="autotuning"),
        pytest.param(flip("tf32-off", ("cpu", "cuda:0"), AS_TF32, AS_TF32), "tf32-off", id="tf32"),
    ],
)
def test_two_runs_that_still_differ_where_they_are_the_same(made: Flip, setting: str) -> None:
    (finding,) = findings(made)
    told = finding.placeholders()
    assert told["settings_without_effect"] == setting
    assert told["settings_compared"] == " / ".join(made.pair)
    ignored = in_language(finding.values["ignored"], "en")
    assert setting in ignored or "matmul" in ignored


@pytest.mark.parametrize(
    "name", ["torch-2.13.0-cpu-repeat", "torch-2.13.0-cpu-digits", "tensorflow-2.21.0-cpu-deterministic"]
)
def test_real_processors_hear_what_is_set(name: str) -> None:
    assert findings(*recorded(name)) == []
