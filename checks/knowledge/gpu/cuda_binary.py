"""Whether a GPU runs compiled CUDA code: the rules of binary and PTX compatibility."""

import re
from collections.abc import Iterable

from checks.facts.versions import release
from checks.knowledge import Row, Table

_CODE = re.compile(r"(sm|compute)_(\d+)(\d)([af]?)$")


class Exceptional(Row):
    """A GPU that runs only the machine code listed."""

    compute_capability: str
    runs: tuple[str, ...]
    chip: str
    source: str


class CudaBinary(Table):
    exception: tuple[Exceptional, ...]


def runs(code: str, compute_capability: str) -> bool:
    """Whether a GPU ("12.0") runs code as torch.cuda.get_arch_list() spells it ("sm_90", "sm_90a", "compute_120").

    Code in another spelling ("gfx1100") runs on no NVIDIA GPU.
    """
    found = _CODE.match(code)
    if found is None:
        return False
    kind, built, suffix = found[1], (int(found[2]), int(found[3])), found[4]
    gpu = _numbers(compute_capability)
    if suffix == "a":
        return built == gpu
    if kind == "compute" and not suffix:
        return built <= gpu
    exceptional = next((row for row in CudaBinary.read().exception if _numbers(row.compute_capability) == gpu), None)
    if kind == "sm" and exceptional is not None:
        return built in {_numbers(run) for run in exceptional.runs}
    return built[0] == gpu[0] and built[1] <= gpu[1]


def runs_any(codes: Iterable[str], compute_capability: str) -> bool:
    """Whether a GPU runs any of these codes."""
    return any(runs(code, compute_capability) for code in codes)


def oldest(codes: Iterable[str]) -> tuple[int, int] | None:
    """The lowest capability among codes, as (major, minor); None where there is no NVIDIA code."""
    return min(((int(found[2]), int(found[3])) for code in codes if (found := _CODE.match(code))), default=None)


def _numbers(compute_capability: str) -> tuple[int, int]:
    major, minor = (*release(compute_capability), 0, 0)[:2]
    return major, minor
