"""TorchScript: archives of torch.jit.save, with bytecode for the lite interpreter, and its FlatBuffers form.

The code in the archive is text in a subset of Python. It is searched for operators, devices and signatures, and not
parsed as Python: it comes from a stranger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from checks.facts import NamedClass, OperatorUse, TensorSpec
from checks.knowledge.formats.pickle_globals import DANGEROUS
from checks.knowledge.frameworks.torch_serialization import TorchSerializationTable, is_builtin
from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.pickles.values import Global, Node, Pickle, Value
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.containers.torch.values import storages
from checks.readers.containers.torch.zip import TorchZip, hidden_pickles, packed_members
from checks.readers.models.pytorch.pickled_objects import contents_of, devices_of, named_classes
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, archive_reader, file_reader

_MOST_CODE = 32 * MIB
_MOST_FILES = 4000
_MOST_OPERATORS = 2000
_FLATBUFFER = b"PTMF"  # file identifier of the mobile module
_BYTECODE_AS_FLATBUFFER = 9
_SHOWN = 12
_LONGEST = 300
# A call of an operator: torch.conv2d(...) is aten's, ops.torchvision.nms(...) that of a namespace.
_CALL = re.compile(r"(?<![\w.])(?:torch\.(\w+)|ops\.(\w+)\.(\w+))\(")
_NO_OPERATORS = {"device"}
# Operators that write or map a file; in __setstate__ they do so while the archive is loaded.
_OF_FILES = re.compile(r"(?<![\w.])(torch\.(?:save|from_file)|ops\.image\.write_file)\(([^\n]{0,200})")
_DEVICE = re.compile(r"torch\.device\(\"([a-z]+(?::\d{1,4})?)\"\)")
_MANGLED = re.compile(r"___torch_mangle_\d+\.")  # traced copies of a class
_FORWARD = "  def forward("
_MOST_METHODS = 2000
_LONGEST_SIGNATURE = 4000

# Parameters (name, type) after the first, and the type of the result.
Signature = tuple[tuple[tuple[str, str], ...], str]


@archive_reader("torchscript")
def torchscript(archive: ZipFolder) -> Reading | None:
    """An archive of torch.jit.save."""
    files = TorchZip.with_member(archive, "constants.pkl")
    if files is None or "data.pkl" not in files:
        return _oldest(archive)
    main, constants = files.pickle("data.pkl"), files.pickle("constants.pkl")
    reading = _reading(files, main)
    code = "\n".join(_code(files))
    in_code = [device for device in dict.fromkeys(_DEVICE.findall(code)) if device not in ("cpu", "meta")][:_SHOWN]
    devices = tuple(dict.fromkeys((*devices_of([main, constants]), *in_code)))[:_SHOWN]
    bytecode = files.pickle("bytecode.pkl") if "bytecode.pkl" in files else None
    operators = _of_bytecode(bytecode) if bytecode else _of_code(code)
    signature = _signature(code, reading.details.get("model-class", ""))
    reading.details |= _details(files, archive, signature, bytecode) | {"devices-in-code": ", ".join(in_code)}
    if "model-class" in reading.details:
        reading.details["model-class"] = _MANGLED.sub("", reading.details["model-class"])
    reading.inputs = _inputs(signature)
    for damage in (main.problem, constants.problem, bytecode.problem if bytecode else None):
        reading.fail(damage)
    reading.fail(_storage_problem(files, main, "data"))
    reading.fail(_storage_problem(files, constants, "constants"))
    if devices:
        reading.bind("torch-device", ", ".join(devices))
    if devices or any(operator.is_custom for operator in operators):
        reading.dependence = "medium"
    reading.frameworks = ("torch", *packages_of(operators))
    reading.operators, reading.devices = operators, devices
    reading.classes = (*_dangerous_names(archive, files, [main, constants]), *_files_in_code(code))
    return reading


@file_reader("torchscript", rank=Rank.MAGIC)
def mobile_flatbuffer(source: Source, _beside: Folder) -> Reading | None:
    """A module for the lite interpreter in the FlatBuffers form; its inside is left unread."""
    if source.size < 16 or source.read(4, 4) != _FLATBUFFER:
        return None
    return Reading(
        "torchscript",
        version=f"bytecode {_BYTECODE_AS_FLATBUFFER}",
        producer="pytorch",
        details={"content": "flatbuffer"},
        frameworks=("torch",),
    )


def _oldest(archive: ZipFolder) -> Reading | None:
    """The form of 1.0 to 1.2, which kept a model.json."""
    files = TorchZip.with_member(archive, "model.json")
    if files is None or "version" not in files:
        return None
    if not any(member.startswith(("code/", "tensors/")) for member in files.members):
        return None
    return Reading(
        "torchscript",
        version=files.version,
        producer="pytorch",
        details={"written-by": "1.0 – 1.2"},
        frameworks=("torch",),
        operators=_of_code("\n".join(_code(files))),
    )


def _dangerous_names(archive: ZipFolder, files: TorchZip, read: list[Pickle]) -> tuple[NamedClass, ...]:
    """Only what is dangerous: torch.jit.load imports nothing, but other programs may unpickle what they find."""
    known = frozenset(f"{files.root}/{name}" for name in ("data.pkl", "constants.pkl", "bytecode.pkl"))
    others = [found for _, found in hidden_pickles(archive, known)]
    return tuple(found_class for found_class in named_classes([*read, *others]) if found_class.risk == DANGEROUS)


def _files_in_code(code: str) -> Iterator[NamedClass]:
    found = {call[1]: call[2] for call in _OF_FILES.finditer(code)}
    for name, given in found.items():
        yield NamedClass(name=name, risk=DANGEROUS, given=given.rpartition(")")[0])


def _reading(files: TorchZip, main: Pickle) -> Reading:
    contents = contents_of(main)
    root = main.root
    details = {"tensors": str(len(contents.found.tensors))}
    if isinstance(root, Node) and isinstance(root.maker, Global):
        details["model-class"] = root.maker.path.removeprefix("__torch__.")[:_LONGEST]
    return Reading(
        "torchscript",
        version=(files.version or "")[:20] or None,
        producer="pytorch",
        dtypes=contents.weights.dtypes,
        quantization=contents.weights.quantization,
        details=details,
        memory=contents.weights.memory,
    )


def _details(
    files: TorchZip, archive: ZipFolder, signature: Signature | None, bytecode: Pickle | None
) -> dict[str, str]:
    details: dict[str, str] = {}
    if bytecode is not None:
        version = bytecode.root[0] if isinstance(bytecode.root, tuple) and bytecode.root else None
        details["bytecode"] = str(version) if isinstance(version, int) else "?"
    if signature is not None:
        details["methods"] = (
            f"forward({', '.join(f'{name}: {kind}' for name, kind in signature[0])}) -> {signature[1]}"[:_LONGEST]
        )
    extra = [member.removeprefix("extra/") for member in files.members if member.startswith("extra/")]
    if extra:
        details["extra-files"] = ", ".join(extra[:_SHOWN])[:_LONGEST]
    # Code is compressed by design, weights are not.
    packed = packed_members(archive) - sum(1 for member in files.members if member.startswith("code/"))
    if packed > 0:
        details["packed-members"] = str(packed)
    return details


def _code(files: TorchZip) -> Iterator[str]:
    """The source texts of an archive, in bounds; one that cannot be read is left out."""
    left = _MOST_CODE
    names = [member for member in files.members if member.startswith("code/") and member.endswith(".py")]
    for name in names[:_MOST_FILES]:
        size = files.size_of(name) or 0
        if size > left:
            return
        left -= size
        try:
            yield files.read(name).decode("utf-8", "replace")
        except Damaged:
            continue


def _signature(code: str, model_class: str) -> Signature | None:
    """The signature of the method "forward" of a class; it has one parameter a line."""
    start = 0
    for _ in range(_MOST_METHODS):
        start = code.find(_FORWARD, start)
        if start < 0:
            return None
        text = code[start + len(_FORWARD) : start + _LONGEST_SIGNATURE]
        start += len(_FORWARD)
        given, arrow, rest = text.partition(") -> ")
        lines = [parameter.strip() for parameter in given.split(",\n")]
        owner = lines[0].partition(": ")[2].removeprefix("__torch__.")
        if arrow and (not model_class or owner == model_class):
            parameters = (line.partition(": ") for line in lines[1:])
            return tuple((name, kind) for name, colon, kind in parameters if colon), rest.partition(":\n")[0][:_LONGEST]
    return None


def _inputs(signature: Signature | None) -> tuple[TensorSpec, ...] | None:
    """The tensors among the parameters; code states neither dtype nor shape."""
    if signature is None:
        return None
    return tuple(TensorSpec(name=name[:_LONGEST]) for name, kind in signature[0] if "Tensor" in kind)


def _of_code(code: str) -> tuple[OperatorUse, ...]:
    count: dict[tuple[str, str], int] = {}
    for found in _CALL.finditer(code):
        own, namespace, name = found.groups()
        if own in _NO_OPERATORS:
            continue
        key = ("aten", own) if own else (namespace, name)
        count[key] = count.get(key, 0) + 1
    return torch_operators(count)


def _of_bytecode(bytecode: Pickle) -> tuple[OperatorUse, ...]:
    """Each function of the bytecode lists the operators that it calls, each once."""
    count: dict[tuple[str, str], int] = {}
    functions = bytecode.root if isinstance(bytecode.root, tuple) else ()
    for function in functions:
        if not isinstance(function, tuple) or len(function) < 2:
            continue
        for name, overload in _operators_of(function[1]):
            namespace, _, operator = name.partition("::")
            key = (namespace, f"{operator}.{overload}" if overload else operator)
            count[key] = count.get(key, 0) + 1
    return torch_operators(count)


def _operators_of(table: Value) -> Iterator[tuple[str, str]]:
    """The rows of ("operators", ((name, overload, arguments), ...))."""
    for part in table if isinstance(table, tuple) else ():
        if isinstance(part, tuple) and len(part) == 2 and part[0] == "operators" and isinstance(part[1], tuple):
            for row in part[1]:
                if isinstance(row, tuple) and len(row) > 1 and isinstance(row[0], str) and isinstance(row[1], str):
                    yield row[0], row[1]


def torch_operators(count: dict[tuple[str, str], int]) -> tuple[OperatorUse, ...]:
    """Operators by (namespace, name) as facts, the most used first. PyTorch's own are in the domain ""."""
    rows = sorted(count.items(), key=lambda item: (-item[1], item[0]))[:_MOST_OPERATORS]
    return tuple(
        OperatorUse(
            name=name[:_LONGEST],
            domain="" if namespace == "aten" else namespace[:_LONGEST],
            count=number,
            is_custom=not is_builtin(namespace),
        )
        for (namespace, name), number in rows
    )


def packages_of(operators: tuple[OperatorUse, ...]) -> tuple[str, ...]:
    """The packages that bring the operators that are not PyTorch's own."""
    known = TorchSerializationTable.read().operators.packages
    return tuple(
        dict.fromkeys(
            known[operator.domain] for operator in operators if operator.is_custom and operator.domain in known
        )
    )


def _storage_problem(files: TorchZip, pickle: Pickle, folder: str) -> Damaged | None:
    """A storage that is not there, or too short. Bytecode moves storages to other folders."""
    for key, storage in storages(pickle.persistent).items():
        size = next(
            (size for place in (folder, "data", "constants") if (size := files.size_of(f"{place}/{key}"))), None
        )
        if size is None and storage.size:
            return Damaged("missing-part", f"{folder}/{key}")
        if size is not None and size < storage.size:
            return Damaged("truncated", f"{folder}/{key}: {size} of {storage.size} bytes")
    return None
