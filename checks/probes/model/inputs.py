"""Inputs of a model that the user gives: an .npz with an array for each, an .npy where it is one, or one picture.

A picture is decoded by a library of the target (Pillow, OpenCV, torchvision), scaled to the size that the model takes,
and given as fractions from 0 to 1, or as bytes where the model takes these. Many models want it otherwise (another
mean, another order of colours): then their answers mean little, but differences between two runs of one model are as
good with it as with any other input.
"""

import os
import re
import zipfile

from . import kit as model_kit

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
# What such files begin with. A library would also read others by their content, and start a program for some of them.
_BEGINNINGS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"BM", b"RIFF")
_ZIP, _NPY = b"PK", b"\x93NUMPY"
MOST_BYTES = 4 << 30  # of all arrays of a file
USUAL = 224  # height and width where the model leaves them open and the picture is larger than LARGEST
LARGEST = 2048
STRIDE = 32  # networks with free sizes mostly want multiples of it
MOST_PIXELS = 100_000_000
MOST_NAMED = 8  # inputs that are named in one line
_COLOURS = (3, 1, 4)
_UNNAMED = re.compile(r"arr_\d+$")  # as NumPy calls arrays that nobody gave a name
_TRACE = re.compile(r"The following operation failed|Traceback ")
_ERROR = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception): ")


def is_picture(path):
    """Whether a file is to be read as a picture, by its name."""
    return os.path.splitext(path)[1].lower() in PICTURES


def taken(numpy, specs, path, run, is_typed=False):
    """The user's inputs, with which the model was run once: what ``given`` returns.

    Raises:
        NotDrawn: as in ``given`` and ``try_given``, with what the model takes.
    """
    try:
        arrays, origin = read(numpy, specs, path, is_typed)
        try_given(specs, arrays, run, is_typed)
    except model_kit.NotDrawn as refused:
        refused.facts.update(inputs_from=_kind(path), inputs_wanted=_as_facts(specs, is_typed))
        raise
    return arrays, origin


def read(numpy, specs, path, is_typed=False):
    """(The inputs by name, what is known of them: ``inputs_from``, and ``inputs_renamed`` where names differ).

    ``specs``: {"name", "dtype", "shape"} of each that the model takes. ``is_typed``: whether the types are the model's
    own, so that numbers of another width, as NumPy makes them by default, are turned into these.

    Raises:
        NotDrawn: "no-input-file", "input-unreadable", "inputs-do-not-fit", "no-image-library", "no-image-input" or
            "input-too-large".
    """
    origin = {"inputs_from": _kind(path)}
    if is_picture(path):
        return _from_picture(numpy, specs, path), origin
    arrays, renamed = _from_arrays(numpy, specs, path)
    if renamed:
        origin["inputs_renamed"] = ", ".join("%s: %s" % (name, other) for name, other in renamed)
    kinds = {spec["name"]: spec["dtype"] for spec in specs if is_typed}
    return {name: _as_wanted(numpy, array, kinds.get(name)) for name, array in arrays.items()}, origin


def _kind(path):
    return "image" if is_picture(path) else "file"


def try_given(specs, arrays, run, is_typed=False):
    """Run the model once with what was given.

    Raises:
        NotDrawn: "inputs-do-not-fit", with what was given, and the error of the model where that does not show it.
    """
    try:
        run(arrays)
    except Exception as error:
        if model_kit.is_not_the_input(error):
            raise
        is_seen = is_typed and any(_is_odd(spec, arrays.get(spec["name"])) for spec in specs)
        words = "" if is_seen else _words(error)
        raise model_kit.NotDrawn("inputs-do-not-fit", words, inputs=model_kit.as_facts(arrays)) from error


def _is_odd(spec, array):
    """Whether what was given for an input has another type, number of axes or length than the model states."""
    if array is None:
        return True
    if spec["dtype"] != ("string" if array.dtype == object else str(array.dtype)):
        return True
    shape = spec["shape"]
    if shape is None:
        return False
    lengths = zip(shape, array.shape)
    return len(shape) != array.ndim or any(_is_set(axis) and axis != length for axis, length in lengths)


def _as_facts(specs, is_typed):
    """What a model takes, as facts TensorSpec: an axis that it leaves open by its name, or "?".

    Where it does not state it (``is_typed``), one row is our own guess.
    """
    return [dict(spec, shape=spec["shape"] and _named_axes(spec["shape"], is_typed)) for spec in specs]


def _named_axes(shape, is_typed):
    axes = [axis if isinstance(axis, str) or _is_set(axis) else "?" for axis in shape]
    return axes if is_typed else ["?", *axes[1:]]


def _from_arrays(numpy, specs, path):
    """(The arrays of an .npz by the names of the inputs, or in their order; the one of an .npy; what was renamed).

    Where some of the names are the model's own and some are not, the order would be a guess.
    """
    names = [spec["name"] for spec in specs]
    if not _begins_with(path, (_ZIP, _NPY)):
        raise model_kit.NotDrawn("no-input-file", os.path.basename(path))
    try:
        if not zipfile.is_zipfile(path):
            one = numpy.load(path, allow_pickle=False, mmap_mode="r")
            if one.nbytes > MOST_BYTES:
                raise model_kit.NotDrawn("input-too-large", os.path.basename(path))
            held = {"": numpy.array(one)}
        else:
            held = _unpacked(numpy, path, names)
    except model_kit.NotDrawn:
        raise
    except Exception as error:  # no such file, a damaged one, or one of objects
        raise model_kit.NotDrawn("input-unreadable", "%s: %s" % (type(error).__name__, error)) from error
    if set(names) <= set(held):
        return {name: held[name] for name in names}, ()
    if len(names) != len(held) or set(names) & set(held):
        raise model_kit.NotDrawn("inputs-do-not-fit", inputs=model_kit.as_facts(held))
    pairs = [(name, other) for name, other in zip(names, held) if other and not _UNNAMED.match(other)]
    return dict(zip(names, held.values())), pairs


def _unpacked(numpy, path, names):
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
    with numpy.load(path, allow_pickle=False) as file:
        taken = names if set(names) <= set(file.files) else file.files
        if sum(sizes.get(name, sizes.get(name + ".npy", 0)) for name in taken) > MOST_BYTES:
            raise model_kit.NotDrawn("input-too-large", os.path.basename(path))
        return {name: file[name] for name in taken}


def _as_wanted(numpy, array, dtype):
    """The array in the type that the model takes, where only the width is another; else as it is."""
    if array.dtype.kind in "US":
        return array.astype(object)
    try:
        kind = numpy.dtype(dtype or array.dtype)
    except TypeError:  # bfloat16 and the like
        return array
    if array.dtype.kind == kind.kind == "f" or (array.dtype.kind in "iu" and kind.kind in "iu"):
        cast = array.astype(kind)
        return cast if kind.kind == "f" or (cast == array).all() else array
    return array


# --- a picture --------------------------------------------------------------------------------------------------------


def _from_picture(numpy, specs, path):
    places = [(spec, place) for spec in specs for place in [_layout(spec)] if place is not None]
    if len(places) != 1:
        raise model_kit.NotDrawn("no-image-input", wanted(specs))
    spec, axis = places[0]
    others = [other for other in specs if other is not spec]
    arrays = model_kit.drawn(numpy, others, 0)
    arrays[spec["name"]] = _fitted(numpy, spec, axis, path)
    return {wanted_spec["name"]: arrays[wanted_spec["name"]] for wanted_spec in specs}


def wanted(specs):
    """What inputs a model takes, in one line: "image: float32 [1, 3, ?, ?]"."""
    parts = []
    for spec in specs:
        shape = spec["shape"]
        lengths = "?" if shape is None else ", ".join(str(length) if _is_set(length) else "?" for length in shape)
        parts.append("%s: %s [%s]" % (spec["name"], spec["dtype"], lengths))
    more = ["..."] if len(parts) > MOST_NAMED else []
    return "; ".join(parts[:MOST_NAMED] + more)


def none_fits(specs, error):
    """What to raise where no drawn input fits: what the model takes, and its error for the first that was tried."""
    if model_kit.is_not_the_input(error):
        return error
    return model_kit.NotDrawn("inputs-needed", "%s (%s)" % (wanted(specs), _words(error)))


def _words(error):
    lines = [line for line in map(str.strip, str(error).splitlines()) if line] or [""]
    # TorchScript prints a trace, with the error behind it and perhaps a list of what it could not be.
    words = next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1 if _TRACE.match(lines[0]) else 0])
    return words.strip()[:300]


def _is_set(axis):
    return isinstance(axis, int) and axis >= 0


def _layout(spec):
    """The axis of the colours of an input that takes pictures; None for any other."""
    shape = spec["shape"]
    if shape is None or len(shape) != 4 or not spec["dtype"].startswith(("float", "uint8", "int8")):
        return None
    return next((axis for axis in (1, 3) if shape[axis] in _COLOURS), None)


def _fitted(numpy, spec, axis, path):
    shape = list(spec["shape"])
    pixels = decoded(numpy, path)
    first = 2 if axis == 1 else 1
    size = [
        shape[first + place] if _is_set(shape[first + place]) else _free_size(pixels.shape[place]) for place in (0, 1)
    ]
    if size[0] * size[1] > MOST_PIXELS:
        raise model_kit.NotDrawn("input-too-large", wanted([spec]))
    pixels = _with_colours(numpy, scaled(numpy, pixels, size), shape[axis])
    if spec["dtype"].startswith("float"):
        pixels = (pixels / 255.0).astype(spec["dtype"])
    else:
        pixels = pixels.astype(spec["dtype"])
    one = pixels.transpose(2, 0, 1)[None] if axis == 1 else pixels[None]
    count = shape[0] if _is_set(shape[0]) and shape[0] > 0 else 1
    if count * one.nbytes > MOST_BYTES:
        raise model_kit.NotDrawn("input-too-large", wanted([spec]))
    return numpy.ascontiguousarray(numpy.repeat(one, count, axis=0))


def _free_size(length):
    return USUAL if length > LARGEST else max(STRIDE, length // STRIDE * STRIDE)


def _with_colours(numpy, pixels, count):
    if count == 1:
        return (pixels.astype("float32") @ numpy.array([0.299, 0.587, 0.114], dtype="float32"))[..., None]
    if count == 4:
        return numpy.concatenate([pixels, numpy.full((*pixels.shape[:2], 1), 255, dtype=pixels.dtype)], axis=2)
    return pixels


def scaled(numpy, pixels, size):
    """Bilinear, with the centres of the corner pixels kept in proportion: the same in every version of any library."""
    scaled_pixels = pixels.astype("float32")
    for axis, wanted_length in enumerate(size):
        length = scaled_pixels.shape[axis]
        if length == wanted_length:
            continue
        places = (numpy.arange(wanted_length) + 0.5) * (length / wanted_length) - 0.5
        places = places.clip(0, length - 1)
        low = numpy.floor(places).astype(int)
        high = numpy.minimum(low + 1, length - 1)
        share = (places - low).astype("float32").reshape([-1 if other == axis else 1 for other in range(3)])
        scaled_pixels = scaled_pixels.take(low, axis) * (1 - share) + scaled_pixels.take(high, axis) * share
    return scaled_pixels


def decoded(numpy, path):
    """The pixels of a picture as bytes, (height, width, red green blue), by the first library that is there.

    Raises:
        NotDrawn: no library, or none that can read the file.
    """
    if not _begins_with(path, _BEGINNINGS):
        raise model_kit.NotDrawn("no-input-file", os.path.basename(path))
    errors, tried = [], False
    for way in (_by_pillow, _by_opencv, _by_torchvision):
        try:
            return way(numpy, path)
        except ImportError:
            continue
        except Exception as error:  # a damaged file, or one that only the next library reads
            tried = True
            errors.append("%s: %s" % (type(error).__name__, error))
    reason = "input-unreadable" if tried else "no-image-library"
    raise model_kit.NotDrawn(reason, "; ".join(errors) or "Pillow, OpenCV, torchvision")


def _begins_with(path, beginnings):
    try:
        with open(path, "rb") as file:
            return file.read(8).startswith(beginnings)
    except OSError:
        return False


def _by_pillow(numpy, path):
    from PIL import Image

    with Image.open(path) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise ValueError("%d x %d" % picture.size)
        return numpy.asarray(picture.convert("RGB"))


def _by_opencv(numpy, path):
    import cv2

    pixels = cv2.imdecode(numpy.fromfile(path, dtype="uint8"), cv2.IMREAD_COLOR)
    if pixels is None:
        raise ValueError("OpenCV does not read it")
    return pixels[:, :, ::-1]


def _by_torchvision(numpy, path):
    from torchvision.io import ImageReadMode, read_image

    return read_image(path, ImageReadMode.RGB).permute(1, 2, 0).numpy()
