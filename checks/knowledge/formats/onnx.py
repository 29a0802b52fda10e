"""ONNX's format versions (IR) and operator versions (opset): who writes which, and which ONNX Runtime reads which."""

import datetime as dt
from collections.abc import Iterable

from checks.facts.versions import minor, release
from checks.knowledge import Row, Table

ML = "ai.onnx.ml"


class OnnxRelease(Row):
    """A release of ONNX and the newest versions that it knows. ``ml``: of the operators for classical learning."""

    version: str
    date: dt.date | None = None
    ir: int
    opset: int
    ml: int


class IrVersion(Row):
    """A version of the file format, and the types of numbers that came with it."""

    ir: int
    date: dt.date | None = None
    added: str
    dtypes: tuple[str, ...] = ()


class OrtRelease(Row):
    """A release of ONNX Runtime and the highest versions that it takes; None where it does not look at them.

    ``opset_computed``: the highest opset whose changed operators it computes, where that is not ``opset``.
    """

    version: str
    date: dt.date
    opset: int | None = None
    ml: int | None = None
    ir: int | None = None
    opset_computed: int | None = None

    def most(self, domain: str) -> int | None:
        """The highest version of a standard domain; None for another domain and where it does not look."""
        return {"": self.opset, ML: self.ml}.get(domain)


class OnnxTable(Table):
    paths_outside_refused: str  # first ONNX Runtime that reads no weights outside the model's folder
    links_beside_real_model_read: str  # first that reads them there again, if a link of the model leads there too
    release: tuple[OnnxRelease, ...]
    ir: tuple[IrVersion, ...]
    onnxruntime: tuple[OrtRelease, ...]


def onnxruntime_release(version: str) -> OrtRelease | None:
    """The row of an ONNX Runtime, its own or that of its minor release; None where the table has neither."""
    rows = OnnxTable.read().onnxruntime
    exact = next((row for row in rows if release(row.version) == release(version)), None)
    return exact or next((row for row in rows if minor(row.version) == minor(version)), None)


def is_refused(domain: str, opset: int, version: str) -> bool:
    """Whether an ONNX Runtime refuses an operator set by its number; False also where that is not known."""
    row = onnxruntime_release(version)
    most = row.most(domain) if row else None
    return most is not None and opset > most


def least_onnxruntime(ir: int | None, opsets: dict[str, int]) -> OrtRelease | None:
    """The oldest ONNX Runtime that looks at the versions of a model and takes them; None if none does yet."""
    for row in OnnxTable.read().onnxruntime:
        if row.ir is None or row.opset is None:
            continue
        takes_operators = all((row.most(domain) or version) >= version for domain, version in opsets.items())
        if takes_operators and row.ir >= (ir or 0):
            return row
    return None


def lacks_code(row: OrtRelease, opsets: dict[str, int]) -> bool:
    """Whether the operators that changed in the model's opset had no code yet in a release that takes it."""
    return row.opset_computed is not None and opsets.get("", 0) > row.opset_computed


def least_onnx(ir: int | None, opsets: dict[str, int]) -> OnnxRelease | None:
    """The oldest ONNX release that knows the versions of a model; None if none does yet."""
    for row in OnnxTable.read().release:
        if row.ir >= (ir or 0) and row.opset >= opsets.get("", 0) and row.ml >= opsets.get(ML, 0):
            return row
    return None


def ir_of_types(dtypes: Iterable[str]) -> int:
    """The oldest version of the file format that has all these types of numbers."""
    wanted = set(dtypes)
    return max((row.ir for row in OnnxTable.read().ir if wanted.intersection(row.dtypes)), default=1)
