"""Python modules that compute on a GPU by themselves, and which of them tell what they put there."""

from collections.abc import Iterable

from checks.knowledge import Row, Table


class GpuModule(Row):
    """One module; the fields are explained at the head of the table."""

    module: str
    source: str
    tells: bool = False
    on_gpu: str = ""


class GpuModules(Table):
    """resources/knowledge/packages/gpu_modules.toml."""

    row: tuple[GpuModule, ...]


def is_each_telling(modules: Iterable[str]) -> bool:
    """Whether some of these modules compute on GPUs, and all of those tell what they put there."""
    loaded = {*modules}
    found = [row.tells for row in GpuModules.read().row if row.module in loaded]
    return bool(found) and all(found)


def gpu_statement(module: str) -> str:
    """A statement that computes on a GPU with it, and raises where it reaches none; "" where none is known."""
    return next((row.on_gpu for row in GpuModules.read().row if row.module == module), "")


def computing(modules: Iterable[str]) -> set[str]:
    """Those of these modules that compute on GPUs by themselves."""
    return {row.module for row in GpuModules.read().row} & {*modules}
