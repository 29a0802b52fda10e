"""A CUDA device made of the processor, for tests of what computes on one where there is none.

In a child process with this folder on PYTHONPATH, ``import torch`` finds a card: tensors say that they are on "cuda:0",
their numbers are computed by the processor, and what a card refuses is refused with PyTorch's own words. ``planted``
(tests/support/simulated_cuda/__init__.py) makes the variables for such a process.

**What it can show.** Tensors of two devices in one operation; ``numpy()`` of a tensor on the device; numbers drawn from
the processor's generator in place of the device's (a generator that is made for the card is one of the processor, and
gives its numbers); times of events that are read before anybody waited for them;
operations and types that CUDA lacks, and the shapes that its product of bytes wants; memory that is too small; what
raises in deterministic mode; a device that is lost in the middle; a bit that flips. What is planted makes it behave
like a card of the Ampere generation: sums by atomic additions come in another order each time unless deterministic
mode takes another algorithm, convolutions and products are computed in TensorFloat-32 as far as the flags allow it, and
cuDNN may choose another algorithm in each thread where it tunes itself.

**What it cannot show.** Anything of the driver, of CUDA's, cuBLAS' and cuDNN's own code: whether real kernels vary, in
which algorithm, how far, how fast. Nothing here runs asynchronously: that a clock is read too early shows only with
events. Sparse tensors and fused attention are the processor's. To C++ the tensors are on PyTorch's device for backends
from outside ("privateuseone"), so that branches of C++ for CUDA are not taken, those of Python for CUDA are.

Made for torch 2.13; it uses ``torch.utils.backend_registration``, which is experimental.
"""

import functools
import importlib
import importlib.abc
import json
import os
import random
import sys
import threading
import types
import weakref

VARIABLE = "SIMULATED_CUDA"
HELD = VARIABLE + "_HELD"  # by a process above this one
PYTHON = VARIABLE + "_PYTHON"  # with which this process starts others
BUSY = "CUDA error: CUDA-capable device(s) is/are busy or unavailable"
STAND_IN = "stand_in"  # what C++ calls the device
AUTOCAST = "AutocastPrivateUse1"
NAME = "Simulated A100"
KERNEL_SECONDS, BYTES_PER_SECOND = 1e-5, 1e11  # of the card's own clock, which is no real one
NUMBER_OF_CAPABILITY = (8, 0)

PLANTED = {
    "order": False,  # atomic additions in another order each time
    "tf32": False,  # units for TensorFloat-32
    "autotune": False,  # cuDNN's tuning chooses otherwise in each thread
    "memory": 1 << 30,  # bytes
    "workspace": False,  # products in deterministic mode want cuBLAS' variable, as until torch 2.9
    "exclusive": False,  # a second process is refused while the first one lives
    "float64": True,  # Intel's Arc GPUs lack it; here in their words
    "fails": None,  # [kernels until then, text of the error]
    "flips": None,  # products until a bit of the result flips, once
    "operations": None,  # of the suite, those that are repeated; "conv2d" is always among them
    "module": {},  # "naosu_probes.NAME": {constant: value}, to compute less than a card would have to
}


# --- into the process -------------------------------------------------------------------------------------------------


def await_torch():
    """Change torch when it has been imported, and the modules whose constants are to be others."""
    if VARIABLE in os.environ:
        sys.executable = os.environ.get(PYTHON, sys.executable)
        finder = Finder(_changes(dict(PLANTED, **json.loads(os.environ[VARIABLE]))))
        sys.meta_path.insert(0, finder)
        finder.change_known()


def _changes(planted):
    """What is changed in which module when it has been imported."""
    after = {name: assigned(values) for name, values in planted["module"].items()}
    if planted["operations"] is not None:
        after["naosu_probes.compute.torch.operations"] = lambda suite: _reduce(suite.OPERATIONS, planted["operations"])
    after["torch"] = lambda torch: install(torch, planted)
    after["torch.export.passes"] = _without_gradients
    return after


class Finder(importlib.abc.MetaPathFinder):
    """Lets the other finders find, and adds to what the modules do when they are executed."""

    def __init__(self, after):
        self._after = after

    def change_known(self):
        """Those that this process was forked with."""
        for name, after in self._after.items():
            if name in sys.modules:
                after(sys.modules[name])

    def find_spec(self, name, path=None, target=None):
        after = self._after.get(name)
        others = [each for each in sys.meta_path if each is not self] if after else ()
        found = (other.find_spec(name, path, target) for other in others)
        spec = next((each for each in found if each is not None), None)
        if spec is not None:
            spec.loader = _Loader(spec.loader, after)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, after):
        self._loader, self._after = loader, after

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._after(module)


def assigned(values):
    """Gives the constants of a module other values."""

    def assign(module):
        for name, value in values.items():
            assert hasattr(module, name), name
            setattr(module, name, value)

    return assign


def _without_gradients(passes):
    """A build without CUDA ends the process where a tensor without numbers is moved to it with its gradients."""
    import torch

    passes.move_to_device_pass = torch.no_grad()(passes.move_to_device_pass)


def _reduce(operations, names):
    operations[:] = [operation for operation in operations if operation.name in (*names, "conv2d")]


def install(torch, planted):
    """Give this process's torch a card."""
    torch.set_num_threads(1)  # several are slow where others use the processor
    torch._C._set_mkldnn_enabled(False)  # it would leave out digits by the same settings as the card
    card = Card(torch, planted)
    _register(torch, card)
    tensor_type = _tensor_type(torch, card)
    card.tensor_type = tensor_type
    torch.Generator = _generator_type(torch)
    _claim(torch, card)


def _register(torch, card):
    """The kernels of the card: one function for all operations."""
    backend = types.SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: True,
        _is_in_bad_fork=lambda: False,
        manual_seed_all=lambda seed: None,
        current_device=lambda: 0,
        device_count=lambda: 1,
        get_amp_supported_dtype=lambda: [torch.float16, torch.bfloat16],
    )
    registration = importlib.import_module("torch.utils.backend_registration")
    registration._setup_privateuseone_for_python_backend(STAND_IN, backend)
    card.library = torch.library.Library("_", "IMPL")
    for key in ("CUDA", "PrivateUse1"):
        card.library.fallback(lambda function, *args, **kwargs: card.run(function, args, kwargs), key)
    card.makers = [torch.library.Library("aten", "IMPL", key) for key in ("CUDA", "PrivateUse1")]
    for name in ("arange", "eye", "linspace", "randperm"):  # made of an empty tensor that grows, which ours cannot
        packet = getattr(torch.ops.aten, name)
        for function in (getattr(packet, overload) for overload in packet.overloads()):
            if not function._schema.is_mutable:
                for makers in card.makers:
                    makers.impl(function, functools.partial(_made, card, function))
    card.makers[1].impl(
        "copy_", functools.partial(_made, card, torch.ops.aten.copy_.default)
    )  # as torch.tensor wants it
    card.library.fallback(torch.library.fallthrough_kernel, AUTOCAST)
    card.autocast = torch.library.Library("aten", "IMPL", AUTOCAST)
    for name in ("matmul", "bmm", "linear", "conv2d", "scaled_dot_product_attention"):
        card.autocast.impl(name, _shortened(torch, getattr(torch.ops.aten, name)))


def _made(card, function, *args, **kwargs):
    return card.run(function, args, kwargs)


def _shortened(torch, function):
    """A product in the type that autocast chose."""
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, AUTOCAST))

    def run(*args, **kwargs):
        kind = torch.get_autocast_dtype(STAND_IN)
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return function(
                *(arg.to(kind) if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg for arg in args),
                **kwargs,
            )

    return run


def _generator_type(torch):
    class Generator(torch.Generator):
        """One for the card draws on the processor: this build has no generator of CUDA."""

        def __new__(cls, device="cpu"):
            return super().__new__(cls, device="cpu" if torch.device(device).type == "cuda" else device)

    return Generator


def _tensor_type(torch, card):
    class CardTensor(torch.Tensor):
        """A tensor on the card; ``held`` is the processor's, with its numbers."""

        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, held):
            about = {"dtype": held.dtype, "layout": held.layout, "device": torch.device(STAND_IN, 0)}
            if held.layout is torch.strided:
                about.update(strides=held.stride(), storage_offset=held.storage_offset())
            made = torch.Tensor._make_wrapper_subclass(cls, held.size(), **about)
            made.held = held
            return made

        @classmethod
        def __torch_dispatch__(cls, function, kinds, args=(), kwargs=None):
            return card.run(function, args, kwargs or {})

        device = property(lambda self: card.device)
        is_cuda = property(lambda self: True)

        def tolist(self):
            return self.cpu().tolist()

        def numpy(self, **_):
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )

        __array__ = numpy

        def data_ptr(self):
            return self.held.data_ptr()

        def get_device(self):
            return 0

        def __repr__(self):
            return f"{self.held!r} on cuda:0"

    return CardTensor


def _claim(torch, card):
    """What Python asks torch.cuda and its neighbours."""
    cuda = torch.cuda
    free = lambda device=None: (card.capacity - card.taken, card.capacity)  # noqa: E731
    for name, value in {
        "_lazy_init": lambda: None,
        "_exchange_device": lambda device: 0,
        "_maybe_exchange_device": lambda device: 0,
        "_is_compiled": lambda: True,
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": card.named,
        "get_device_name": lambda device=None: NAME,
        "get_device_capability": lambda device=None: NUMBER_OF_CAPABILITY,
        "get_device_properties": card.properties,
        "get_arch_list": lambda: ["sm_80"],
        "is_bf16_supported": lambda including_emulation=True: True,
        "synchronize": card.synchronize,
        "current_stream": lambda device=None: types.SimpleNamespace(synchronize=card.synchronize),
        "Event": lambda enable_timing=False, **_: Event(card, enable_timing),
        "mem_get_info": free,
        "memory_allocated": lambda device=None: card.taken,
        "empty_cache": lambda: None,
        "manual_seed": card.seed,
        "manual_seed_all": card.seed,
        "get_rng_state": lambda device="cuda": card.state.clone(),
        "_is_in_bad_fork": lambda: False,
    }.items():
        assert hasattr(cuda, name), name
        setattr(cuda, name, value)
    torch._C._cuda_getCurrentRawStream = lambda index: 0  # torch._dynamo, which deterministic mode imports, wants it
    torch.version.cuda = "13.0"
    torch.backends.cudnn.is_available = lambda: True
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # to C++ there is none
    torch.autograd._engine_run_backward = _told_afterwards(card, torch.autograd._engine_run_backward)
    usual = torch.autocast
    torch.autocast = lambda device_type, *args, **kwargs: usual(
        STAND_IN if device_type == "cuda" else device_type, *args, **kwargs
    )


def _told_afterwards(card, backward):
    """Gradients in the thread that asks; errors come when C++ is done: one of ours within would end the process."""

    def run(*args, **kwargs):
        card.slopes.error, card.slopes.are_computed = None, True
        try:
            with card.torch.autograd.set_multithreading_enabled(False):
                slopes = backward(*args, **kwargs)
        finally:
            card.slopes.are_computed = False
        if card.slopes.error is not None:
            raise card.slopes.error
        return slopes

    return run


class Event:
    """A mark in the queue of the card."""

    def __init__(self, card, enable_timing):
        self._card, self._timed, self._at = card, enable_timing, None

    def record(self, stream=None):
        self._card.marks += 1
        self._mark, self._at = self._card.marks, self._card.seconds

    def synchronize(self):
        self._card.synchronize()

    def query(self):
        return self._at is None or self._mark <= self._card.reached

    def elapsed_time(self, other):
        if not (self._timed and other._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or other._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and other.query()):
            raise RuntimeError("CUDA error: device not ready")
        return (other._at - self._at) * 1000


# --- the card ---------------------------------------------------------------------------------------------------------


class Card:
    """What one card holds, and what it makes of an operation."""

    def __init__(self, torch, planted):
        self.torch, self.planted = torch, planted
        self.device = torch.device("cuda", 0)
        self.capacity, self.taken = planted["memory"], 0
        self.seconds, self.marks, self.reached = 0.0, 0, 0
        self.kernels = self.products = self.tunings = 0
        self.chance = random.Random(5)
        self.tuned, self.slopes = threading.local(), threading.local()
        self._states, self._about, self._taking = {}, {}, {}
        self.seed(0)
        self._kernels = Kernels(torch, self)
        if planted["exclusive"] and HELD in os.environ:
            planted["fails"] = (0, BUSY)
        os.environ[HELD] = "1"

    def named(self, device):
        """As a function that wants a CUDA device."""
        if self.torch.device(device).type != "cuda" or self.torch.device(device).index:
            raise RuntimeError("CUDA error: invalid device ordinal")

    def properties(self, device=None):
        return types.SimpleNamespace(
            name=NAME,
            major=NUMBER_OF_CAPABILITY[0],
            minor=NUMBER_OF_CAPABILITY[1],
            total_memory=self.capacity,
            multi_processor_count=108,
            pci_domain_id=0,
            pci_bus_id=0xFE,
            pci_device_id=0,
        )

    def synchronize(self, device=None):
        self._fail_if_lost()
        self.reached = self.marks

    def seed(self, seed):
        if seed not in self._states:
            self._states[seed] = self.torch.Generator().manual_seed(seed).get_state()
        self.state = self._states[seed]

    def run(self, function, args, kwargs):
        """One operation on the processor, as the card would do it, or refuse it."""
        self.kernels += 1
        given = Given(self, args, kwargs)
        about = self._about.get(function) or self._learn(function)
        try:
            self._fail_if_lost()
            given.refuse_two_devices(about)
            self._kernels.refuse(about.name, given)
        except RuntimeError as error:
            self._tell(error)
        compute = self._drawn if about.is_seeded else self._kernels.run
        results = compute(function, about.name, given)
        if about.name == "_local_scalar_dense" or not given.stays:
            self.reached = self.marks  # a copy to the processor waits
        return given.returned(results)

    def _learn(self, function):
        tags = self.torch.Tag
        self._about[function] = types.SimpleNamespace(
            name=function.overloadpacket.__name__,
            is_seeded=tags.nondeterministic_seeded in function.tags,
            is_pointwise=tags.pointwise in function.tags,
        )
        return self._about[function]

    def _tell(self, error):
        if not getattr(self.slopes, "are_computed", False):
            raise error
        self.slopes.error = self.slopes.error or error

    def take(self, tensor):
        """Memory for a tensor, as long as it lives."""
        size = tensor.held.numel() * tensor.held.element_size()
        if size > self.capacity - self.taken:
            free = self.capacity - self.taken
            said = f"CUDA out of memory. Tried to allocate {size / 2**20:.2f} MiB. GPU 0 has a total capacity of "
            said += f"{self.capacity / 2**20:.2f} MiB of which {free / 2**20:.2f} MiB is free."
            self._tell(self.torch.OutOfMemoryError(said))
        self.taken += size
        self.seconds += KERNEL_SECONDS + size / BYTES_PER_SECOND
        self._taking[weakref.ref(tensor, self._free)] = size

    def _free(self, gone):
        self.taken -= self._taking.pop(gone)

    def _drawn(self, function, name, given):
        """Random numbers come from a generator of the card's own."""
        torch = self.torch
        usual = torch.get_rng_state()
        torch.set_rng_state(self.state)
        try:
            return self._kernels.run(function, name, given)
        finally:
            self.state = torch.get_rng_state()
            torch.set_rng_state(usual)

    def _fail_if_lost(self):
        fails = self.planted["fails"]
        if fails and self.kernels > fails[0]:
            raise self.torch.AcceleratorError(fails[1])


class Given:
    """The arguments of an operation: the card's, and in their place the processor's."""

    def __init__(self, card, args, kwargs):
        self.card, self.torch = card, card.torch
        self.tensors = []  # as they were given
        self._held = {}  # the processor's tensor by id -> the card's
        self.stays = True  # results are on the card
        self.args = [self._plain(arg) for arg in args]
        self.kwargs = {name: self._plain(each) for name, each in kwargs.items()}
        device = kwargs.get("device")
        if device is not None and self.torch.device(device).type not in ("cuda", STAND_IN):
            self.stays = False

    def _plain(self, value):
        torch = self.torch
        if isinstance(value, torch.Tensor):
            self.tensors.append(value)
            if isinstance(value, self.card.tensor_type):
                self._held[id(value.held)] = value
                return value.held
            return value
        if isinstance(value, (list, tuple)):
            return [self._plain(each) for each in value]
        if isinstance(value, torch.device):
            return torch.device("cpu")
        return value

    def refuse_two_devices(self, about):
        """As the real one: numbers of no dimension may be the processor's, and so may indices."""
        if len(self.tensors) == len(self._held) or about.name in _FROM_ELSEWHERE:
            return
        elsewhere = [tensor for tensor in self.tensors if not isinstance(tensor, self.card.tensor_type)]
        if about.is_pointwise:
            elsewhere = [each for each in elsewhere if each.dim()]
        if elsewhere and len(elsewhere) < len(self.tensors):
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
                f" (when checking argument in method {about.name})"
            )

    def returned(self, results):
        """The results as the card's: what was changed in place as it came."""
        if isinstance(results, (list, tuple)):
            return type(results)(map(self.returned, results))
        if not isinstance(results, self.torch.Tensor):
            return results
        known = self._held.get(id(results))
        if known is not None:
            if known.shape != results.shape:
                raise AssertionError(f"the simulated card changes no shape in place: {known.shape} to {results.shape}")
            return known
        if not self.stays or any(tensor is results for tensor in self.tensors):
            return results
        made = self.card.tensor_type(results)
        if not results._is_view():
            self.card.take(made)
        return made


_FROM_ELSEWHERE = ("copy_", "_to_copy", "index", "index_put", "index_put_", "_index_put_impl_")

# What has no deterministic form on CUDA (determinism.toml): operation -> what PyTorch calls it, and when.
_ALWAYS = {
    "_adaptive_avg_pool2d_backward": "adaptive_avg_pool2d_backward_cuda",
    "_adaptive_avg_pool3d_backward": "adaptive_avg_pool3d_backward_cuda",
    "adaptive_max_pool2d_backward": "adaptive_max_pool2d_backward_cuda",
    "avg_pool3d_backward": "avg_pool3d_backward_cuda",
    "fractional_max_pool2d_backward": "fractional_max_pool2d_backward_cuda",
    "fractional_max_pool3d_backward": "fractional_max_pool3d_backward_cuda",
    "reflection_pad1d_backward": "reflection_pad1d_backward_out_cuda",
    "reflection_pad2d_backward": "reflection_pad2d_backward_cuda",
    "reflection_pad3d_backward": "reflection_pad3d_backward_out_cuda",
    "upsample_linear1d_backward": "upsample_linear1d_backward_out_cuda",
    "upsample_bilinear2d_backward": "upsample_bilinear2d_backward_out_cuda",
    "upsample_bicubic2d_backward": "upsample_bicubic2d_backward_out_cuda",
    "upsample_trilinear3d_backward": "upsample_trilinear3d_backward_out_cuda",
    "grid_sampler_2d_backward": "grid_sampler_2d_backward_cuda",
    "grid_sampler_3d_backward": "grid_sampler_3d_backward_cuda",
    "_ctc_loss_backward": "ctc_loss_backward_gpu",
    "nll_loss2d_forward": "nll_loss2d_forward_out_cuda_template",
    "nll_loss2d_backward": "nll_loss2d_backward_out_cuda_template",
    "histc": "_histc_cuda",
    "put_": "put_",
}
_SOMETIMES = {
    "_embedding_bag_dense_backward": ("embedding_bag_backward_cuda_max", lambda given: given.args[7] == 2),
    "bincount": ("_bincount_cuda", lambda given: len(given.tensors) > 1),
    "cumsum": ("cumsum_cuda_kernel", lambda given: given.tensors[0].is_floating_point()),
    "median": ("median CUDA with indices output", lambda given: len(given.args) > 1),
    "scatter_reduce": ("scatter_reduce_cuda", lambda given: given.args[4] == "prod"),
}
# Sums by atomic additions: operation -> place of the argument in which it is linear.
_LINEAR = {
    **dict.fromkeys((name for name in _ALWAYS if name.endswith("_backward")), 0),
    "replication_pad1d_backward": 0,
    "replication_pad2d_backward": 0,
    "replication_pad3d_backward": 0,
    "max_pool3d_with_indices_backward": 0,
    "convolution_backward": 0,
    "bincount": 1,
    "cumsum": 0,
}
_ADDED = {"index_add": 3, "index_add_": 3, "scatter_add": 3, "scatter_add_": 3, "put_": 2}
_PRODUCTS = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2)}
_NO_INTEGERS = {
    "mm": "addmm_cuda",
    "addmm": "addmm_cuda",
    "bmm": "baddbmm_cuda",
    "baddbmm": "baddbmm_cuda",
    "mv": "addmv_impl_cuda",
    "addmv": "addmv_impl_cuda",
    "dot": "dot",
    "vdot": "vdot",
}


class Kernels:
    """What the card does otherwise than the processor."""

    def __init__(self, torch, card):
        self._torch, self._card, self._planted = torch, card, card.planted
        self._short = [getattr(torch, name) for name in ("uint16", "uint32", "uint64")]
        self._recurrent = {
            "_thnn_fused_lstm_cell": _lstm_cell,
            "_thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
            "_thnn_fused_gru_cell": _gru_cell,
            "_thnn_fused_gru_cell_backward": _gru_cell_backward,
        }

    # --- what it refuses ---

    def refuse(self, name, given):
        if self._is_deterministic:
            self._refuse_variation(name, given)
            if name in (*_PRODUCTS, "mv", "addmv") and self._planted["workspace"]:
                _want_workspace()
        if name in _NO_INTEGERS:
            kind = given.tensors[-1].dtype
            if not (kind.is_floating_point or kind.is_complex):
                said = str(self._torch.zeros(0, dtype=kind).type()).split(".")[-1].replace("Tensor", "")
                raise NotImplementedError(f"\"{_NO_INTEGERS[name]}\" not implemented for '{said}'")
        is_wide = any(tensor.dtype is self._torch.float64 for tensor in given.tensors)
        if is_wide and not self._planted["float64"] and name not in ("_to_copy", "copy_"):
            raise RuntimeError("Required aspect fp64 is not supported on the device")
        if name == "_int_mm":
            self._refuse_bytes(*given.tensors[:2])

    def _refuse_variation(self, name, given):
        said = _ALWAYS.get(name)
        if name in _SOMETIMES and _SOMETIMES[name][1](given):
            said = _SOMETIMES[name][0]
        if said:
            raise RuntimeError(
                f"{said} does not have a deterministic implementation, but you set "
                "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this operation, or "
                "you can use the 'warn_only=True' option, if that's acceptable for your application. You can also file "
                "an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic "
                "support for this operation."
            )

    @staticmethod
    def _refuse_bytes(left, right):
        if left.size(0) <= 16:
            raise RuntimeError(f"self.size(0) needs to be greater than 16, but got {left.size(0)}")
        for length in (left.size(1), right.size(1)):
            if length % 8:
                raise RuntimeError(f"size needs to be a multiple of 8, but got {length}")

    @property
    def _is_deterministic(self):
        return self._torch.are_deterministic_algorithms_enabled()

    # --- what it computes ---

    def run(self, function, name, given):
        if name in self._recurrent:
            return self._recurrent[name](self._torch, *given.args)
        if name == "_use_cudnn_ctc_loss":
            return False
        if name in _PRODUCTS:
            return self._product(function, given, _PRODUCTS[name])
        if name == "convolution":
            return self._convolution(function, given)
        if self._planted["order"] and self._varies(name, given):
            return self._in_some_order(function, name, given)
        return function(*given.args, **given.kwargs)

    def _varies(self, name, given):
        if name == "convolution_backward":
            flags = self._torch.backends.cudnn
            return flags.enabled and not flags.deterministic and not self._is_deterministic
        is_sum = name in _LINEAR or name in _ADDED
        return is_sum and not self._is_deterministic and self._place(name) < len(given.args)

    @staticmethod
    def _place(name):
        return _LINEAR[name] if name in _LINEAR else _ADDED[name]

    def _in_some_order(self, function, name, given):
        """The sum of two parts: as if the numbers of one were all added before those of the other."""
        torch, place = self._torch, self._place(name)
        source = given.args[place]
        if source is None or not source.is_floating_point():
            return function(*given.args, **given.kwargs)
        some = torch.Generator().manual_seed(self._card.chance.randrange(1 << 30))
        chosen = torch.rand(source.shape, generator=some) < 0.5
        parts = [source.where(chosen, torch.zeros_like(source)), source.where(~chosen, torch.zeros_like(source))]
        results = None
        for part in parts:
            args = [*given.args[:place], part, *given.args[place + 1 :]]
            if name in _ADDED and results is not None:
                args[0] = results
            made = function(*args, **given.kwargs)
            results = made if results is None or name in _ADDED else _sums(results, made)
        return results

    def _convolution(self, function, given):
        """By cuDNN, else by products."""
        torch, args = self._torch, given.args
        flags = torch.backends.cudnn
        if self._is_short("conv" if flags.enabled else "matmul", given):
            args = [_tf32(torch, args[0]), _tf32(torch, args[1]), *args[2:]]
        if self._planted["autotune"] and flags.enabled and flags.benchmark and not self._is_deterministic:
            if not hasattr(self._card.tuned, "way"):
                self._card.tunings += 1
                self._card.tuned.way = self._card.tunings % 4
            if args[8] == 1 and not args[6]:  # one group, not transposed: channels may be added up from any one on
                args = [*(arg.roll(self._card.tuned.way, 1) for arg in args[:2]), *args[2:]]
        return function(*args, **given.kwargs)

    def _product(self, function, given, places):
        torch, args = self._torch, list(given.args)
        self._card.products += 1
        if self._is_short("matmul", given):
            for place in places:
                args[place] = _tf32(torch, args[place])
        result = function(*args, **given.kwargs)
        if self._planted["flips"] == self._card.products:
            flat = result.view(torch.int32 if result.element_size() == 4 else torch.int16).view(-1)
            flat[flat.numel() // 3] ^= 1 << 9
        return result

    def _is_short(self, what, given):
        """Whether these products are made in TensorFloat-32."""
        if not self._planted["tf32"] or given.tensors[-1].dtype is not self._torch.float32:
            return False
        return self._torch._C._get_fp32_precision_getter("cuda", what) == "tf32"


def _want_workspace():
    if os.environ.get("CUBLAS_WORKSPACE_CONFIG") not in (":4096:8", ":16:8"):
        raise RuntimeError(
            "Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or "
            "`at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses "
            "CuBLAS and you have CUDA >= 10.2. To enable deterministic behavior in this case, you must set an "
            "environment variable before running your PyTorch application: CUBLAS_WORKSPACE_CONFIG=:4096:8 or "
            "CUBLAS_WORKSPACE_CONFIG=:16:8. For more information, go to "
            "https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility"
        )


def _sums(first, second):
    if isinstance(first, (list, tuple)):
        return tuple(_sums(one, other) for one, other in zip(first, second, strict=False))
    return first if first is None or not first.is_floating_point() else first + second


def _tf32(torch, factor):
    """Rounded to 11 significant digits."""
    bits = factor.contiguous().view(torch.int32)
    return ((bits + 0x1000) & -0x2000).view(torch.float32)


def _lstm_cell(torch, inputs, hidden, cell, input_bias=None, hidden_bias=None):
    gates = inputs + hidden + (0 if input_bias is None else input_bias + hidden_bias)
    taken, kept, new, told = gates.chunk(4, 1)
    parts = torch.cat([taken.sigmoid(), kept.sigmoid(), new.tanh(), told.sigmoid()], 1)
    taken, kept, new, told = parts.chunk(4, 1)
    now = kept * cell + taken * new
    return told * now.tanh(), now, parts


def _lstm_cell_backward(torch, told_slope, cell_slope, before, now, parts, has_bias):
    taken, kept, new, told = parts.chunk(4, 1)
    told_slope = torch.zeros_like(now) if told_slope is None else told_slope
    bent = now.tanh()
    slope = told_slope * told * (1 - bent * bent) + (0 if cell_slope is None else cell_slope)
    gates = torch.cat(
        [
            slope * new * taken * (1 - taken),
            slope * before * kept * (1 - kept),
            slope * taken * (1 - new * new),
            told_slope * bent * told * (1 - told),
        ],
        1,
    )
    return gates, slope * kept, gates.sum(0) if has_bias else None


def _gru_cell(torch, inputs, hidden, before, input_bias=None, hidden_bias=None):
    if input_bias is not None:
        inputs, hidden = inputs + input_bias, hidden + hidden_bias
    reset_in, update_in, new_in = inputs.chunk(3, 1)
    reset_by, update_by, new_by = hidden.chunk(3, 1)
    reset, update = (reset_in + reset_by).sigmoid(), (update_in + update_by).sigmoid()
    new = (new_in + reset * new_by).tanh()
    return (before - new) * update + new, torch.cat([reset, update, new, before, new_by], 1)


def _gru_cell_backward(torch, slope, kept, has_bias):
    reset, update, new, before, new_by = kept.chunk(5, 1)
    of_new = slope * (1 - update) * (1 - new * new)
    of_update = slope * (before - new) * update * (1 - update)
    of_reset = of_new * new_by * reset * (1 - reset)
    inputs, hidden = (torch.cat([of_reset, of_update, each], 1) for each in (of_new, of_new * reset))
    biases = (inputs.sum(0), hidden.sum(0)) if has_bias else (None, None)
    return (inputs, hidden, slope * update, *biases)
