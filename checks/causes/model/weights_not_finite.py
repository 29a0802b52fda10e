"""The weights that a model file holds are NaN or infinite.

Detects:      tensors of a given file with NaN, or with infinities among other numbers, as their values were read.
Why it bites: whatever is computed with them is NaN, too, in every run alike, and no answer.
Blind spots:  formats other than ONNX, safetensors, torch.save (zip), TorchScript, .pt2, GGUF and Keras, GGUF's types
              that are not unpacked, and weights beyond a size, are not read. An
              infinity below zero is what a mask has, and a single number of an ONNX file may be meant: of both nothing
              is said. Whether the model uses the tensor is not known.
Knowledge:    none
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.analysis.models.selected import some, values_of
from checks.analysis.models.torch import file_of, in_words, listed
from checks.causes.registry import check
from checks.facts import ModelFiles, NotFiniteWeight
from checks.facts.finding import Evidence, Finding, Severity


@check("weights-not-finite")
def weights_not_finite(models: ModelFiles) -> Iterator[Finding]:
    """One finding per file."""
    for model in some((model for model in models.files if model.weight_values), "models_with_values"):
        weights = model.weight_values.not_finite if model.weight_values else ()
        if not weights:
            continue
        counted = listed([_counted(weight) for weight in weights])
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.9,
            subject=model.path,
            evidence=(file_of(model), Evidence("not_finite_weights", counted, model.path)),
            values={**values_of(model, ""), "not_finite_weights": in_words([weight.name for weight in weights])},
        )


def _counted(weight: NotFiniteWeight) -> str:
    """A tensor and its numbers: "a.weight: 1 NaN, 0 Inf / 64"."""
    return f"{weight.name}: {weight.nan} NaN, {weight.infinite} Inf / {weight.count}"
