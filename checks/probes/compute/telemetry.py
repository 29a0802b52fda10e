"""What a device reports while it computes: heat, clocks, power, errors.

Standard library only, Python 3.8 and later: NVIDIA's NVML by ctypes, AMD's and the processor's sensors from Linux's
sysfs. What a device does not report is left out.

NVML (nvml.h of CUDA 13): functions return 0 for success; clocks are MHz, power milliwatts, temperatures degrees
Celsius.
"""

import ctypes
import glob
import os
import sys

GRAPHICS_CLOCK, MEMORY_CLOCK = 1, 2  # NVML_CLOCK_SM, NVML_CLOCK_MEM
CORRECTED, UNCORRECTED, VOLATILE = 0, 1, 0  # nvmlMemoryErrorType_t, nvmlEccCounterType_t
XID_EVENT = 8  # nvmlEventTypeXidCriticalError
# amdgpu_ras.c, "AMDGPU RAS sysfs Error Count Interface": lines of "ue: 0" and "ce: 3" in one file for each block
_RAS = {"ue": "ecc_uncorrected", "ce": "ecc_corrected"}
_RAS_BOGUS = 10**6  # and above: a card whose block sleeps reports 1048560 errors
_PROCESSOR_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal")


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class _Temperature(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint), ("kind", ctypes.c_uint), ("temperature", ctypes.c_int))


class _Event(ctypes.Structure):
    _fields_ = (
        ("device", ctypes.c_void_p),
        ("kind", ctypes.c_ulonglong),
        ("data", ctypes.c_ulonglong),
        ("instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


def of_device(device, pci_address=None, is_nvidia=False):
    """The telemetry of a device of a framework, as something with ``sample()``, ``counts()`` and ``xids()``."""
    if device.startswith("cuda") and (pci_address or is_nvidia):
        try:
            return Nvml(_nvml_library(), pci_address)
        except (OSError, AttributeError, RuntimeError):  # no such library, too old a one, or another vendor's card
            return Sysfs("/sys/bus/pci/devices/" + pci_address.lower()) if pci_address else Nothing()
    if device == "cpu":
        return Processor()
    return Nothing()


class Nothing:
    """A device that reports nothing, or is not asked here."""

    def sample(self):
        """The present state as fields of HealthSample."""
        return {}

    def counts(self):
        """Errors counted so far: "ecc_corrected", "ecc_uncorrected", "remapped_rows", as far as they are reported."""
        return {}

    def xids(self):
        """Codes of the Xid events since the last call; None where nothing reports them."""


def _nvml_library():
    if sys.platform == "win32":
        return ctypes.WinDLL(os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvml.dll"))
    return ctypes.CDLL("libnvidia-ml.so.1")


class Nvml(Nothing):
    """An NVIDIA GPU, found by its PCI address; where that is not known, the only one.

    Raises:
        RuntimeError: NVML does not start, or does not know the device.
    """

    def __init__(self, library, pci_address):
        self._library = library
        self._device = ctypes.c_void_p()
        if library.nvmlInit_v2() != 0:
            raise RuntimeError("nvmlInit")
        if not self._is_found(pci_address):
            raise RuntimeError("nvmlDeviceGetHandle")
        self._events = self._listen()

    def _is_found(self, pci_address):
        device = ctypes.byref(self._device)
        if pci_address:
            return self._library.nvmlDeviceGetHandleByPciBusId_v2(pci_address.encode("ascii"), device) == 0
        count = ctypes.c_uint()
        if self._library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0 or count.value != 1:
            return False
        return self._library.nvmlDeviceGetHandleByIndex_v2(0, device) == 0

    def sample(self):
        """Temperature, clocks, power, use, what holds the clocks down."""
        readings = {
            "temperature": self._temperature(),
            "clock_sm": self._number("nvmlDeviceGetClockInfo", ctypes.c_uint, GRAPHICS_CLOCK),
            "clock_memory": self._number("nvmlDeviceGetClockInfo", ctypes.c_uint, MEMORY_CLOCK),
            "power": self._number("nvmlDeviceGetPowerUsage", ctypes.c_uint),
            "utilization": self._utilization(),
        }
        if readings["power"] is not None:
            readings["power"] /= 1000.0
        for what in ("Event", "Throttle"):  # since R535, before
            if readings.get("throttle_mask") is None:
                name = "nvmlDeviceGetCurrentClocks%sReasons" % what
                readings["throttle_mask"] = self._number(name, ctypes.c_ulonglong)
        return {name: value for name, value in readings.items() if value is not None}

    def counts(self):
        """ECC errors since the driver was loaded, and rows that were remapped for errors."""
        total = "nvmlDeviceGetTotalEccErrors"
        readings = {
            "ecc_corrected": self._number(total, ctypes.c_ulonglong, CORRECTED, VOLATILE),
            "ecc_uncorrected": self._number(total, ctypes.c_ulonglong, UNCORRECTED, VOLATILE),
            "remapped_rows": self._remapped(),
        }
        return {name: value for name, value in readings.items() if value is not None}

    def xids(self):
        """NVML reports them on Linux only."""
        if self._events is None:
            return None
        found, event = [], _Event()
        while len(found) < 100 and self._library.nvmlEventSetWait_v2(self._events, ctypes.byref(event), 0) == 0:
            if event.kind == XID_EVENT:
                found.append(int(event.data))
        return found

    def _listen(self):
        events = ctypes.c_void_p()
        try:
            if self._library.nvmlEventSetCreate(ctypes.byref(events)) != 0:
                return None
            wanted = ctypes.c_ulonglong(XID_EVENT)
            if self._library.nvmlDeviceRegisterEvents(self._device, wanted, events) != 0:
                return None
        except AttributeError:
            return None
        return events

    def _number(self, function, kind, *arguments):
        value = kind()
        try:
            code = getattr(self._library, function)(self._device, *arguments, ctypes.byref(value))
        except AttributeError:  # an older driver's library
            return None
        return int(value.value) if code == 0 else None

    def _temperature(self):
        readings = self._number("nvmlDeviceGetTemperature", ctypes.c_uint, 0)
        if readings is not None:
            return readings
        asked = _Temperature(version=ctypes.sizeof(_Temperature) | 1 << 24)
        try:  # CUDA 14 is to remove the other (docs.nvidia.com/deploy/nvml-api/Deprecations.html)
            code = self._library.nvmlDeviceGetTemperatureV(self._device, ctypes.byref(asked))
        except AttributeError:
            return None
        return int(asked.temperature) if code == 0 else None

    def _utilization(self):
        value = _Utilization()
        code = self._library.nvmlDeviceGetUtilizationRates(self._device, ctypes.byref(value))
        return int(value.gpu) if code == 0 else None

    def _remapped(self):
        corrected, uncorrected, pending, failed = (ctypes.c_uint() for _ in range(4))
        try:
            code = self._library.nvmlDeviceGetRemappedRows(
                self._device, *map(ctypes.byref, (corrected, uncorrected, pending, failed))
            )
        except AttributeError:
            return None
        return int(corrected.value + uncorrected.value) if code == 0 else None


class Sysfs(Nothing):
    """A card as the Linux kernel shows it (amdgpu's hwmon): millidegrees, hertz, microwatts."""

    def __init__(self, folder):
        self._sensors = sorted(glob.glob(os.path.join(glob.escape(folder), "hwmon", "hwmon*")))[:1]
        self._folder = folder

    def sample(self):
        """What the first sensor of the card reports."""
        readings = {}
        for sensor in self._sensors:
            for name, file, unit in (("temperature", "temp1_input", 1000), ("clock_sm", "freq1_input", 10**6)):
                value = _whole(os.path.join(sensor, file))
                if value is not None:
                    readings[name] = round(value / unit)
            power = _whole(os.path.join(sensor, "power1_average"))
            if power is None:
                power = _whole(os.path.join(sensor, "power1_input"))
            if power is not None:
                readings["power"] = power / 1e6
        busy = _whole(os.path.join(self._folder, "gpu_busy_percent"))
        return readings if busy is None else dict(readings, utilization=busy)

    def counts(self):
        """ECC errors that amdgpu counted since it was loaded, of all blocks of the card together."""
        readings = {}
        for path in glob.glob(os.path.join(glob.escape(self._folder), "ras", "*_err_count")):
            for line in _text(path).splitlines():
                name, _, number = line.partition(": ")
                if name in _RAS and number.isdigit() and int(number) < _RAS_BOGUS:
                    readings[_RAS[name]] = readings.get(_RAS[name], 0) + int(number)
        return readings


class Processor(Nothing):
    """The processor's own sensors on Linux: the hottest of them, and the fastest core."""

    def __init__(self, root="/sys"):
        named = glob.glob(os.path.join(root, "class", "hwmon", "hwmon*", "name"))
        self._sensors = [os.path.dirname(path) for path in named if _text(path) in _PROCESSOR_SENSORS]
        cores = os.path.join(root, "devices", "system", "cpu", "cpu[0-9]*")
        self._clocks = glob.glob(os.path.join(cores, "cpufreq", "scaling_cur_freq"))

    def sample(self):
        """Temperature and clock, as far as they are reported; a virtual machine reports neither."""
        heat = [_whole(path) for sensor in self._sensors for path in glob.glob(os.path.join(sensor, "temp*_input"))]
        clocks = [_whole(path) for path in self._clocks]
        readings = {
            "temperature": max((round(reading / 1000) for reading in heat if reading is not None), default=None),
            "clock_sm": max((round(clock / 1000) for clock in clocks if clock is not None), default=None),
        }
        return {name: value for name, value in readings.items() if value is not None}


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(64).strip()
    except OSError:
        return ""


def _whole(path):
    text = _text(path)
    return int(text) if text.lstrip("-").isdigit() else None
