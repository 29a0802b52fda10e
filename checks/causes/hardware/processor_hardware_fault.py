"""The processor, or the main memory beside it, computes wrongly.

Detects:      under Naosu's own load on a processor, results with a wrong bit where whole numbers are computed exactly,
              machine checks that the system's log got meanwhile, a load that died; and repeated operations that vary
              where no order of computing changes a result, in the first process and again in a new one.
Why it bites: results are wrong without a warning, and programs die at random.
Blind spots:  a short load shows a rare fault seldom. Memory, processor and their voltage are not told apart. What went
              wrong once and not again is told as that, and is no proof.
Knowledge:    resources/knowledge/errors/gpu_log.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.signs import computed_signs
from checks.causes.registry import check
from checks.facts import CpuFacts, Frameworks, Measurements
from checks.facts.finding import Evidence, Finding, NotHere
from checks.knowledge.phrases import phrase


@check("processor-hardware-fault")
def processor_hardware_fault(
    measurements: Measurements, frameworks: Frameworks | None, cpu: CpuFacts | None
) -> Iterator[Finding]:
    """One finding, with all its signs."""
    found = computed_signs(measurements, frameworks, None, cpu, of_processor=True)
    if not found:
        raise NotHere("repeats", "not-measured")
    for subject, signs in found.items():
        if signs.any:
            listed = dict(signs.grave + signs.mild + signs.harmless)
            yield Finding(
                severity=signs.severity,
                confidence=signs.confidence,
                subject=subject,
                evidence=(Evidence("processor", signs.name), Evidence("signs", "; ".join(listed))),
                values={"processor": signs.name, "signs": phrase("signs", signs=tuple(listed.values()))},
            )
