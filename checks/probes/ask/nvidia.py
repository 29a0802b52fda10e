"""What NVML reports about the driver and of each GPU, through NVIDIA's own binding (nvidia-ml-py, module pynvml).

Every GPU is a stage of its own, so that a call that never returns names the GPU. Every error is a fact: by field in
``unread``, by its NVML name. Numbers that are codes (clock reasons, recovery action, architecture) are left as numbers.
"""

import ctypes
import os

# Where NVML lies on systems whose loader does not know it: NixOS, WSL without its line in ld.so.conf.
OTHER_PLACES = ("/run/opengl-driver/lib/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1")
PROCESS_LIMIT = 64  # processes that are described per GPU

nvml = None  # the module, once it is imported
known = {"connected": False, "count": 0}  # whether NVML answers, and how many GPUs it counts


def error_name(error):
    """The NVML name of an error ("NVML_ERROR_GPU_IS_LOST"); a code that the binding does not know gets its number."""
    value = getattr(error, "value", None)
    for name, number in vars(nvml).items():
        if name.startswith("NVML_ERROR_") and number == value:
            return name
    return "NVML_ERROR_%s" % value if value is not None else "%s: %s" % (type(error).__name__, error)


class Reader:
    """Asks NVML field by field; what fails is noted in ``unread`` and left out of ``fields``."""

    def __init__(self):
        self.fields = {}
        self.unread = {}

    def ask(self, name, function, *arguments):
        """One value; None where NVML refuses it."""
        try:
            return function(*arguments)
        except Exception as error:
            self.unread[name] = error_name(error)
            return None

    def field(self, name, function, *arguments, **options):
        """One field; ``as_`` turns NVML's value into the fact's."""
        value = self.ask(name, function, *arguments)
        if value is not None:
            self.fields[name] = options.get("as_", _same)(value)

    def group(self, name, **members):
        """A field of several values: name=(function, arguments...)."""
        values = {}
        for member, call in members.items():
            value = self.ask("%s.%s" % (name, member), *call)
            if value is not None:
                values[member] = value
        if values:
            self.fields[name] = values

    def answer(self):
        """All fields, with the reasons for those that are missing."""
        return dict(self.fields, unread=self.unread)


def _same(value):
    return value


def library(argument):
    """The binding itself."""
    global nvml  # noqa: PLW0603 - imported in its stage, so that a broken binding names it
    import pynvml

    nvml = pynvml
    return {"binding": getattr(pynvml, "__version__", None)}


def start(argument):
    """Connect to the driver."""
    try:
        try:
            nvml.nvmlInit()
        except nvml.NVMLError_LibraryNotFound:
            if not _load_from_other_places():
                return {"nvml": "library-not-found"}
            nvml.nvmlInit()
    except nvml.NVMLError as error:
        return {"nvml": error_name(error), "nvml_message": str(error)}
    known["connected"] = True
    return {"nvml": "ok"}


def _load_from_other_places():
    for path in OTHER_PLACES:
        if os.path.exists(path):
            nvml.nvmlLib = ctypes.CDLL(path)
            return True
    return False


def driver(argument):
    """Versions, and how many GPUs there are."""
    if not known["connected"]:
        return {}
    reader = Reader()
    reader.field("nvml_version", nvml.nvmlSystemGetNVMLVersion)
    reader.field("driver_version", nvml.nvmlSystemGetDriverVersion)
    reader.field("cuda_driver_version", nvml.nvmlSystemGetCudaDriverVersion_v2, as_=_cuda_version)
    reader.field("device_count", nvml.nvmlDeviceGetCount)
    known["count"] = reader.fields.get("device_count", 0)
    return reader.answer()


def _cuda_version(number):
    return "%d.%d" % (number // 1000, number % 1000 // 10)


def gpu_stage(index):
    """The stage that asks for one GPU; its facts lie under its own name, so that no other stage's replace them."""

    def stage(argument):
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
        except nvml.NVMLError as error:
            return {stage.__name__: {"failed": index, "error": error_name(error)}}
        return {stage.__name__: dict(gpu(handle), index=index)}

    stage.__name__ = "gpu_%d" % index
    return stage


def gpu(handle):
    """Everything about one GPU."""
    reader = Reader()
    _identity(reader, handle)
    _memory(reader, handle)
    _state(reader, handle)
    _modes(reader, handle)
    _links(reader, handle)
    _processes(reader, handle)
    return reader.answer()


def _identity(reader, handle):
    reader.field("name", nvml.nvmlDeviceGetName, handle)
    reader.field("uuid", nvml.nvmlDeviceGetUUID, handle)
    pci = reader.ask("pci_address", nvml.nvmlDeviceGetPciInfo, handle)
    if pci is not None:
        reader.fields["pci_address"] = "%04x:%02x:%02x.0" % (pci.domain, pci.bus, pci.device)
        reader.fields["pci_device_id"] = "%04x" % (pci.pciDeviceId >> 16)
        reader.fields["pci_subsystem_id"] = "%08x" % pci.pciSubSystemId
    reader.field("architecture_number", nvml.nvmlDeviceGetArchitecture, handle)
    reader.field("compute_capability", nvml.nvmlDeviceGetCudaComputeCapability, handle, as_=lambda pair: "%d.%d" % pair)
    reader.field("vbios", nvml.nvmlDeviceGetVbiosVersion, handle)
    reader.field("board_part_number", nvml.nvmlDeviceGetBoardPartNumber, handle)
    reader.field("brand", nvml.nvmlDeviceGetBrand, handle, as_=lambda number: _named("NVML_BRAND_", number))


def _memory(reader, handle):
    memory = reader.ask("memory_total", nvml.nvmlDeviceGetMemoryInfo, handle)
    if memory is not None:
        reader.fields.update(memory_total=memory.total, memory_free=memory.free, memory_used=memory.used)
    ecc = reader.ask("ecc_enabled", nvml.nvmlDeviceGetEccMode, handle)
    if ecc is not None:
        reader.fields.update(ecc_enabled=bool(ecc[0]), ecc_pending=bool(ecc[1]))
    total = nvml.nvmlDeviceGetTotalEccErrors
    corrected, uncorrected = nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED, nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    reader.group(
        "ecc",
        corrected_volatile=(total, handle, corrected, nvml.NVML_VOLATILE_ECC),
        uncorrected_volatile=(total, handle, uncorrected, nvml.NVML_VOLATILE_ECC),
        corrected_aggregate=(total, handle, corrected, nvml.NVML_AGGREGATE_ECC),
        uncorrected_aggregate=(total, handle, uncorrected, nvml.NVML_AGGREGATE_ECC),
    )
    reader.field("retired_pages", _retired_pages, handle)
    reader.field("retired_pages_pending", nvml.nvmlDeviceGetRetiredPagesPendingStatus, handle, as_=bool)
    reader.field("row_remaps", nvml.nvmlDeviceGetRemappedRows, handle, as_=_row_remaps)


def _retired_pages(handle):
    """Both causes together: several corrected errors at one address, one uncorrected error."""
    causes = (
        nvml.NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS,
        nvml.NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
    )
    return sum(len(nvml.nvmlDeviceGetRetiredPages(handle, cause)) for cause in causes)


def _row_remaps(values):
    names = ("correctable", "uncorrectable", "pending", "failure")
    return dict(zip(names, (*values[:2], *map(bool, values[2:]))))


def _state(reader, handle):
    reader.field("throttle_mask", nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle)
    reader.field("temperature", nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU)
    reader.field(
        "temperature_slowdown", nvml.nvmlDeviceGetTemperatureThreshold, handle, nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
    )
    reader.field("power", nvml.nvmlDeviceGetPowerUsage, handle, as_=_watts)
    reader.field("power_limit", nvml.nvmlDeviceGetEnforcedPowerLimit, handle, as_=_watts)
    reader.field("power_limit_default", nvml.nvmlDeviceGetPowerManagementDefaultLimit, handle, as_=_watts)
    reader.field("clock_sm", nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM)
    reader.field("clock_sm_max", nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_SM)
    reader.field("clock_memory", nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_MEM)
    reader.field("clock_memory_max", nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_MEM)
    reader.field("performance_state", nvml.nvmlDeviceGetPerformanceState, handle)
    reader.field("utilization", nvml.nvmlDeviceGetUtilizationRates, handle, as_=lambda rates: rates.gpu)


def _watts(milliwatts):
    return milliwatts / 1000


def _modes(reader, handle):
    reader.field("compute_mode", nvml.nvmlDeviceGetComputeMode, handle, as_=lambda it: _named("NVML_COMPUTEMODE_", it))
    reader.field("persistence_mode", nvml.nvmlDeviceGetPersistenceMode, handle, as_=bool)
    reader.field("display_active", nvml.nvmlDeviceGetDisplayActive, handle, as_=bool)
    mig = reader.ask("mig_enabled", nvml.nvmlDeviceGetMigMode, handle)
    if mig is not None:
        reader.fields.update(mig_enabled=bool(mig[0]), mig_pending=bool(mig[1]))
        reader.fields["mig_instances"] = _mig_instances(reader, handle) if mig[0] else []
    reader.field("recovery_number", _recovery_action, handle)


def _named(beginning, number):
    """The name of a constant of the binding, as the facts write it: 3 -> "exclusive-process"."""
    for name, value in vars(nvml).items():
        if name.startswith(beginning) and value == number and not name.endswith("_COUNT"):
            return name[len(beginning) :].lower().replace("_", "-")
    return str(number)


def _mig_instances(reader, handle):
    instances = []
    for index in range(reader.ask("mig_instances", nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        try:
            mig = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
        except nvml.NVMLError_NotFound:
            continue
        except nvml.NVMLError as error:
            reader.unread["mig_instances"] = error_name(error)
            break
        name = reader.ask("mig_instances.name", nvml.nvmlDeviceGetName, mig) or ""
        memory = reader.ask("mig_instances.memory_total", nvml.nvmlDeviceGetMemoryInfo, mig)
        instance = {"index": index, "profile": name.rpartition("MIG ")[2]}
        if memory is not None:
            instance["memory_total"] = memory.total
        instances.append(instance)
    return instances


def _recovery_action(handle):
    value = nvml.nvmlDeviceGetFieldValues(handle, [nvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION])[0]
    if value.nvmlReturn != nvml.NVML_SUCCESS:
        raise nvml.NVMLError(value.nvmlReturn)
    return value.value.uiVal


def _links(reader, handle):
    reader.group(
        "link",
        width=(nvml.nvmlDeviceGetCurrPcieLinkWidth, handle),
        width_max=(nvml.nvmlDeviceGetMaxPcieLinkWidth, handle),
        generation=(nvml.nvmlDeviceGetCurrPcieLinkGeneration, handle),
        generation_max=(nvml.nvmlDeviceGetMaxPcieLinkGeneration, handle),
    )
    states = []
    for link in range(nvml.NVML_NVLINK_MAX_LINKS):
        try:
            states.append(nvml.nvmlDeviceGetNvLinkState(handle, link))
        except nvml.NVMLError as error:
            if not states:
                reader.unread["nvlinks_active"] = error_name(error)
            break
    if states:
        reader.fields.update(nvlinks_active=sum(states), nvlinks_inactive=len(states) - sum(states))
    reader.field("fabric_state", _fabric_state, handle)


def _fabric_state(handle):
    info = nvml.c_nvmlGpuFabricInfoV_t()
    nvml.nvmlDeviceGetGpuFabricInfoV(handle, ctypes.byref(info))
    return _named("NVML_GPU_FABRIC_STATE_", info.state)


def _processes(reader, handle):
    by_number = {}
    for kind in ("Compute", "Graphics"):
        for process in reader.ask("processes", _running, kind, handle) or ():
            by_number.setdefault(process.pid, process)
    if "processes" not in reader.unread:
        reader.fields["processes"] = [_process(process) for process in list(by_number.values())[:PROCESS_LIMIT]]


def _running(kind, handle):
    try:
        return getattr(nvml, "nvmlDeviceGet%sRunningProcesses_v3" % kind)(handle)
    except nvml.NVMLError_FunctionNotFound:
        return getattr(nvml, "nvmlDeviceGet%sRunningProcesses_v2" % kind)(handle)


def _process(process):
    described = {"pid": process.pid}
    if process.usedGpuMemory is not None:
        described["used_memory"] = process.usedGpuMemory
    try:  # the last part only: a path names its user
        described["name"] = nvml.nvmlSystemGetProcessName(process.pid).replace("\\", "/").rpartition("/")[2]
    except nvml.NVMLError:  # another user's, or ended since
        pass
    return described


def stages():
    """The stages in turn; how many GPUs there are is known only once the driver was asked."""
    yield library
    yield start
    yield driver
    for index in range(known["count"]):
        yield gpu_stage(index)


STAGES = stages()
ESSENTIAL = ("library",)
