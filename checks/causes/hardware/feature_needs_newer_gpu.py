"""A program asks for a feature that this generation of GPUs does not have, or that is made for other ones alone.

Detects:      a failed run, or a log that was given, with words of the table, on a machine whose NVIDIA GPU lacks the
              feature by its compute capability; where the GPU is not known, words that name its capability themselves.
Why it bites: FlashAttention, bfloat16, FP8, FP4, torch.compile and video encoders need circuits that came with some
              generation; no driver and no new installation adds them.
Blind spots:  AMD's and Intel's GPUs. Of machines with GPUs of which only some lack it, which one was meant. Of a mere
              text a number format that the hardware lacks is quantization-unsupported.
Knowledge:    resources/knowledge/gpu/gpu_features.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.of_runs import failures
from checks.analysis.gpu.cuda import CudaGpu, cuda_gpus
from checks.causes.registry import check
from checks.facts import Facts, ProgramRun
from checks.facts.finding import CLUE, FAILED_RUN, Evidence, Finding, NotHere, Severity, Unread
from checks.facts.phrase import Value
from checks.knowledge.gpu.gpu_features import GpuFeatures, Refusal, refusals_in, with_generation
from checks.knowledge.phrases import phrase

SHOWN = 300  # characters of a line that a finding quotes
BY_ITS_WORDS = 0.9  # of the certainty, where the text alone tells which GPU it is
OF_SOME = 0.7  # of the certainty, where only some GPUs of the machine lack it


@check("feature-needs-newer-gpu")
def feature_needs_newer_gpu(facts: Facts) -> Iterator[Finding]:
    """One finding per failed run or log: of the first feature in the table that it refuses."""
    if not facts.runs and not facts.logs:
        raise NotHere("failed_programs", "none-given")
    unread = False
    for failure in failures(facts.program_runs):
        raised = "\n".join(f"{one.type}: {one.message}" for one in reversed(failure.raised))
        frames = [frame for one in failure.raised for frame in one.frames]
        code = "\n".join(word for frame in frames for word in (frame.code, *frame.arrays.values()))
        refused = refusals_in(raised, code) or refusals_in(f"{failure.run.errors}\n{failure.run.output}", code)
        finding, is_open = _judged(refused, facts, failure.run.origin, failure.run)
        unread = unread or is_open
        if finding is not None:
            yield finding
    yield from _of_logs(facts)
    if unread:
        raise Unread("compute_capability")


def refused_in_logs(facts: Facts) -> Finding | None:
    """The finding of a given log; it rules out what its words would say of a GPU that nobody looked at."""
    return next(_of_logs(facts), None)


def _of_logs(facts: Facts) -> Iterator[Finding]:
    if facts.reported:  # of a ticket its words are weighed, with those of all other causes
        return
    for log in facts.logs:
        finding, _ = _judged(refusals_in(log.text or ""), facts, log.name, None)
        if finding is not None:
            yield finding


def _judged(
    refused: tuple[Refusal, ...], facts: Facts, origin: str, run: ProgramRun | None
) -> tuple[Finding | None, bool]:
    """The finding, and whether one is open since no capability could be read."""
    gpus = cuda_gpus(facts.machine)
    is_open = False
    for refusal in refused:
        known = [gpu for gpu in gpus if gpu.capability is not None]
        lacking = [gpu for gpu in known if refusal.is_lacking(gpu.capability or "")]
        if refusal.has is not None and refusal.has not in {gpu.capability for gpu in known}:
            if refusal.is_lacking(refusal.has) and not known:  # nothing was read here, but the line tells
                told = CudaGpu(refusal.gpu or "GPU", refusal.has, origin)
                return _finding(refusal, told, BY_ITS_WORDS, origin, run), False
            continue  # it is of another machine
        if lacking:
            some = 1.0 if len(lacking) == len(gpus) or refusal.has is not None else OF_SOME
            gpu = next((gpu for gpu in lacking if gpu.capability == refusal.has), lacking[0])
            return _finding(refusal, gpu, some, origin, run), False
        is_open = is_open or not gpus or len(known) < len(gpus)
    return None, is_open and facts.machine is not None


def _finding(refusal: Refusal, gpu: CudaGpu, share: float, origin: str, run: ProgramRun | None) -> Finding:
    table = GpuFeatures.read()
    is_too_new = refusal.is_too_new(gpu.capability or "")
    newer = () if is_too_new else ("run-on-newer-gpu",)
    return Finding(
        severity=Severity.WARNING if run is not None and run.is_unasked else Severity.BLOCKING,
        confidence=round(refusal.row.certainty * share, 3),
        subject=refusal.name,
        evidence=(
            Evidence("feature", refusal.name, table.title, refusal.row.sources[0]),
            Evidence("gpu", gpu.name, gpu.origin),
            Evidence("compute_capability", with_generation(gpu.capability or ""), gpu.origin),
            Evidence(CLUE, refusal.line[:SHOWN], origin),
        ),
        values={"capability_needed": _needed(refusal), **({FAILED_RUN: run.label} if run is not None else {})},
        remedies=(*refusal.row.remedies, *newer),
    )


def _needed(refusal: Refusal) -> Value:
    least, greatest = refusal.least and with_generation(refusal.least), refusal.greatest
    if refusal.only:
        return phrase(
            "capability-only", only=", ".join(f"{one}x" if one.endswith(".") else one for one in refusal.only)
        )
    if refusal.row.lacking:
        return phrase("capability-with-encoder", least=least or "", lacking=", ".join(refusal.row.lacking))
    if least and greatest:
        return phrase("capability-between", least=least, greatest=with_generation(greatest))
    if greatest:
        return phrase("capability-to", greatest=with_generation(greatest))
    return phrase("capability-from", least=least or "")
