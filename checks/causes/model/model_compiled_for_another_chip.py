"""A model that was compiled for another chip than the accelerator that is to run it.

Detects:      a failed run, or a log, in which the accelerator's runtime says so (HailoRT, RKNN, Vitis AI); a .hef file
              that none of the machine's Hailo chips runs.
Why it bites: such a file holds instructions for one chip; nothing translates them for another.
Blind spots:  a Hailo-8 and a Hailo-8L have one number on the bus. Context binaries of QNN and blobs of OpenVINO, whose
              runtimes do not say which chip they want. TensorRT is trt-engine-gpu-mismatch.
Knowledge:    resources/knowledge/errors/compiled_models.toml, resources/knowledge/formats/hailo.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.of_runs import failures
from checks.causes.registry import check
from checks.facts import Facts, ModelFacts
from checks.facts.finding import CLUE, FAILED_RUN, Evidence, Finding, NotHere, Severity
from checks.facts.quotation import quotation
from checks.knowledge.errors.compiled_models import CompiledModels, Refused, refused_in
from checks.knowledge.formats.hailo import HailoTable

HEF = "hailo-hef"
RUNS_ON = "hailo-runs-on"
_OTHER_SERIES = ("Hailo-10H",)  # the number on the bus tells these from the Hailo-8 and its relatives


@check("model-compiled-for-another-chip")
def model_compiled_for_another_chip(facts: Facts) -> Iterator[Finding]:
    """One finding per failed run, log or model."""
    hefs = [model for model in facts.models if model.format == HEF and model.details.get(RUNS_ON)]
    if not facts.runs and not facts.logs and not hefs:
        raise NotHere("failed_programs", "none-given")
    for failure in failures(facts.program_runs):
        raised = "\n".join(f"{one.type}: {one.message}" for one in failure.raised)
        refused = refused_in(f"{raised}\n{failure.run.errors}\n{failure.run.output}")
        if refused is not None:
            yield _told(refused, failure.run.origin, {FAILED_RUN: failure.run.label})
    for log in () if facts.reported else facts.logs:  # of a ticket its words are weighed with those of other causes
        refused = refused_in(log.text or "")
        if refused is not None:
            yield _told(refused, log.name, {})
    here = [one.name for one in (facts.machine.accelerators if facts.machine else None) or () if "Hailo" in one.name]
    for model in hefs:
        if here and not any(_may_run(model, name) for name in here):
            yield _read(model, ", ".join(here))


def _may_run(model: ModelFacts, accelerator: str) -> bool:
    chips = model.details[RUNS_ON].split(", ")
    return any(
        (chip in accelerator) if accelerator.startswith(_OTHER_SERIES) else chip not in _OTHER_SERIES for chip in chips
    )


def _told(refused: Refused, origin: str, values: dict[str, str]) -> Finding:
    table = CompiledModels.read()
    named = (("compiled_for", refused.compiled_for), ("accelerator", refused.chip))
    return Finding(
        severity=Severity.BLOCKING,
        confidence=refused.row.certainty,
        subject=refused.row.runtime,
        evidence=(
            Evidence("runtime", refused.row.runtime, table.title, refused.row.sources[0]),
            *(Evidence(name, value, origin) for name, value in named if value),
            Evidence(CLUE, quotation(refused.line), origin),
        ),
        values=values,
    )


def _read(model: ModelFacts, here: str) -> Finding:
    table = HailoTable.read()
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.93,
        subject=model.path,
        evidence=(
            Evidence("model", model.name, model.path),
            Evidence("runtime", "HailoRT", table.title, table.source),
            Evidence("compiled_for", model.details[RUNS_ON], model.path),
            Evidence("accelerator", here, "PCI"),
        ),
        values={"model_path": model.path},
    )
