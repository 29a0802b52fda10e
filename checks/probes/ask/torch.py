"""PyTorch in this interpreter: what it was built for, whether it imports, and on which devices it really computes.

Written for torch 1.8 to 2.15, builds for the CPU, CUDA, ROCm and XPU. What a version does not have is left out, and
named in "unread".
"""

import ast
import importlib.util
import os
import sys
import warnings

from .. import kit

SIZE = 16  # rows and columns of the matrices that are multiplied

DEVICES = []  # grows from stage to stage; every stage that adds to it answers with all of it
COMPANIONS = []

# Settings that change results, by the name that a user would write. Functions are called without arguments.
SETTINGS = (
    "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled",
    "utils.deterministic.fill_uninitialized_memory", "get_float32_matmul_precision", "get_default_dtype",
    "get_num_interop_threads", "backends.fp32_precision", "backends.cudnn.enabled", "backends.cudnn.benchmark",
    "backends.cudnn.deterministic", "backends.cudnn.allow_tf32", "backends.cudnn.conv.fp32_precision",
    "backends.cudnn.rnn.fp32_precision", "backends.cuda.matmul.allow_tf32", "backends.cuda.matmul.fp32_precision",
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction", "backends.cuda.matmul.allow_fp16_accumulation",
    "backends.cuda.flash_sdp_enabled", "backends.cuda.mem_efficient_sdp_enabled", "backends.cuda.math_sdp_enabled",
    "backends.cuda.cudnn_sdp_enabled", "backends.mkldnn.enabled", "backends.mkldnn.deterministic",
    "backends.mkldnn.allow_tf32", "backends.mkldnn.matmul.fp32_precision", "backends.mkldnn.conv.fp32_precision",
)  # fmt: skip


_BUILDS = (("hip", "rocm"), ("xpu", "xpu"), ("cuda", "cuda"))  # a constant that is set -> the kind of build


def build(argument):
    """What torch/version.py says, read as text: importing torch may be what kills the process."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        raise ModuleNotFoundError("No module named 'torch' with a file of its own")
    folder = os.path.dirname(spec.origin)
    with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
        constants = _constants(file.read())
    facts = {
        "location": folder,
        "version": constants["__version__"],
        "build": next((name for key, name in _BUILDS if constants.get(key)), "cpu"),
        "hip_version": constants.get("hip") or "",
        "xpu_version": constants.get("xpu") or "",
        "git_version": constants.get("git_version"),
        "debug": constants.get("debug"),
    }
    if "cuda" in constants:
        facts["cuda_version"] = constants["cuda"] or ""
    return facts


def _constants(source):
    """The constants that a module assigns at its top level."""
    found = {}
    for statement in ast.parse(source).body:
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and value is not None:
                try:
                    found[target.id] = ast.literal_eval(value)
                except ValueError:  # computed, not a constant
                    continue
    return found


def imported(argument):
    """Import torch for real."""
    with kit.Warned() as warned:
        import torch
    return kit.import_facts(torch, warned.facts)


def settings(argument):
    """How torch is set up, as it stands after the import."""
    import torch

    facts, unread, absent = {"settings": {}}, {}, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reading an old name of a setting warns; the user does not read it
        for name in SETTINGS:
            try:
                facts["settings"]["torch." + name] = _plain(_follow(torch, name))
            except AttributeError:
                absent.append("torch." + name)
            except Exception as error:
                unread["settings.torch." + name] = str(error)
        for field, name in (("cxx11_abi", "compiled_with_cxx11_abi"), ("threads", "get_num_threads")):
            _ask(facts, unread, field, lambda name=name: _plain(_follow(torch, name)))
        capability = _cpu_capability(torch)
    if absent:
        unread["settings"] = "not in this version: " + ", ".join(absent)
    if capability:
        facts["cpu_capability"] = capability
    else:
        unread["cpu_capability"] = "this version does not tell"
    facts["arch_list"] = (getattr(torch._C, "_cuda_getArchFlags", str)() or "").split()
    facts["unread"] = unread
    return facts


def _ask(facts, unread, field, read):
    """Set a field, or note why it cannot be read."""
    try:
        facts[field] = read()
    except Exception as error:
        unread[field] = str(error)


def _follow(start, name):
    """The value under a dotted name; a function there is called."""
    value = start
    for part in name.split("."):
        value = getattr(value, part)
    return value() if callable(value) else value


def _plain(value):
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _cpu_capability(torch):
    """The instruction sets that torch uses ("AVX2"); before 2.1 only the text of its configuration has it."""
    try:
        return str(torch.backends.cpu.get_cpu_capability())
    except AttributeError:
        for line in torch.__config__.show().splitlines():
            if "CPU capability usage:" in line:
                return line.split(":", 1)[1].strip()
    return None


def cpu_kernel(argument):
    """A small computation on the CPU."""
    DEVICES.append({"device": "cpu", "kernel": _launch("cpu")})
    return {"devices": DEVICES}


def _launch(device):
    """Multiply two matrices, change each element, and add them up on a device; whole numbers, exact in every format.

    The numbers stay so small that TF32 and half precision hold them exactly, too.
    """
    import torch

    left = [[(row * 3 + column) % 5 - 2 for column in range(SIZE)] for row in range(SIZE)]
    right = [[(row + column * 7) % 5 - 2 for column in range(SIZE)] for row in range(SIZE)]
    product = [[sum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left]
    expected = [[2.0 * value + 1.0 for value in row] for row in product]

    def work():
        a = torch.tensor(left, dtype=torch.float32, device=device)
        b = torch.tensor(right, dtype=torch.float32, device=device)
        changed = torch.matmul(a, b) * 2 + 1
        return changed.sum().item(), changed.tolist()

    with kit.Warned():
        return kit.attempt(work, lambda result: result == (sum(map(sum, expected)), expected))


def numpy_bridge(argument):
    """From torch to NumPy and back: it fails where the two were built for different NumPy ABIs."""
    import torch

    def work():
        array = torch.arange(4, dtype=torch.float32).numpy()
        return torch.from_numpy(array * 2).tolist()

    with kit.Warned() as warned:
        fact = kit.attempt(work, lambda result: result == [0.0, 2.0, 4.0, 6.0])
    return {"numpy_bridge": fact, "warnings": warned.facts}


def cuda(argument):
    """Whether CUDA (or ROCm, which torch also calls cuda) can be used, the real reason if not, and its devices."""
    import torch

    if not (torch.version.cuda or getattr(torch.version, "hip", None)):
        return {"cuda_available": False, "cuda_device_count": 0, "cudnn_version": "", "nccl_version": ""}
    facts, unread = {}, {}
    with kit.Warned() as warned:
        try:
            facts["cuda_available"] = bool(torch.cuda.is_available())
            torch.cuda.init()
        except Exception as error:
            facts["cuda_error"] = kit.describe(error)
        _ask(facts, unread, "cuda_device_count", torch.cuda.device_count)
        _library_versions(torch, facts, unread)
        if "cuda_error" not in facts:
            DEVICES.extend(_cuda_device(torch, index) for index in range(facts.get("cuda_device_count", 0)))
    return dict(facts, devices=DEVICES, unread=unread, warnings=warned.facts)


def _library_versions(torch, facts, unread):
    """CuDNN and NCCL as this process loads them; asking may raise what is wrong with them."""
    if torch.version.cuda:  # on ROCm the same function returns MIOpen's version
        _ask(facts, unread, "cudnn_version", lambda: kit.cudnn_version(torch.backends.cudnn.version()))
    try:
        facts["nccl_version"] = _nccl_version(torch.cuda.nccl.version())
    except AttributeError:  # a build without NCCL, as on Windows
        facts["nccl_version"] = ""
    except Exception as error:
        unread["nccl_version"] = str(error)


def _nccl_version(version):
    """A tuple since torch 1.10, before that NCCL's number: 2708 is 2.7.8, and since NCCL 2.9, 21212 is 2.12.12."""
    if isinstance(version, int):
        major = 10000 if version >= 10000 else 1000
        version = (version // major, version % major // 100, version % 100)
    return ".".join(str(part) for part in version)


def _cuda_device(torch, index):
    fact, unread = {"device": "cuda:%d" % index}, {}
    try:
        properties = torch.cuda.get_device_properties(index)
    except Exception as error:
        return dict(fact, unread={"name": str(error)})
    fact["name"] = str(properties.name)
    fact["memory_total"] = int(properties.total_memory)
    if torch.version.cuda:
        fact["compute_capability"] = "%d.%d" % (properties.major, properties.minor)
    elif hasattr(properties, "gcnArchName"):
        fact["gfx_target"] = str(properties.gcnArchName).split(":")[0]  # behind the colon: features of the target
    if hasattr(properties, "uuid"):
        fact["uuid"] = str(properties.uuid)
    else:
        unread["uuid"] = "not in this version"
    if hasattr(properties, "pci_bus_id"):
        fact["pci_address"] = "%04x:%02x:%02x.0" % (
            getattr(properties, "pci_domain_id", 0),
            properties.pci_bus_id,
            getattr(properties, "pci_device_id", 0),
        )
    else:
        unread["pci_address"] = "not in this version"
    return dict(fact, unread=unread)


def cuda_kernels(argument):
    """A small computation on each CUDA or ROCm device, reported one by one."""
    import torch

    for fact in DEVICES:
        if not fact["device"].startswith("cuda"):
            continue
        with kit.Warned() as warned:
            fact["kernel"] = _launch(fact["device"])
            if hasattr(torch.cuda, "mem_get_info") and fact["kernel"]["ran"]:
                fact["memory_free"] = torch.cuda.mem_get_info(fact["device"])[0]
        yield {"devices": DEVICES, "warnings": warned.facts}


def mps(argument):
    """Apple's Metal."""
    import torch

    backend = getattr(torch.backends, "mps", None)
    if backend is None:
        return {"mps_built": False, "mps_available": False, "unread": {"mps_error": "not in this version"}}
    facts = {"mps_built": bool(backend.is_built()), "mps_available": bool(backend.is_available())}
    if not facts["mps_built"]:
        return facts
    kernel = _launch("mps")
    if facts["mps_available"]:
        DEVICES.append({"device": "mps", "kernel": kernel})
        facts["devices"] = DEVICES
    elif "error" in kernel:
        facts["mps_error"] = kernel["error"]["message"]
    return facts


def xpu(argument):
    """Intel GPUs."""
    import torch

    backend = getattr(torch, "xpu", None)
    if backend is None or not hasattr(backend, "is_available"):
        return {"xpu_available": False}
    with kit.Warned() as warned:
        facts = {"xpu_available": bool(backend.is_available())}
        for index in range(backend.device_count() if facts["xpu_available"] else 0):
            device = "xpu:%d" % index
            fact = {"device": device}
            try:
                properties = backend.get_device_properties(index)
                fact["name"] = str(properties.name)
                fact["memory_total"] = int(properties.total_memory)
            except Exception as error:
                fact["unread"] = {"name": str(error)}
            DEVICES.append(dict(fact, kernel=_launch(device)))
    return dict(facts, devices=DEVICES, warnings=warned.facts)


# Each package that is built against torch has a stage of its own, so that one that crashes is named.


def torchvision(argument):
    """Its operators are registered while it is imported."""
    return _companion("torchvision")


def torchaudio(argument):
    """Its library is loaded while it is imported."""
    return _companion("torchaudio")


def xformers(argument):
    """It only warns when its library does not load; the reason is kept in a variable of its own."""
    answer = _companion("xformers", "xformers._cpp_lib")
    reason = getattr(sys.modules.get("xformers._cpp_lib"), "_cpp_library_load_exception", None)
    if reason is not None:
        COMPANIONS[-1]["error"] = kit.describe(reason)
    return answer


def triton(argument):
    """The compiler behind torch.compile."""
    return _companion("triton")


def _companion(name, module=None):
    with kit.Warned() as warned:
        fact = kit.try_import(name, module)
    if fact is not None:
        COMPANIONS.append(fact)
    return {"companions": COMPANIONS, "warnings": warned.facts}


STAGES = (
    build, imported, settings, cpu_kernel, numpy_bridge, cuda, cuda_kernels, mps, xpu, kit.libraries, torchvision,
    torchaudio, xformers, triton,
)  # fmt: skip
ESSENTIAL = ("imported",)
