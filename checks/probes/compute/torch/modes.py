"""Ways of PyTorch to compute the same with more or fewer digits, or in another order.

The settings that switch digits on and off, by both of PyTorch's interfaces: the flags of 1.7 (``allow_tf32``) and
``fp32_precision`` of 2.9, which refuse to be mixed. Everything is put back after each.
"""

import contextlib
import functools
import warnings

from . import settings

# Where fp32_precision lies; each is None or missing in versions and builds that do not know it. The general ones come
# first: to set them sets the others, so that these are put back later.
_PRECISIONS = (
    "backends", "backends.cuda.matmul", "backends.cudnn", "backends.cudnn.conv", "backends.cudnn.rnn",
    "backends.mkldnn", "backends.mkldnn.matmul", "backends.mkldnn.conv", "backends.mkldnn.rnn",
)  # fmt: skip
_FLAGS = (
    ("backends.cuda.matmul", "allow_tf32"), ("backends.cudnn", "allow_tf32"),
    ("backends.cuda.matmul", "allow_fp16_reduced_precision_reduction"),
    ("backends.cuda.matmul", "allow_bf16_reduced_precision_reduction"),
    ("backends.cuda.matmul", "allow_fp16_accumulation"),
)  # fmt: skip
_CUDA = ("backends.cuda.matmul", "backends.cudnn.conv", "backends.cudnn.rnn")
_ONEDNN = ("backends.mkldnn.matmul", "backends.mkldnn.conv", "backends.mkldnn.rnn")


def _owner(torch, path):
    for part in path.split("."):
        torch = getattr(torch, part, None)
    return torch


def _read(torch, path, name):
    """A setting's value; None where there is none. A read of an old flag raises where the new ones contradict it."""
    try:
        return getattr(_owner(torch, path), name)
    except (AttributeError, AssertionError, RuntimeError):
        return None


@contextlib.contextmanager
def kept(torch):
    """A block after which all of these settings are as they were."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the old interface, which nobody but us used here
        precisions = [(path, _read(torch, path, "fp32_precision")) for path in _PRECISIONS]
        flags = [(path, name, _read(torch, path, name)) for path, name in _FLAGS]
        asked = getattr(torch, "get_float32_matmul_precision", lambda: None)
        try:
            general = asked()
        except RuntimeError:  # the two interfaces contradict each other already
            general = None
        try:
            yield
        finally:
            if general is not None:
                torch.set_float32_matmul_precision(general)
            for path, name, value in flags:
                if value is not None and _read(torch, path, name) != value:
                    setattr(_owner(torch, path), name, value)
            for path, value in precisions:
                if value is not None and _read(torch, path, "fp32_precision") != value:
                    _owner(torch, path).fp32_precision = value


def _has_precisions(torch):
    return _read(torch, "backends.cuda.matmul", "fp32_precision") is not None


@contextlib.contextmanager
def _set(torch, pairs, value):
    """A block under a value of these settings, (path, name), as far as this version has them."""
    with kept(torch):
        for path, name in pairs:
            if _read(torch, path, name) is not None:
                setattr(_owner(torch, path), name, value)
        yield


def _precision(torch, paths, value):
    return _set(torch, [(path, "fp32_precision") for path in paths], value)


def _flags(torch, names, value):
    return _set(torch, [(path, name) for path, name in _FLAGS if name in names], value)


def _tf32(torch, on):
    if _has_precisions(torch):
        return _precision(torch, _CUDA, "tf32" if on else "ieee")
    return _flags(torch, ("allow_tf32",), on)


@contextlib.contextmanager
def _general(torch, value):
    with kept(torch):
        torch.set_float32_matmul_precision(value)
        yield


@contextlib.contextmanager
def _mkldnn_off(torch):
    """By the switch itself: ``mkldnn.flags`` sets others as well, and warns of those."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def _autocast(torch, device, name):
    return torch.autocast(device.partition(":")[0], dtype=getattr(torch, name))


def applied(torch, mode, device):
    """A ``with`` block under a mode."""
    if mode.startswith("threads-"):
        return settings.threads(torch, int(mode[len("threads-") :]))
    if mode.startswith("autocast-"):
        return _autocast(torch, device, mode[len("autocast-") :])
    return _MODES[mode](torch) if mode in _MODES else settings.applied(torch, mode)


_of = functools.partial
_MODES = {
    "tf32-on": _of(_tf32, on=True),
    "tf32-off": _of(_tf32, on=False),
    "tf32-on-flags": _of(_flags, names=("allow_tf32",), value=True),
    "tf32-off-flags": _of(_flags, names=("allow_tf32",), value=False),
    **{"precision-" + value: _of(_general, value=value) for value in ("highest", "high", "medium")},
    **{"mkldnn-" + value: _of(_precision, paths=_ONEDNN, value=value) for value in ("ieee", "tf32", "bf16")},
    "mkldnn-off": _mkldnn_off,
    "fp16-reduction-off": _of(_flags, names=("allow_fp16_reduced_precision_reduction",), value=False),
    "bf16-reduction-off": _of(_flags, names=("allow_bf16_reduced_precision_reduction",), value=False),
    "fp16-accumulation": _of(_flags, names=("allow_fp16_accumulation",), value=True),
}


def thread_counts(torch):
    """Other numbers of threads than the present one, the most telling first: one, and powers of two up to it."""
    most = torch.get_num_threads()
    counts = [count for count in (1, 2, 4, 8, 16, 32, 64, 128) if count < most]
    return counts + ([2] if most == 1 else [])


def of_device(torch, device, dtype):
    """The modes that this version has and that can matter on this device and for this type, the most telling first."""
    if device == "cpu":
        return _of_cpu(torch, dtype)
    if device.startswith("cuda") and torch.version.cuda:
        return _of_cuda(torch, dtype)
    return ["autocast-float16"] if dtype == "float32" and hasattr(torch, "autocast") else []


def _of_cpu(torch, dtype):
    modes = ["threads-%d" % count for count in thread_counts(torch)]
    if torch.backends.mkldnn.is_available():
        modes.append("mkldnn-off")
    if dtype == "float32":
        if _read(torch, "backends.mkldnn.matmul", "fp32_precision") is not None:
            modes += ["mkldnn-ieee", "mkldnn-bf16", "mkldnn-tf32"]
        modes += _general_modes(torch)
        modes += ["autocast-bfloat16"] if hasattr(torch, "autocast") else []
    return modes


def _of_cuda(torch, dtype):
    if dtype == "float32":
        modes = ["tf32-off", "tf32-on"]
        modes += ["tf32-off-flags", "tf32-on-flags"] if _has_precisions(torch) else []
        modes += [*_general_modes(torch), "autotune", "cudnn-off"]
        return modes + (["autocast-float16", "autocast-bfloat16"] if hasattr(torch, "autocast") else [])
    names = {
        "float16": (
            ("fp16-reduction-off", "allow_fp16_reduced_precision_reduction"),
            ("fp16-accumulation", "allow_fp16_accumulation"),
        ),
        "bfloat16": (("bf16-reduction-off", "allow_bf16_reduced_precision_reduction"),),
    }
    known = names.get(dtype, ())
    return [mode for mode, name in known if _read(torch, "backends.cuda.matmul", name) is not None]


def _general_modes(torch):
    known = hasattr(torch, "set_float32_matmul_precision")  # 1.12
    return ["precision-high", "precision-medium"] if known else []
