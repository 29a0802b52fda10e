"""ONNX's operators: the opsets that defined them, and which runtimes and providers compute them."""

import functools
from enum import Enum

from checks.facts.versions import minor, release
from checks.knowledge import Row, Table
from checks.knowledge.formats.onnx import ML

MICROSOFT = "com.microsoft"


class Operator(Row):
    """One operator. The numbers are those of the opsets that defined or changed it; see the table's head."""

    name: str
    domain: str = ""
    versions: tuple[int, ...]
    expands: tuple[int, ...] = ()
    cpu: tuple[int, ...] = ()
    cpu_since: dict[str, str] = {}
    cpu_without: tuple[str, ...] = ()
    cuda: tuple[int, ...] = ()
    dml: tuple[int, ...] = ()
    webgpu: tuple[int, ...] = ()
    coreml: tuple[str, ...] = ()
    coreml_limits: str = ""
    onnxruntime: str = ""
    tensorrt: str = ""
    tensorrt_limits: str = ""

    def version_in(self, opset: int) -> int | None:
        """The definition that a model with this opset means; None if there was none yet."""
        return max((version for version in self.versions if version <= opset), default=None)


class OnnxOperatorsTable(Table):
    tensorrt_lists: tuple[str, ...]
    newest_opset: int
    newest_ml: int
    onnxruntime_oldest: str
    onnxruntime_newest: str
    operator: tuple[Operator, ...]


class Support(Enum):
    """Whether a runtime computes an operator."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@functools.cache
def _by_name() -> dict[tuple[str, str], Operator]:
    return {(row.domain, row.name): row for row in OnnxOperatorsTable.read().operator}


def operator(name: str, domain: str = "") -> Operator | None:
    """The row of an operator; None where the table has none."""
    return _by_name().get((domain, name))


def is_standard(name: str, domain: str, opset: int | None) -> bool:
    """Whether an operator of a standard domain is one; also in an opset that is newer than the table."""
    table = OnnxOperatorsTable.read()
    newest = {"": table.newest_opset, ML: table.newest_ml}.get(domain, 0)
    return operator(name, domain) is not None or (opset or 0) > newest


def on_cpu(row: Operator, opset: int, runtime: str) -> Support:
    """Whether ONNX Runtime's CPU provider of a release has code for an operator."""
    table = OnnxOperatorsTable.read()
    meant = row.version_in(opset)
    if meant is None or release(minor(runtime)) > release(table.onnxruntime_newest):
        return Support.YES if meant in row.cpu else Support.UNKNOWN
    if meant in row.expands and meant not in row.cpu:
        return Support.UNKNOWN  # by way of others, which stand for themselves
    if meant not in row.cpu:
        return Support.NO
    since = row.cpu_since.get(str(meant))
    if since is not None and release(minor(runtime)) < release(since):
        return Support.UNKNOWN if meant in row.expands else Support.NO
    is_listed = release(minor(runtime)) >= release(table.onnxruntime_oldest)
    return Support.YES if is_listed else Support.UNKNOWN


def on_device(row: Operator, opset: int, provider: str) -> Support:
    """Whether another provider of ONNX Runtime has code for an operator, by the one list of it that was read."""
    meant = row.version_in(opset)
    if provider.startswith("CoreML"):
        return Support.YES if row.coreml else Support.NO
    versions = {"CUDA": row.cuda, "Dml": row.dml, "Js": row.webgpu, "WebGpu": row.webgpu}
    listed = versions.get(provider.removesuffix("ExecutionProvider"))
    if listed is None or meant is None:
        return Support.UNKNOWN
    return Support.YES if meant in listed else Support.NO


def in_microsofts_set(name: str, runtime: str) -> Support:
    """Whether an ONNX Runtime knows an operator of Microsoft's own set."""
    table = OnnxOperatorsTable.read()
    row = operator(name, MICROSOFT)
    here = release(minor(runtime))
    if row is None:  # of a build for training, of an older or a newer release
        is_listed = release(table.onnxruntime_oldest) <= here <= release(table.onnxruntime_newest)
        return Support.NO if is_listed else Support.UNKNOWN
    if row.onnxruntime:
        return Support.YES if here >= release(row.onnxruntime) else Support.NO
    return Support.YES if here >= release(table.onnxruntime_oldest) else Support.UNKNOWN


def in_tensorrt(name: str, tensorrt: str) -> Support:
    """Whether TensorRT's parser of a release lists an operator. Lists only grew, so neighbours decide in between."""
    lists = OnnxOperatorsTable.read().tensorrt_lists
    row = operator(name)
    here = release(minor(tensorrt))
    if row is not None and row.tensorrt and release(row.tensorrt) <= here:
        return Support.YES
    later = next((number for number in lists if release(number) >= here), None)
    if later is None:
        return Support.UNKNOWN  # newer than any list
    is_in_later = row is not None and row.tensorrt and release(row.tensorrt) <= release(later)
    return Support.UNKNOWN if is_in_later else Support.NO


def was_ever_in_tensorrt(name: str) -> bool:
    """Whether any list of TensorRT's parser has an operator."""
    row = operator(name)
    return row is not None and bool(row.tensorrt)
