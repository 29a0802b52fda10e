"""Limits of a process (ulimit): which are set so low that they are the likely reason of what was refused."""

GIB, MIB = 1024**3, 1024**2
# Up to where a limit is the likely reason of such words.
LOW = {"address_space": 32 * GIB, "data": 32 * GIB, "open_files": 4096, "processes": 2048, "stack": MIB // 2}


def is_low(name: str, limits: dict[str, int]) -> bool:
    """Whether a limit is set, and low."""
    return name in limits and name in LOW and limits[name] <= LOW[name]
