"""Model files: what they are and need, how they ran, how their exports and two of them differ."""

from collections.abc import Iterator
from math import prod

import msgspec

from checks.facts.base import Fact
from checks.facts.errors import ErrorText
from checks.facts.python import Package


class TensorSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An input or output of a model. An axis of ``shape`` is a length, or the name of a free one ("batch", "?").

    ``dtype`` is spelt as NumPy and ml_dtypes do ("float32", "bfloat16", "float8_e4m3fn", "int4"); None = unknown.
    """

    name: str
    dtype: str | None = None
    shape: tuple[int | str, ...] | None = None


class OperatorUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An operator that a model uses, and how many nodes of it. ``domain`` "" is the format's own set."""

    name: str
    domain: str = ""
    version: int | None = None  # the operator's own version, where the format has one (TFLite)
    count: int = 1
    is_custom: bool = False  # outside the format's own set, so that its library must be there


class NeededFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file beside the model that belongs to it, by the name that the model gives. ``size``: bytes that it needs.

    ``linked_to``: where it really lies, if a link leads out of the model's folder; "" if none does.
    ``beside_real_model``: that is the folder in which the model, itself a link, really lies (caches of Hugging Face).
    """

    name: str
    size: int | None = None
    present: bool | None = None  # None = not looked for: the name leads out of the model's folder
    present_size: int | None = None
    linked_to: str = ""
    beside_real_model: bool = False


class NamedClass(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a pickle would import and could call ("torch._utils._rebuild_tensor_v2").

    ``risk``: "dangerous" (it runs commands or code), "unknown" (not on the list of what weights need), "known".
    ``given``: what a dangerous one is first called with, as Python writes it, and shortened; "" where it is not called.
    """

    name: str
    risk: str = "unknown"
    given: str = ""


class Binding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a file is bound to: ``kind`` is an id of resources/words/models.toml, ``value`` what exactly."""

    kind: str
    value: str = ""


class ModelNeeds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model file asks of the place where it runs. None = the format does not tell, or it was not read."""

    frameworks: tuple[str, ...] = ()  # programs that read it, as requirements: "torch>=1.6", "onnxruntime>=1.17"
    opsets: dict[str, int] | None = None  # domain -> version; "" is ai.onnx
    operators: tuple[OperatorUse, ...] | None = None  # the most used first
    classes: tuple[NamedClass, ...] | None = None
    devices: tuple[str, ...] | None = None  # "cuda:0", "edge tpu", "imx500"; () = none in particular
    systems: dict[str, str] | None = None  # lowest version of a system: {"macOS": "13", "iOS": "16"}
    files: tuple[NeededFile, ...] | None = None
    memory: int | None = None  # bytes of the weights as they are stored


class ProviderShare(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of a model one execution provider, delegate or compute unit took: operator -> nodes, and their time.

    ``operator_seconds``: of the processor beside another device, what of ``seconds`` each operator took. ``reasons``:
    operator -> the runtime's own line that tells why it is here and not where it was wanted.
    """

    provider: str
    operators: dict[str, int]
    seconds: float | None = None  # of one inference, from the runtime's own profile
    operator_seconds: dict[str, float] = {}
    reasons: dict[str, str] = {}


class ModelRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A model really loaded in the target interpreter, and run where its inputs could be drawn.

    ``reason``: an id [reason-...] of models.toml: why it was not tried, or not to the end. An ``error`` of a run of
    which ``ran`` is not told comes from inputs that were refused; they were made up without knowing the model.
    """

    runtime: str  # a field of Frameworks, or a reader of model_formats.toml: "onnxruntime", "keras"
    setting: str = ""  # what was asked for: "CUDAExecutionProvider", "GPU"
    loaded: bool | None = None
    ran: bool | None = None
    reason: str = ""
    detail: str = ""
    error: ErrorText | None = None
    inputs: tuple[TensorSpec, ...] | None = None  # what it was given
    shares: tuple[ProviderShare, ...] | None = None
    seconds: float | None = None  # of one inference
    memory_limit: int | None = None  # bytes, of one that was ended for taking more
    log: str | None = None  # what the runtime printed about it


class UnmetNeed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A requirement of an exporter ("torch<=2.7.0") that is not met. ``found`` "": it is not installed."""

    needed: str
    found: str = ""


class OutputDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output of an exported model beside the original's, for the same input.

    ``bound``: the largest difference that is rounding. ``share``: the part of the elements beyond it. ``same_top``: the
    part of the rows in which the largest number stands at the same place. ``same_share``: of whole numbers, how many
    are equal. The first name and shape are the original's.
    """

    name: str = ""
    export_name: str = ""
    dtype: str | None = None
    export_dtype: str | None = None  # None = the same
    shape: tuple[int, ...] = ()
    export_shape: tuple[int, ...] | None = None  # None = the same
    equal: bool | None = None
    max_abs: float | None = None
    max_rel: float | None = None  # to the largest magnitude of the original's output
    scale: float | None = None  # that magnitude
    bound: float | None = None
    nan: int | None = None  # elements that are finite, or an infinity, on one side only
    nan_in_both: int = 0  # elements that are NaN on both sides: that they are alike proves nothing
    share: float | None = None
    cosine: float | None = None
    same_top: float | None = None
    same_share: float | None = None

    @property
    def is_rounding(self) -> bool:
        """Whether the two are equal but for rounding."""
        if self.export_shape is not None:
            return False
        if self.max_abs is None or self.bound is None:
            return self.equal is not False
        return not self.nan and self.max_abs <= self.bound

    @property
    def shows_nothing(self) -> bool:
        """Whether there was nothing in it to compare: no element, or NaN on both sides everywhere."""
        return self.max_abs is not None and self.nan_in_both >= prod(self.shape)


class NodeDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first node of an export whose result the original does not have, and the operation it should have been."""

    name: str
    op: str
    value: str = ""
    original_name: str = ""
    original_op: str = ""
    original_place: str = ""  # the line of Python that it comes from
    max_abs: float | None = None
    bound: float | None = None
    share: float | None = None


class ExportRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A model really exported in the target interpreter, and the export run beside the original.

    ``fit``: whether the exporter's versions fit ("fits", "untested", "misfit", "not-installed", "unknown"), by
    ``unmet``. ``reason``: an id [reason-...] of models.toml: why it was not tried, or not to the end. ``search``: why
    the first node that parts was not found ("not-for-this-format", "optimizer", "runtime", "not-found", "failed").
    """

    exporter: str  # an id of resources/knowledge/frameworks/exporters.toml
    versions: dict[str, str] = {}
    fit: str = ""
    unmet: tuple[UnmetNeed, ...] = ()
    reason: str = ""
    detail: str = ""
    stage: str = ""  # what was going on when it ended: "original", "export", "compare", "part"
    loaded: bool | None = None  # the original
    exported: bool | None = None
    ran: bool | None = None  # the export
    error: ErrorText | None = None
    log: str | None = None
    seconds: float | None = None  # of the export
    memory_limit: int | None = None  # bytes, of one that was ended for taking more
    size: int | None = None  # bytes of the export
    opset: int | None = None
    runner: str = ""  # what ran the export: "onnxruntime 1.31.1"
    inputs: tuple[TensorSpec, ...] | None = None
    inputs_from: str = ""  # "file" or "image" of the user, "model", "drawn"
    inputs_renamed: str = ""  # "image: foo": what was given for an input under another name
    inputs_wanted: tuple[TensorSpec, ...] = ()  # what the model takes, where the user's inputs do not fit
    repeats: bool | None = None  # the original gave the same twice
    bound_by: str = ""  # how the bounds were found: "float64", "unit-roundoff"
    outputs: tuple[OutputDifference, ...] | None = None
    differs_unoptimized: bool | None = (
        None  # False: with the runtime's optimisations off, or other kernels, it is right
    )
    first_difference: NodeDifference | None = None
    search: str = ""
    search_detail: str = ""


class NotFiniteWeight(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tensor of a model file in which some of the ``count`` numbers are NaN, or infinite above all others."""

    name: str
    nan: int = 0
    infinite: int = 0
    count: int = 0


class WeightValues(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the numbers of the weights of a file are, read without running it.

    ``looked_at`` and ``left_out``: how many tensors of fractions were read, and how many are stored in a way that is
    not. ``not_finite``: the first of those that hold NaN or infinities.
    """

    looked_at: int = 0
    left_out: int = 0
    not_finite: tuple[NotFiniteWeight, ...] = ()


class ModelFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A model file or folder, read without executing anything in it.

    ``format`` is an id of resources/knowledge/formats/model_formats.toml; None: not recognised. ``problem`` is an id of
    resources/words/models.toml that says why it could not be read, or not to its end.
    """

    path: str = ""  # as the user gave it; within an archive "models.zip/en/model.onnx"
    name: str = ""
    format: str | None = None
    version: str | None = None  # of the format, in its own words: "IR 9", "3", "specification 7"
    producer: str | None = None  # the framework or tool that wrote it: "pytorch"
    producer_version: str | None = None
    size: int | None = None  # bytes, of all parts together
    problem: str | None = None
    problem_detail: str = ""
    needs: ModelNeeds = ModelNeeds()
    dependence: str | None = None  # on the environment: "low", "medium", "high"
    bound_to: tuple[Binding, ...] = ()
    inputs: tuple[TensorSpec, ...] | None = None
    outputs: tuple[TensorSpec, ...] | None = None
    parameters: int | None = None  # how many numbers the weights are
    dtypes: dict[str, int] | None = None  # of the weights: dtype -> how many numbers
    weight_values: WeightValues | None = None  # None: they were not read
    quantization: str | None = None  # "int8", "Q4_K_M"; "" none
    details: dict[str, str] = {}  # what else the format tells, by an id of resources/words/models.toml
    package: Package | None = None  # the installed package that brought it
    runs: tuple[ModelRun, ...] = ()
    exports: tuple[ExportRun, ...] = ()


class NamedModel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model that a program names, which was read as a given one is; nobody knows that the program comes to it.

    ``read_at``: where it is named: "main.py:12"; ``label``: the call, where that was tried, too. ``defined``: the names
    that the program has itself, among which a pickle's "__main__" is looked up; None: more than its text shows.
    """

    model: ModelFacts
    read_at: str = ""
    label: str = ""
    defined: tuple[str, ...] | None = None


class ModelFiles(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All model files of a case, for the checks that judge them."""

    files: tuple[ModelFacts, ...]

    def of(self, *formats: str) -> Iterator[ModelFacts]:
        """Those of the given formats."""
        return (file for file in self.files if file.format in formats)


class ModelDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing in which two models differ. ``what`` is an id [differs-...] of models.toml, ``name`` which of several.

    ``first`` and ``second``: what stands in each of them; "" where it is not there.
    """

    what: str
    name: str = ""
    first: str = ""
    second: str = ""


class TensorDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A weight in which two models differ.

    ``kind``: "values", "dtype", "shape", "only-first", "only-second", "renamed" (the same bytes under another name),
    "left-out" (stored in a way in which it is not compared).
    The distances are those of the numbers as float64: the largest absolute one, the same relative to the first's
    largest magnitude, and 1 - cosine (None: one is 0 everywhere, or its squares are beyond float64).
    """

    name: str
    kind: str
    first: str = ""  # dtype and shape
    second: str = ""
    max_abs: float | None = None
    max_rel: float | None = None
    cosine_distance: float | None = None


class ModelComparison(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Two models side by side. ``weights``: ending -> how many tensors ("same", "values", "only-first", ...).

    ``weights_unread``: why the weights were not compared, an id [weights-...] of models.toml.
    """

    first: str  # paths
    second: str
    differences: tuple[ModelDifference, ...] = ()
    weights: dict[str, int] | None = None
    tensors: tuple[TensorDifference, ...] = ()  # the farthest apart first
    weights_unread: str = ""
    same_bytes: bool | None = None  # whether the two files are equal; None: not looked at, as with folders
    has_operators: bool = False  # both tell their operators
    is_wired: bool = False  # how these are connected and set was compared, too
