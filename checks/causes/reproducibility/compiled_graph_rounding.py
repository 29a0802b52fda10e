"""Results of a compiled operation differ in the last digits from those of the plain one.

Detects:      operations whose results have different bits under torch.compile, under tf.function with or without
              jit_compile, or under jax.jit, no farther apart than rounding order allows.
Why it bites: a comparison of the compiled model with the plain one fails in its last digits.
Blind spots:  of PyTorch two operations are compiled, and only where a compiler is there and time is left; the optimiser
              of ONNX Runtime is compared with the user's own model alone.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import rounding_by_order
from checks.causes.registry import check
from checks.facts import Measurements, Symptom
from checks.facts.finding import Finding

COMPILING = ("compiled", "graph", "op-by-op")  # what JAX compiles as usual is computed call by call beside it


@check("compiled-graph-rounding")
def compiled_graph_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework and device, and per model of the user."""
    yield from rounding_by_order(measurements, symptom, "level", lambda setting: setting in COMPILING)
