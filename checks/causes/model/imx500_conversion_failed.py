"""A network for the IMX500 that needs more memory than the sensor has.

Detects:      a converter's archive whose coefficients, working memory and reserve together exceed the sensor's memory.
Why it bites: the packager or the camera's firmware refuses the network.
Blind spots:  what the converter itself refuses leaves no archive: only its own words tell that. Of a finished package
              (.rpk) the working memory is not read. Whether converter and firmware fit each other is not known.
Knowledge:    resources/knowledge/formats/imx500.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.imx500 import Imx500Table

_PARTS = ("memory-coefficients", "memory-working", "memory-reserved")


@check("imx500-conversion-failed")
def imx500_conversion_failed(models: ModelFiles) -> Iterator[Finding]:
    """One finding per archive."""
    table = Imx500Table.read()
    for model in some(models.of("imx500-packer"), "imx500_models"):
        needed = sum(int(model.details.get(part, "0")) for part in _PARTS)
        if needed > table.memory:
            yield Finding(
                severity=Severity.BLOCKING,
                confidence=0.95,
                subject=model.path,
                evidence=(
                    Evidence("model", model.name, model.path),
                    Evidence("memory_needed", f"{needed} bytes", model.path),
                    Evidence("sensor_memory", f"{table.memory} bytes", table.title, table.memory_source),
                ),
                values={"model_path": model.path, "runtime": ""},
                remedies=("shrink-model-for-imx500",),
            )
