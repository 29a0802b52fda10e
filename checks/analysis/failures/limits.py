"""Limits of a process (ulimit): which are set so low that they are the likely reason of what was refused."""

from checks.facts import ProgramRun

GIB, MIB = 1024**3, 1024**2
# Up to where a limit is the likely reason of such words.
LOW = {
    "address_space": 32 * GIB,
    "data": 32 * GIB,
    "open_files": 4096,
    "processes": 2048,
    "stack": MIB // 2,
    "file_size": 1024 * GIB,
}
_OF_SIGNAL = {"SIGXCPU": "cpu_time", "SIGXFSZ": "file_size"}
_USED = 0.8  # of a limit of time: the last look is not the end


def limit_of_end(run: ProgramRun) -> str:
    """The limit at which the system ended a program with a signal: "cpu_time", "file_size"; "" for any other end."""
    limit = run.limits.get("cpu_time")
    if run.signal == "SIGKILL" and limit is not None and run.processor_time is not None:
        is_used = run.processor_time >= min(_USED * limit, limit - 1)
        return "cpu_time" if is_used else ""
    return _OF_SIGNAL.get(run.signal or "", "")


def is_low(name: str, limits: dict[str, int]) -> bool:
    """Whether a limit is set, and low."""
    return name in limits and name in LOW and limits[name] <= LOW[name]
