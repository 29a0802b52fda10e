"""Lines that frameworks, drivers and system tools write: which versions and which GPUs they name.

TensorFlow's start-up, PyTorch's warnings about GPUs, ONNX Runtime's providers, TensorRT, ComfyUI, nvcc, rocminfo and
rocm-smi, lspci, and the kernel log. Each reader looks for its program's words first, so that it costs next to nothing
where they are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from checks.facts import Package, ProviderStart
from checks.knowledge.gpu.gpu_architectures import amd_target, architecture_of_die
from checks.knowledge.packages.environment_variables import allowed_names
from checks.machine.gpu_names import NamedGpu, gpu_of_name
from checks.machine.nvidia import parse_xids
from checks.machine.pci import pci_name
from checks.readers.tickets.found.gpus import GpuStatement
from checks.readers.tickets.text import Statement, Text

MOST_EVENTS = 100  # Xid lines of one text
MOST_WARNINGS = 20

# --- TensorFlow ------------------------------------------------------------------------------------------------------

_TF_DEVICE = re.compile(
    r"device: (?P<index>\d{1,2}), name: (?P<name>[^,\n]{3,80}), pci bus id: "
    r"(?P<bus>[0-9a-fA-F:.]{7,20}), compute capability: (?P<capability>\d{1,2}\.\d)"
)
_TF_FOUND = re.compile(
    r"(?:pciBusID: (?P<bus>[0-9a-fA-F:.]{7,20}) )?name: (?P<name>[^,\n]{3,60}?) (?:major: "
    r"(?P<major>\d{1,2}) minor: (?P<minor>\d)|computeCapability: (?P<capability>\d{1,2}\.\d))"
)
_TF_DRIVER = re.compile(r"(?:kernel|libcuda) reported version is: (\d{3}\.[\d.]{1,8}\d)")
_TF_DSO = re.compile(r"kernel version (\d{3}\.[\d.]{1,8}\d) does not match DSO version")
_TF_CUDNN = re.compile(r"Loaded (?:runtime )?[Cc]u?DNN (?:version|library:) (\d[\d.]{0,9}\d)")
_TF_CUDART = re.compile(r"dynamic library '?libcudart\.so\.(\d{1,2}\.\d)")
_TF_PATH = re.compile(r"LD_LIBRARY_PATH: ([^\n]{1,1000})$", re.MULTILINE)
_TF_MISSED = re.compile(
    r"Could not load dynamic library|Cannot dlopen some GPU libraries|Could not find cuda drivers|failed call to cuInit"
)


def read_tensorflow(text: Text) -> Iterator[Statement]:
    """What TensorFlow logs while it looks for GPUs."""
    whole = text.whole
    if "tensorflow/" not in whole and "compute capability: " not in whole and "computeCapability: " not in whole:
        return
    for pattern in (_TF_DEVICE, _TF_FOUND):
        for found in pattern.finditer(whole):
            groups = found.groupdict()
            name = found["name"].strip()
            capability = groups.get("capability") or f"{groups.get('major')}.{groups.get('minor')}"
            fields: dict[str, Any] = {"compute_capability": capability}
            if groups.get("bus"):
                fields["pci_address"] = found["bus"].lower()
            index = int(groups["index"]) if groups.get("index") else None
            statement = GpuStatement(gpu_of_name(name), name, index=index, by="driver", nvidia=fields)
            yield Statement("gpu", statement, text.at(found), "TensorFlow")
    yield from _first(
        text, "TensorFlow", ((_TF_DRIVER, "machine.nvidia.driver_version"), (_TF_DSO, "machine.nvidia.driver_version"))
    )
    for found in _TF_CUDNN.finditer(whole):
        version = found[1] if "." in found[1] else _packed(found[1])
        yield Statement("frameworks.tensorflow.cudnn_version", version, text.at(found), "TensorFlow")
        break
    path = _TF_PATH.search(whole)
    if path is not None:
        value = ("LD_LIBRARY_PATH", path[1].strip())
        yield Statement("variable", value, text.at(path), "TensorFlow")
    runtime = _TF_CUDART.search(whole)
    if runtime is not None:  # only builds for CUDA look for it, each for the one that it was built with
        where = text.at(runtime)
        yield Statement("frameworks.tensorflow.is_cuda_build", True, where, "TensorFlow")
        yield Statement("frameworks.tensorflow.cuda_version", runtime[1], where, "TensorFlow")
    at = whole.find("Skipping registering GPU devices")
    if at >= 0:
        yield Statement("frameworks.tensorflow.devices", (), text.at(at), "TensorFlow")
    missed = [text.number_at(found.start()) for found in _TF_MISSED.finditer(whole)][:MOST_WARNINGS]
    if missed:
        numbers = tuple(dict.fromkeys(missed))
        warnings = tuple(line.text.strip() for line in text.lines if line.number in numbers)
        yield Statement("frameworks.tensorflow.warnings", warnings, numbers, "TensorFlow")


# --- PyTorch ---------------------------------------------------------------------------------------------------------

# NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.
_TORCH_UNFIT = re.compile(
    r"(?P<name>[A-Z][^\n:]{3,70}?) with CUDA capability sm_(?P<sm>\d{2,3})a? is not compatible with the current PyTorch"
)
_TORCH_CODES = re.compile(r"supports CUDA capabilit(?:ies|y) ((?:(?:sm|compute)_\d{2,3}a?[ \n]{0,2}){1,30})")
# Found GPU0 GeForce GT 730 which is of cuda capability 3.5.
_TORCH_OLD = re.compile(
    r"Found GPU(?P<index>\d{1,2}) (?P<name>[^\n]{3,70}?) which is of "
    r"(?:cuda capability|compute capability \(CC\)) (?P<capability>\d{1,2}\.\d)"
)
_TORCH_LIST = re.compile(r"\[((?:\s{0,2}'(?:sm|compute)_\d{2,3}a?',?){1,30})\s{0,2}\]")  # torch.cuda.get_arch_list()
_OWN_CAPABILITY = re.compile(
    r"your GPU has capability \((\d{1,2}), (\d)\)|[Yy]our GPU's (?:compute )?capability is (\d{1,2}\.\d)"
)
_CUDA_DEVICE = re.compile(
    r"(?:CUDA|cuda):(?P<index>\d{1,2}) \((?P<name>[^,()\n]{3,60}), (?P<memory>\d{3,7})\s?Mi?B\)"
)  # Ultralytics
_COMFY_DEVICE = re.compile(r"Device: cuda:(?P<index>\d{1,2}) (?P<name>[^:\n]{3,60}?)(?: : \w{1,40})?$", re.MULTILINE)
# print(torch.__version__, torch.version.cuda, torch.cuda.is_available()), alone on its line: 2.6.0+cpu None False
_TORCH_PRINTED = re.compile(
    r"^[\s(]{0,4}['\"]?(?P<version>\d\.\d{1,2}\.\d{1,2}[\w.]{0,20}(?:\+[a-z0-9.]{1,20})?)['\",]{0,2}\s{1,3}"
    r"['\"]?(?P<cuda>None|\d{1,2}\.\d)['\",]{0,2}\s{1,3}(?P<seen>True|False)\)?\s{0,4}$",
    re.MULTILINE,
)
_OTHER_CUDA = re.compile(  # torch.utils.cpp_extension
    r"detected CUDA version \((\d{1,2}\.\d{1,2})\) mismatches the version that was used to compile\s{1,12}"
    r"PyTorch \((\d{1,2}\.\d{1,2})\)"
)


def _printed_torch(text: Text) -> Iterator[Statement]:
    """Version, CUDA and whether a GPU is seen, as a line of Python prints them when it is asked for all three."""
    whole = text.whole
    printed = _TORCH_PRINTED.search(whole) if "False" in whole or "True" in whole else None
    if printed is None:
        return
    numbers, cuda = text.at(printed.start("version")), "" if printed["cuda"] == "None" else printed["cuda"]
    yield Statement("package", Package(name="torch", version=printed["version"]), numbers, "PyTorch")
    yield Statement("frameworks.torch.cuda_version", cuda, numbers, "PyTorch")
    if not cuda and not re.search(r"\+(?:rocm|xpu|git)", printed["version"]):  # conda's builds say it nowhere else
        yield Statement("frameworks.torch.build", "cpu", numbers, "PyTorch")
    yield Statement("frameworks.torch.cuda_available", printed["seen"] == "True", numbers, "PyTorch")


def read_torch(text: Text) -> Iterator[Statement]:
    """PyTorch's warnings that name GPUs and lists of architectures, and the start-up lines of programs around it."""
    whole = text.whole
    if "capabilit" in whole or "sm_" in whole:
        for found in _TORCH_UNFIT.finditer(whole):
            yield _torch_gpu(text, found, f"{int(found['sm']) // 10}.{int(found['sm']) % 10}", None)
        for found in _TORCH_OLD.finditer(whole):
            yield _torch_gpu(text, found, found["capability"], int(found["index"]))
        codes = _TORCH_CODES.search(whole) or _TORCH_LIST.search(whole)
        if codes is not None:
            names = tuple(re.findall(r"(?:sm|compute)_\d{2,3}a?", codes[1]))
            yield Statement("frameworks.torch.arch_list", names, text.at(codes), "PyTorch")
        own = _OWN_CAPABILITY.search(whole)
        if own is not None:
            capability = own[3] or f"{own[1]}.{own[2]}"
            statement = GpuStatement(None, "NVIDIA GPU", nvidia={"compute_capability": capability})
            yield Statement("own-capability", statement, text.at(own))
    yield from _printed_torch(text)
    if "mismatches the version" in whole and (other := _OTHER_CUDA.search(whole)):
        numbers = text.at(other)
        yield Statement("environment.nvcc_version", other[1], numbers, "PyTorch")
        yield Statement("frameworks.torch.cuda_version", other[2], numbers, "PyTorch")
    if "cuda:" in text.lower:
        for pattern in (_CUDA_DEVICE, _COMFY_DEVICE):
            for found in pattern.finditer(whole):
                groups = found.groupdict()
                named = gpu_of_name(found["name"])
                if named is None or named.vendor_id != "10de":
                    continue
                fields = {"memory_total": int(groups["memory"]) * 2**20} if groups.get("memory") else {}
                statement = GpuStatement(named, found["name"].strip(), int(found["index"]), "driver", fields)
                yield Statement("gpu", statement, text.at(found))
                yield Statement("frameworks.torch.cuda_available", True, text.at(found))


def _torch_gpu(text: Text, found: re.Match[str], capability: str, index: int | None) -> Statement:
    name = found["name"].rpartition("UserWarning: ")[2].strip()
    statement = GpuStatement(gpu_of_name(name), name, index, "driver", {"compute_capability": capability})
    return Statement("gpu", statement, (text.number_at(found.start("name")),), "PyTorch")


# --- ONNX Runtime, TensorRT, nvcc ------------------------------------------------------------------------------------

_ORT_PROVIDERS = re.compile(r"[Aa]vailable providers: '?((?:\w{2,40}ExecutionProvider'?,? ?'?){1,12})")
_ORT_FAILED = re.compile(r"Failed to create (\w{3,40}ExecutionProvider)([^\n]{0,300})")
_ORT_ERROR = re.compile(r"\[E:onnxruntime[^\n]{0,600}")
_TRT_BANNER = re.compile(r"\[TensorRT v(\d{4,6})\]")
_TRT_VERSION = re.compile(r"TensorRT version: (\d{1,2}(?:\.\d{1,3}){1,3})|TensorRT-(\d{1,2}(?:\.\d{1,2}){2,3})[\\/]")
_TRT_DEVICE = re.compile(r"Selected Device: ([^\n]{3,60})$", re.MULTILINE)
_NVCC = re.compile(r"Cuda compilation tools, release (\d{1,2}\.\d{1,2})(?:, V(\d{1,2}\.\d{1,2}\.\d{1,4}))?")


def read_runtimes(text: Text) -> Iterator[Statement]:
    """ONNX Runtime, TensorRT and NVIDIA's compiler."""
    if "ExecutionProvider" in text.whole and (found := _ORT_PROVIDERS.search(text.whole)):
        names = tuple(re.findall(r"\w+ExecutionProvider", found[1]))
        yield Statement("frameworks.onnxruntime.providers_listed", names, text.at(found), "ONNX Runtime")
    if "Failed to create" in text.whole:
        yield from _failed_providers(text)
    if "TensorRT" in text.whole:
        if banner := _TRT_BANNER.search(text.whole):
            number = int(banner[1])  # 8503: 8.5.3; 100700: 10.7.0
            parts = (
                (number // 10000, number // 100 % 100, number % 100)
                if number >= 100000
                else (number // 1000, number // 100 % 10, number % 100)
            )
            version = ".".join(map(str, parts))
            yield Statement("frameworks.tensorrt.version", version, text.at(banner), "TensorRT")
        if named := _TRT_VERSION.search(text.whole):
            yield Statement("frameworks.tensorrt.version", named[1] or named[2], text.at(named), "TensorRT")
    if "Selected Device:" in text.whole and (device := _TRT_DEVICE.search(text.whole)):
        gpu = gpu_of_name(device[1])
        yield Statement("gpu", GpuStatement(gpu, device[1].strip(), 0, "driver"), text.at(device), "TensorRT")
    if "Cuda compilation tools" in text.whole and (compiler := _NVCC.search(text.whole)):
        version = compiler[2] or compiler[1]
        yield Statement("environment.nvcc_version", version, text.at(compiler), "nvcc")


def _failed_providers(text: Text) -> Iterator[Statement]:
    """Execution providers of ONNX Runtime that did not start, with the error that stands before, if one does."""
    failed: dict[str, ProviderStart] = {}
    numbers = []
    for found in _ORT_FAILED.finditer(text.whole):
        before = _ORT_ERROR.findall(text.whole, max(found.start() - 2000, 0), found.start())
        error = before[-1] if before else found.group(0)
        failed.setdefault(found[1], ProviderStart(name=found[1], started=False, error=error))
        numbers.append(text.number_at(found.start()))
    if failed:
        yield Statement("frameworks.onnxruntime.providers", tuple(failed.values()), tuple(numbers), "ONNX Runtime")


# --- AMD -------------------------------------------------------------------------------------------------------------

_ROCM_AGENT = re.compile(r"^\s{0,8}Name:\s{1,40}(gfx\d{3,4}[a-f0-9]?)\s*$", re.MULTILINE)
_ROCM_NAME = re.compile(r"^\s{0,8}Marketing Name:\s{1,30}(\S[^\n]{2,60}?)\s*$", re.MULTILINE)
_ROCM_SMI = re.compile(r"^GPU\[(\d{1,2})\]\s{0,8}: Card [Ss]eries:\s{1,8}(\S[^\n]{2,60}?)\s*$", re.MULTILINE)
_ROCM_VERSION = re.compile(r"\bROCm(?: version)?[ :=v-]{1,3}(\d\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)")
_GFX = re.compile(r"(?<![\w,;])gfx\d{3,4}[a-f]?(?![\w,;])")


def read_amd(text: Text) -> Iterator[Statement]:
    """rocminfo, rocm-smi, the version of ROCm, and a compiler target that stands alone."""
    if not text.has("gfx", "rocm", "gpu["):
        return
    names = list(_ROCM_NAME.finditer(text.whole))
    for found in _ROCM_AGENT.finditer(text.whole):
        name = next((file[1] for file in names if file.start() > found.start()), "AMD GPU")
        yield _amd(text, found, found[1], name, "rocminfo")
    for found in _ROCM_SMI.finditer(text.whole):
        gpu = gpu_of_name(found[2])
        if gpu is not None:
            yield Statement("gpu", GpuStatement(gpu, found[2], int(found[1]), "bus"), text.at(found), "rocm-smi")
    if version := _ROCM_VERSION.search(text.whole):
        yield Statement("machine.amd.rocm_version", version[1], text.at(version))
    alone = list(_GFX.finditer(text.whole))
    if len({found.group(0) for found in alone}) == 1:  # several are a list of what something was built for
        yield _amd(text, alone[0], alone[0].group(0), f"AMD GPU ({alone[0].group(0)})", "")


def _amd(text: Text, found: re.Match[str], gfx: str, name: str, program: str) -> Statement:
    row = amd_target(gfx)
    gpu = NamedGpu(vendor_id="1002", product=name, gfx_target=gfx, architecture=row.architecture if row else "")
    by = "bus" if program else "mention"
    return Statement("gpu", GpuStatement(gpu, name, by=by), text.at(found), program)


# --- the bus and the kernel log --------------------------------------------------------------------------------------

_LSPCI = re.compile(
    r"^.{0,20}?(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]) "
    r"(?:VGA compatible controller|3D controller|Display controller)"
    r"[^:\n]{0,12}: (?P<name>[^\n]{3,160})$",
    re.MULTILINE,
)
_LSPCI_IDS = re.compile(r"\[(10de|1002|8086):([0-9a-f]{4})\]")
_LSPCI_UNNAMED = re.compile(r"\bDevice ([0-9a-f]{4})\b")  # newer than the list of names there
_PCI_ID = re.compile(
    r"NVIDIA GPU (?P<address>[0-9a-fA-F:.]{7,16}) ?(?:\n.{0,40}NVRM: )?\(PCI ID: 10de:(?P<device>[0-9a-f]{4})\)"
)
_LSPCI_VENDORS = (("nvidia", "10de"), ("advanced micro devices", "1002"), ("intel", "8086"))
_NVIDIA_MODULE = re.compile(r"NVRM version: NVIDIA UNIX .{0,60}?(\d{3}\.\d{2,3}(?:\.\d{2})?)\s")
_MISMATCH = re.compile(r"client has the version (\d{3}\.[\d.]{1,8}\d)")
_KERNEL_SIDE = re.compile(r"kernel module has the version (\d{3}\.[\d.]{1,8}\d)")


def read_kernel(text: Text) -> Iterator[Statement]:
    """lspci, and what NVIDIA's kernel module writes into the kernel log."""
    if text.has("controller"):
        for found in _LSPCI.finditer(text.whole):
            statement = _on_bus(found)
            if statement is not None:
                yield Statement("gpu", statement, text.at(found), "lspci")
    if "NVRM" not in text.whole:
        return
    for found in _PCI_ID.finditer(text.whole):
        statement = _of_ids("10de", found["device"], "NVIDIA GPU", {"address": found["address"].lower()})
        yield Statement("gpu", statement, text.at(found), "kernel log")
    lines = [line for line in text.lines if "NVRM" in line.text]
    events = parse_xids(line.text for line in lines)[:MOST_EVENTS]
    with_xid = [line.number for line in lines if "Xid" in line.text] or [line.number for line in lines[:1]]
    for place, event in enumerate(events):
        yield Statement("xid", event, (with_xid[min(place, len(with_xid) - 1)],), "kernel log")
    yield from _first(
        text,
        "kernel log",
        (
            (_NVIDIA_MODULE, "machine.nvidia.kernel_module_version"),
            (_KERNEL_SIDE, "machine.nvidia.kernel_module_version"),
            (_MISMATCH, "machine.nvidia.driver_version"),
        ),
    )


def _on_bus(found: re.Match[str]) -> GpuStatement | None:
    ids = _LSPCI_IDS.search(found["name"])
    address = found["address"] if found["address"].count(":") == 2 else f"0000:{found['address']}"
    bus: dict[str, Any] = {"address": address}
    if ids is not None:
        return _of_ids(ids[1], ids[2], found["name"], bus)
    vendor = next((number for word, number in _LSPCI_VENDORS if word in found["name"].lower()), None)
    if vendor is None:
        return None
    unnamed = _LSPCI_UNNAMED.search(found["name"])
    if unnamed is not None:
        return _of_ids(vendor, unnamed[1], found["name"], bus)
    inner = re.search(r"\[([^\[\]]{3,80})\](?: \(rev \w\w\))?$", found["name"])
    named = gpu_of_name(inner[1]) if inner else None
    if named is None or named.vendor_id != vendor:
        named = NamedGpu(vendor_id=vendor, product=inner[1] if inner else found["name"])
    return GpuStatement(named, named.product, by="bus", bus=bus)


def _of_ids(vendor: str, device: str, name: str, bus: dict[str, Any]) -> GpuStatement:
    known = pci_name(vendor, device)
    architecture = architecture_of_die(known.die) if known.die else None
    named = gpu_of_name(known.product)
    gpu = NamedGpu(
        vendor_id=vendor,
        product=known.product or name,
        device_id=device,
        die=known.die,
        architecture=architecture.architecture if architecture else "",
        compute_capability=architecture.compute_capability if architecture else "",
        gfx_target=named.gfx_target if named else "",
    )
    return GpuStatement(gpu, gpu.product, by="bus", bus=bus)


# --- environment variables -------------------------------------------------------------------------------------------

_ASSIGNED = re.compile(
    r"^[\s$>#]{0,6}(?:export |set |ENV |env |-e |Environment=)?[\"']?(?P<name>[A-Z][A-Z0-9_]{3,40})="
    r"(?P<quote>[\"']?)(?P<value>[^\s\"';]{0,300})(?P=quote)(?=\s|$|;)",
    re.MULTILINE,
)
_IN_PYTHON = re.compile(
    r"os\.environ\[[\"'](?P<name>[A-Z][A-Z0-9_]{3,40})[\"']\] {0,2}= {0,2}[\"'](?P<value>[^\"'\n]{0,200})[\"']"
)


def read_variables(text: Text) -> Iterator[Statement]:
    """Environment variables that are set in commands, scripts and listings, of the allow list."""
    if "=" not in text.whole:
        return
    allowed = frozenset(allowed_names())
    for pattern in (_ASSIGNED, _IN_PYTHON) if "environ" in text.whole else (_ASSIGNED,):
        for found in pattern.finditer(text.whole):
            if found["name"] in allowed and "$" not in found["value"]:
                yield Statement("variable", (found["name"], found["value"]), text.at(found))


def _first(text: Text, program: str, wanted: tuple[tuple[re.Pattern[str], str], ...]) -> Iterator[Statement]:
    for pattern, fact in wanted:
        found = pattern.search(text.whole)
        if found is not None:
            yield Statement(fact, found[1], text.at(found), program)


def _packed(digits: str) -> str:
    """CuDNN's number as a version: "8600" -> "8.6.0", "90100" -> "9.1.0"."""
    number = int(digits)
    if number >= 90000:
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}" if number >= 1000 else digits
