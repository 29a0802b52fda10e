"""A case that was sent may hold any figures: no print breaks, and nothing in it is obeyed."""

import re
import subprocess

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from checks.facts import (
    ArrayDifference,
    ErrorText,
    Experiment,
    Facts,
    FrameworkDevice,
    Frameworks,
    Health,
    HealthSample,
    InterpreterFacts,
    KernelLaunch,
    Measurement,
    ModelMeasured,
    Portrait,
    Precision,
    Repeat,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.sharing.case import decode, to_builtins
from wizard.plots.view import PlotView
from wizard.report.content.report import build
from wizard.report.pdf.document import to_pdf
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal
from wizard.words import words

pytestmark = pytest.mark.usefixtures("qapp")

EVIL = "\x1b[31m<img src=x>\u202e| `x` {detail} {0} ~*_"
FAR = ArrayDifference(
    elements=-1, differing=2**62, max_abs=1e308, max_rel=1e308, max_ulp=2**62, scale=5e-324, ulp_histogram=(2**62,) * 70
)
NOTHING = ArrayDifference(elements=0, differing=0)
NAMED = {"framework": "torch", "operation": EVIL, "device": EVIL, "dtype": EVIL, "setting": EVIL}
HERE = {"framework": "torch", "operation": "matmul", "device": "cpu", "dtype": "float32"}
ERROR = ErrorText(type=EVIL, message=EVIL)

MEASURED: tuple[Measurement, ...] = (
    Repeat(**NAMED, repetitions=-5, distinct=-1, seconds=-1.0, spread=FAR, terms=-3, counts=(-1,), order=(2**40, -9)),
    Repeat(**HERE, repetitions=2**62, distinct=2**62, seconds=1e308, spread=FAR, terms=2**62, order=(1,) * 400),
    Repeat(**HERE, setting="deterministic", repetitions=3, distinct=1, seconds=5e-324),
    Repeat(**HERE, setting="threads-1", repetitions=3, distinct=1, reason=EVIL, detail=EVIL, error=ERROR),
    Repeat(),
    Experiment(**NAMED, steps=(2**62, -1), values=((1e308, None), ()), exact=((), ("zz",)), expected=-1e308),
    Experiment(**{**HERE, "operation": "network"}, steps=(), values=(), exact=(("a",), ("b",)), seconds=0.0),
    Experiment(**{**HERE, "operation": "sum-of-squares"}, values=((None,),), exact=(("",),), expected=0.0),
    Portrait(**HERE, shape=(2**62, -1), samples=("zz",), block_sums=("0x1.zp+9999", "nan"), scale=-1.0),
    Portrait(
        framework="numpy", operation="matmul", device="cpu", dtype="float32", samples=("00",), block_sums=("inf",)
    ),
    Precision(**HERE, against=FAR, beside=FAR, other=EVIL, terms=2**62, condition=1e308, rms=-1.0),
    Precision(**HERE, setting="threads-1", against=NOTHING, beside=NOTHING, terms=0, condition=0.0),
    ModelMeasured(**NAMED, path=EVIL, distinct=-4, repetitions=-4, difference=FAR, decisions=17.0),
    Health(**NAMED, length=-1.0, checked=-1, samples=(HealthSample(second=1e308, temperature=2**62),) * 3),
)


@pytest.fixture(scope="module")
def case() -> Case:
    torch = TorchFacts(
        version=EVIL, devices=(FrameworkDevice(device="cpu", kernel=KernelLaunch(ran=True)),), threads=-(2**62)
    )
    facts = Facts(
        interpreters=(InterpreterFacts(path="/x"),),
        target="/x",
        frameworks=Frameworks(torch=torch),
        symptom=Symptom(origin="user", name="results-differ", exactness="bits"),
        measurements=MEASURED,
    )
    return judged(facts, Answers(symptom="results-differ", exactness="bits"))


def test_no_check_crashes(case: Case) -> None:
    assert [(outcome.cause, outcome.detail) for outcome in case.outcomes if outcome.status.value == "crashed"] == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_print(case: Case, language: str) -> None:
    report = build(case, language)
    assert "\x1b" not in to_terminal(report)
    prose = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", to_markdown(report))  # in code it is shown as it is
    assert "<img" not in prose.replace("\\<img", "")
    done = subprocess.run(["pdftotext", "-", "-"], input=to_pdf(report, b"{}"), capture_output=True, check=True)
    assert "\x1b" not in done.stdout.decode()


def test_every_plot(qtbot: QtBot, case: Case) -> None:
    for section in build(case, "en").measured:
        for plot in section.plots:
            view = PlotView(plot, lambda key, **values: words(f"window.{key}", "en", **values))
            qtbot.addWidget(view)
            view.grab()


def test_the_case_comes_back(case: Case) -> None:
    again = decode(msgspec.json.encode(to_builtins(case)))
    assert len(again.facts.measurements) == len(MEASURED)
