"""What the probes of models share: inputs that a model may take, and its runs as facts."""

import mmap
import re
import time

from .. import kit

# What free axes are tried with, in turn: (height and width of an image, any other free axis). Sizes that networks are
# made for: multiples of 32, a line of text, Inception's 299, Whisper's 3000 frames, a second of sound at 16 kHz.
SIZES = (
    ((224, 224), 8), ((640, 640), 1), ((256, 256), 16), ((48, 320), 128), ((512, 512), 512), ((32, 128), 64),
    ((320, 320), 256), ((299, 299), 2), ((128, 128), 1024), ((64, 64), 32), ((416, 416), 3000), ((1024, 1024), 16000),
)  # fmt: skip
MOST_BYTES = 1 << 30  # of one input; larger ones are not made
RATES = ("sr", "sample_rate", "sampling_rate", "samplerate")  # names of inputs that are samples per second

_BATCH = re.compile(r"batch|^n$|^b$", re.IGNORECASE)
_STATE = re.compile(r"^(?:h|c|hn|cn|h_?0|c_?0|h_?in|c_?in)$|state|hidden|cell|cache", re.IGNORECASE)
# What no other input would mend.
_NOT_THE_INPUT = re.compile(
    r"out of memory|failed to allocate|NOT_IMPLEMENTED|CUDA error|CUDA failure|CUBLAS|CUDNN|no kernel image|"
    r"illegal instruction|custom op",
    re.IGNORECASE,
)
_NO_MEMORY = re.compile(
    r"out of memory|not enough memory|can't allocate memory|failed to allocate|_ALLOC_FAILED|bad_alloc|bad allocation|"
    r"insufficient memory|\bOOM\b",
    re.IGNORECASE,
)
_CHANNELS = (1, 3, 4)


class NotDrawn(Exception):  # noqa: N818 - not an error but an answer
    """No input can be made for the model. ``reason``: an id of resources/words/models.toml.

    ``facts``: what else is known of the inputs, as fields of the fact of the run.
    """

    def __init__(self, reason, detail="", **facts):
        super().__init__(detail or reason)
        self.reason, self.facts = reason, facts

    @property
    def fields(self):
        """The fields of the fact of a run that it ended."""
        detail = {} if str(self) == self.reason else {"detail": str(self)}
        return dict(self.facts, reason=self.reason, **detail)


class Unsafe(Exception):  # noqa: N818 - not an error but an answer
    """The model reaches outside the process, or brings code; the message names by what."""


def mentions(path, word):
    """Whether a word (bytes) stands anywhere in a file: what a format keeps as text is seen without the format."""
    with open(path, "rb") as file:
        try:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(word) >= 0
        except ValueError:  # an empty file
            return False


class Reaching(Unsafe):
    """It can be loaded; what it would run reaches outside."""


class Runs:
    """The runs of one model, as facts ModelRun; each is reported as it begins, so that a crash leaves its name."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.facts = []

    def begin(self, setting):
        """The fact of a run that begins now."""
        fact = {"runtime": self.runtime, "setting": setting}
        self.facts.append(fact)
        return fact

    @property
    def answer(self):
        """What a stage answers."""
        return {"runs": self.facts}


def tried(fact, work, keep=None):
    """Do the work of a run. What it raises becomes a part of the fact. Returns what was printed meanwhile.

    ``keep``: as for kit.Captured.
    """
    with kit.Captured(keep) as captured, kit.Warned():
        try:
            work()
        except NotDrawn as reason:
            fact["reason"] = reason.reason
        except Unsafe as reason:
            fact["reason"] = "reaches-outside" if fact.get("loaded") else "loading-runs-code"
            fact["detail"] = str(reason)
        except Exception as error:
            fact["error"] = kit.describe(error)
            fact["ran" if fact.get("loaded") else "loaded"] = False
    return captured.text


def add_to_log(fact, text):
    """Add what a runtime printed to what is known of its run."""
    lines = [part for part in (fact.get("log"), text) if part]
    if lines:
        fact["log"] = "\n".join(lines)


def free_axes(shape):
    """The places of the axes whose length the model leaves open."""
    return [place for place, axis in enumerate(shape) if not isinstance(axis, int) or axis < 0]


def is_batch(name):
    """Whether a file calls an axis what many call that of the rows."""
    return bool(_BATCH.search(name))


def is_free(spec):
    """Whether a length of this input ({"name", "dtype", "shape"}) has to be guessed."""
    return spec["shape"] is None or bool(free_axes(spec["shape"]))


def is_guessed(specs):
    """Whether the inputs may be wrong: a length was guessed, or numbers that can be indices, lengths or factors."""
    return any(is_free(spec) or not spec["dtype"].startswith("float") or len(spec["shape"]) < 2 for spec in specs)


def shape_of(spec, attempt, image=None):
    """The shape to try for one input. ``image``: the size that the model's own words name."""
    shape = spec["shape"]
    if shape is None:  # not even the number of axes is known
        shape = ((), (1, 3, None, None), (1, None))[attempt % 3]
    free = free_axes(shape)
    pixels, other = SIZES[attempt % len(SIZES)]
    if image is not None and attempt == 0:
        pixels = (image, image)
    image_axes = _image_axes(spec, shape)
    lengths = list(shape)
    for place in free:
        name = str(shape[place] or "")
        if place in image_axes:
            lengths[place] = pixels[image_axes.index(place)]
        elif is_batch(name) or (place == 0 and len(shape) > 1) or (place == 1 and _STATE.search(spec["name"])):
            lengths[place] = 1
        else:
            lengths[place] = _sum_of(name, other)
    return lengths


def _image_axes(spec, shape):
    if len(shape) != 4 or spec["dtype"] in ("string", "bool"):
        return ()
    if shape[1] in _CHANNELS:
        return (2, 3)
    return (1, 2) if shape[3] in _CHANNELS else ()


def _sum_of(name, length):
    """Exporters name an axis by a sum ("past_sequence_length + 1"): each name in it has the same length."""
    parts = [part.strip() for part in name.split("+")]
    return sum(int(part) if part.isdigit() else length for part in parts) if len(parts) > 1 else length


def draw(numpy, spec, shape, attempt):
    """An array for one input: fractions between 0 and 1, or whole numbers that are valid indices and lengths."""
    count = 1
    for axis in shape:
        count *= axis
    dtype = spec["dtype"]
    if dtype == "string":
        if count > MOST_BYTES // 64:
            raise NotDrawn("input-too-large")
        return numpy.full(shape, "", dtype=object)
    try:
        kind = numpy.dtype(dtype)
    except TypeError as error:  # bfloat16, float8 and int4 are no types of NumPy
        raise NotDrawn("input-type", "%s: %s" % (spec["name"], dtype)) from error
    if count * max(kind.itemsize, 8) > MOST_BYTES:
        raise NotDrawn("input-too-large", "%s: %s" % (spec["name"], list(shape)))
    if kind.kind in "fc":
        return (numpy.arange(count, dtype=numpy.int64) * 37 % 101 / 101.0).astype(kind).reshape(shape)
    return numpy.full(shape, _whole(spec["name"].lower(), attempt, SIZES[attempt % len(SIZES)][1]), dtype=kind)


def _whole(name, attempt, length):
    """The number that an input of whole numbers holds, by its name: 0 is an index of everything, 1 a mask of all."""
    if name in RATES:
        return 16000
    if "mask" in name:
        return 1
    if "len" in name.split("_")[-1] or "length" in name:
        return length
    return attempt % 2


def drawn(numpy, specs, attempt, image=None):
    """The inputs of one attempt, by name."""
    return {
        spec["name"]: draw(numpy, spec, shape_of(spec, attempt, image if attempt == 0 else None), attempt)
        for spec in specs
    }


def attempts(specs):
    """How many attempts differ from each other."""
    if any(is_free(spec) for spec in specs):
        return len(SIZES)
    return 2 if any(spec["dtype"].startswith(("int", "uint")) for spec in specs) else 1


def is_no_memory(error):
    """Whether an exception says that a device has too little memory."""
    return isinstance(error, MemoryError) or bool(_NO_MEMORY.search("%s %s" % (type(error).__name__, error)))


def is_not_the_input(error):
    """Whether an error says what no other input would mend."""
    return is_no_memory(error) or bool(_NOT_THE_INPUT.search(str(error)))


def first_that_runs(numpy, specs, run, deadline, image=None):
    """Try inputs until the model takes them: (the inputs, None), or (None, the first error).

    ``run`` takes the inputs by name and raises what the runtime says. ``deadline``: of time.monotonic().
    """
    first = None
    for attempt in range(attempts(specs)):
        inputs = drawn(numpy, specs, attempt, image)
        try:
            run(inputs)
        except Exception as error:
            first = first or error
            if is_not_the_input(error) or time.monotonic() > deadline:
                break
        else:
            return inputs, None
    return None, first


def refused(error, specs):
    """The facts of a run that an error ended: by the model or runtime, or perhaps by our inputs (``ran`` untold)."""
    facts = {"error": kit.describe(error)}
    if is_guessed(specs) and not is_not_the_input(error):
        return dict(facts, reason="inputs-refused")
    return dict(facts, ran=False)


def infer(fact, numpy, specs, run, argument, image=None, good=None):
    """Run the model with the first inputs that it takes. Returns these; None where it takes none.

    ``good``: those that it took elsewhere; what it raises of them is the device's fault.
    """
    if good:
        run(good)
        return ran(fact, run, good)
    deadline = time.monotonic() + argument.get("seconds", 30.0)
    inputs, error = first_that_runs(numpy, specs, run, deadline, image)
    if error is not None:
        fact.update(refused(error, specs))
        return None
    return ran(fact, run, inputs)


def ran(fact, run, inputs):
    """The facts of a run that these inputs are known to do; it is done once more for its time. Returns the inputs."""
    fact.update(inputs=as_facts(inputs), ran=True, seconds=timed(run, inputs))
    return inputs


def timed(run, inputs):
    """Seconds of one more inference."""
    started = time.perf_counter()
    run(inputs)
    return time.perf_counter() - started


def counted(names):
    """How often each name of an operator comes, the most frequent first."""
    counts = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def as_facts(inputs):
    """The inputs that were given, as facts TensorSpec."""
    return [
        {"name": name, "dtype": "string" if array.dtype == object else str(array.dtype), "shape": list(array.shape)}
        for name, array in inputs.items()
    ]
