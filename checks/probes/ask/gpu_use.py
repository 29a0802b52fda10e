"""How the NVIDIA GPUs are used while a program runs: NVML is asked again and again, until this process is ended.

The argument: ``period``, seconds between two looks. A point is what one GPU did in some looks:

    {"gpu": 0, "begin": 0.0, "end": 1.0, "busy": 0.45, "idle": 0.0, "looks": 1, "processes": {"4711": 1073741824}}

``busy``: the mean share of the time in which a kernel ran, as NVML's utilization tells it of the last moments before a
look; ``idle``: the share of looks at which none had run; absent where the GPU does not tell. ``processes``: the most
memory of each that the driver listed as computing (null where it does not tell how much). After MOST points of a GPU
the next ones hold twice as many looks, so that they stay few.
"""

import time

from . import nvidia

MOST = 60


def use(argument):
    """One point after another, of each GPU."""
    for facts in (nvidia.library(argument), nvidia.start(argument), nvidia.driver(argument)):
        yield {"driver": facts}
    gpus = [gpu for gpu in map(_Gpu.found, range(nvidia.known["count"])) if gpu is not None]
    yield {"gpus": [gpu.identity for gpu in gpus]}
    began, looks, together = time.monotonic(), 0, 1
    while gpus:
        time.sleep(argument["period"])
        now = time.monotonic() - began
        looks += 1
        for gpu in gpus:
            gpu.look(now)
            if gpu.looks >= together:
                yield {"points+": [gpu.point()]}
        if looks >= MOST * together:
            looks, together = 0, 2 * together


class _Gpu:
    """One GPU, and what was seen of it since its last point."""

    def __init__(self, index, handle):
        self._handle = handle
        self.identity = dict(_identity(handle), index=index)
        self._end = 0.0
        self._begin_anew()

    @classmethod
    def found(cls, index):
        """The GPU of an index, None where NVML refuses it."""
        try:
            return cls(index, nvidia.nvml.nvmlDeviceGetHandleByIndex(index))
        except nvidia.nvml.NVMLError:
            return None

    def _begin_anew(self):
        self._begin, self.looks, self._shares, self._processes = self._end, 0, [], {}

    def look(self, now):
        """Ask what it does now, ``now`` seconds after the begin."""
        self._end = now
        self.looks += 1
        reader = nvidia.Reader()
        rates = reader.ask("utilization", nvidia.nvml.nvmlDeviceGetUtilizationRates, self._handle)
        if rates is not None:
            self._shares.append(rates.gpu / 100.0)
        listed = reader.ask("processes", nvidia.nvml.nvmlDeviceGetComputeRunningProcesses, self._handle)
        for process in (listed or ())[: nvidia.PROCESS_LIMIT]:  # what only draws is none of them
            before, memory = self._processes.get(process.pid), process.usedGpuMemory
            self._processes[process.pid] = before if memory is None else max(memory, before or 0)

    def point(self):
        """What was seen since the last one."""
        seen = {"gpu": self.identity["index"], "begin": self._begin, "end": self._end, "looks": self.looks}
        seen["processes"] = {str(pid): memory for pid, memory in self._processes.items()}
        if self._shares:
            seen["busy"] = sum(self._shares) / len(self._shares)
            seen["idle"] = self._shares.count(0.0) / float(len(self._shares))
        self._begin_anew()
        return seen


def _identity(handle):
    reader = nvidia.Reader()
    reader.field("name", nvidia.nvml.nvmlDeviceGetName, handle)
    reader.field("uuid", nvidia.nvml.nvmlDeviceGetUUID, handle)
    memory = reader.ask("memory_total", nvidia.nvml.nvmlDeviceGetMemoryInfo, handle)
    return dict(reader.fields, memory_total=memory.total) if memory is not None else reader.fields


STAGES = (use,)
ESSENTIAL = ()
