"""Within the user's own model: the smallest part that shows a difference, and what quantisation loses by layer."""

import msgspec

from checks.facts.measured import ArrayDifference, Measured
from checks.facts.models.files import TensorSpec


class CutNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node of a part of a model. ``attributes``: as "axis=-1", long ones shortened."""

    name: str
    op: str = ""
    domain: str = ""
    attributes: tuple[str, ...] = ()


class MinimalGraph(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="minimal"):
    """The smallest part of an ONNX model that still shows what the whole shows between two settings.

    ``device``, ``setting``: of the reference; ``other_device``, ``other``: of the candidate, "" where numbers get lost
    under one setting alone. ``shows``: "lost", "not-finite", "beyond" (rounding), "decision" (whole numbers differ),
    "rounding", "error", "crash", "timed-out" (the candidate alone). ``..._before``: of the whole model, ``..._after``:
    of the part. ``again``: in how many of ``checks`` runs in new processes the part showed the same.
    """

    path: str = ""
    other_device: str = ""
    other: str = ""
    version: str = ""  # of ONNX Runtime
    other_version: str = ""  # likewise, in the second Python where there is one
    shows: str = ""
    inputs: tuple[TensorSpec, ...] = ()
    inputs_from: str = ""  # as in ModelMeasured
    inputs_renamed: str = ""
    inputs_wanted: tuple[TensorSpec, ...] = ()  # as in ModelMeasured
    nodes_before: int = 0  # that depend on the inputs
    nodes_after: int = 0
    nodes: tuple[CutNode, ...] = ()  # of the part, at most 50
    is_least: bool = False  # without any one of its nodes it shows nothing
    tried: int = 0  # parts that were run on the way
    again: int = 0
    checks: int = 0
    model_bytes: int = 0
    part_inputs: tuple[TensorSpec, ...] = ()
    weights: int = 0  # tensors of the user's model that the part holds
    difference_before: ArrayDifference | None = None
    difference_after: ArrayDifference | None = None
    bound_before: float | None = None
    bound_after: float | None = None
    lost_before: int = 0  # NaN and infinities
    lost_after: int = 0
    folder: str = ""  # where it was written; "": nowhere
    printed: str = ""  # by the script in that folder


class WeightLoss(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the quantisation of one weight loses. ``sqnr``: signal to noise, dB; None: nothing is lost, or all is 0.

    ``poorest``: that of the channel that loses most. ``steps``: of the 2 ** bits codes, those that the channel with the
    fewest uses; ``channel``: its place on ``axis``.
    ``ratio``: the largest channel's largest number in units of the median channel's.
    """

    name: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    scales: int = 0  # 1: one for the whole tensor
    sqnr: float | None = None
    poorest: float | None = None
    max_relative: float | None = None  # the largest error in units of the largest number
    steps: int | None = None
    channel: int | None = None
    axis: int = 0
    ratio: float | None = None


class LayerLoss(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What quantisation loses at one layer: the nodes of the float model up to a value that the quantised one has, too.

    SQNR in dB (-300: not all of it is finite), of the value that comes out, against the float model's: ``here``, of the
    quantised model; ``before``: of the float layer given what the quantised model computed until then; ``own``: of the
    quantised model against that, so that it is what this layer adds. ``without``: that of the model's output where the
    layer alone computes in float.
    ``is_tried``: whether that was run; without a figure it then loses nothing any more. ``clipped``: share of its
    numbers beyond what its codes can hold. Of an input of the model, which is quantised, too, ``op`` is "".
    """

    name: str  # of the node with the weight, or the last
    op: str = ""
    nodes: tuple[str, ...] = ()  # names of those that belong to it
    value: str = ""
    here: float | None = None
    before: float | None = None
    own: float | None = None
    without: float | None = None
    clipped: float | None = None
    scale: float | None = None
    zero_point: int | None = None
    dtype: str = ""
    reaches: tuple[float, float] | None = None  # the numbers that its codes can hold
    seen: tuple[float, float] | None = None  # those that were seen in float
    is_tried: bool = False
    lost: int = 0  # numbers that are finite in float and not here
    held: tuple[str, ...] = ()  # names of its weights


class TriedRemedy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The float model quantised again by onnxruntime.quantization with one thing changed, and what came of it.

    ``what``: "exclude" (``nodes`` stay in float), "per-channel", "reduce-range", "entropy", "percentile"; "as-it-is"
    where not even that could be quantised. ``before``, ``after``: SQNR of the output in dB, both quantised and
    calibrated here with the same inputs.
    """

    what: str
    nodes: tuple[str, ...] = ()
    before: float | None = None
    after: float | None = None
    decisions_before: float | None = None
    decisions_after: float | None = None
    error: str = ""


class QuantisationLoss(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="quantisation"):
    """What a quantised ONNX model loses against the float model that it was made of, layer by layer.

    ``first``, ``path``: paths of the float model ("" where it was not given) and the quantised one. ``form``: "QDQ",
    "QOperator", "dynamic", "float16". ``sqnr``: of the output, dB. ``decisions``: as in ModelMeasured.
    """

    path: str = ""
    first: str = ""
    form: str = ""
    version: str = ""
    inputs: tuple[TensorSpec, ...] = ()
    inputs_from: str = ""
    inputs_renamed: str = ""
    inputs_wanted: tuple[TensorSpec, ...] = ()  # likewise
    rows: int = 0  # of the inputs
    output: str = ""
    sqnr: float | None = None
    difference: ArrayDifference | None = None
    decisions: float | None = None
    layers: tuple[LayerLoss, ...] = ()  # in their order
    unmatched: int = 0  # float nodes with weights whose layer the quantised model does not show
    weights: tuple[WeightLoss, ...] = ()  # read from the files
    tried: tuple[TriedRemedy, ...] = ()
    quantiser: str = ""  # why nothing was quantised again: an id of measurements.toml
    saturates: float | None = None  # SQNR of the output with session.x64quantprecision, where that changes it
