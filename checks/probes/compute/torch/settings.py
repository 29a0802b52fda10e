"""Settings of PyTorch under which something is computed.

Their ids are those of resources/knowledge/frameworks/computations.toml.
"""

import contextlib
import os

NO_FORM = "does not have a deterministic implementation"  # how an operation is refused in deterministic mode
WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"
WORKSPACE_VALUE = ":4096:8"


def applied(torch, setting):
    """A ``with`` block under a setting; it leaves everything as it was."""
    return _SETTINGS[setting](torch)


@contextlib.contextmanager
def _default(torch):
    yield


@contextlib.contextmanager
def _deterministic(torch):
    """As ``torch.use_deterministic_algorithms(True)``, but without the compiler.

    Newer versions import it there, to switch it as well, which takes more than a second; nothing is compiled here.
    """
    switch = getattr(torch._C, "_set_deterministic_algorithms", torch.use_deterministic_algorithms)
    asked = getattr(torch, "is_deterministic_algorithms_warn_only_enabled", None)  # 1.11
    before, more = torch.are_deterministic_algorithms_enabled(), {"warn_only": asked()} if asked else {}
    switch(True)
    try:
        yield
    finally:
        switch(before, **more)


def _assigned(name, attribute, value):
    """The setting torch.NAME.ATTRIBUTE = value; nothing where this build has no such thing."""

    @contextlib.contextmanager
    def assigned(torch):
        owner = torch
        for part in name.split("."):
            owner = getattr(owner, part)
        before = getattr(owner, attribute)
        setattr(owner, attribute, value)
        try:
            yield
        finally:
            setattr(owner, attribute, before)

    return assigned


@contextlib.contextmanager
def threads(torch, count=1):
    """A ``with`` block with so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _attention_math(torch):
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel  # 2.3
    except ImportError:
        with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_math=True, enable_mem_efficient=False):
            yield
    else:
        with sdpa_kernel(SDPBackend.MATH):
            yield


_SETTINGS = {
    "default": _default,
    "deterministic": _deterministic,
    "deterministic-workspace": _deterministic,  # in a process with the variable set
    "autotune": _assigned("backends.cudnn", "benchmark", True),
    "autotune-off": _assigned("backends.cudnn", "benchmark", False),
    "cudnn-deterministic": _assigned("backends.cudnn", "deterministic", True),
    "cudnn-off": _assigned("backends.cudnn", "enabled", False),
    "threads-1": threads,
    "attention-math": _attention_math,
    "exact-inputs": _default,
    "fresh-process": _default,  # in a process that does nothing else
}


def seeding(torch, device, seed):
    """What sets the seed of the processor's and the device's own generator, in microseconds.

    ``torch.manual_seed`` does so for all kinds of devices: for each that this build has no part for, or that was never
    used, it remembers the call with its traceback, which takes longer than many an operation, and memory for ever.
    """
    own = torch.default_generator
    of_device = getattr(getattr(torch, device.partition(":")[0], None), "manual_seed", None)
    if device == "cpu":
        return lambda: own.manual_seed(seed)
    if of_device is None:  # MPS before 2.0
        return lambda: torch.manual_seed(seed)

    def both():
        own.manual_seed(seed)
        of_device(seed)

    return both


def refused(facts):
    """Facts of a stage in which what deterministic mode refuses did not fail: CUDA's running sum until 2.13, say."""
    for measurement in facts.get("measurements+", ()):
        message = measurement.get("error", {}).get("message", "")
        if NO_FORM in message:
            measurement["reason"] = "no-deterministic-form"
        elif WORKSPACE in message:
            measurement["reason"] = "workspace-not-set"
    return facts


def workspace_is_set():
    """Whether this process was started with a workspace of cuBLAS that repeats."""
    return os.environ.get(WORKSPACE) in (":4096:8", ":16:8")
