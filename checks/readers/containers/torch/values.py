"""What PyTorch and NumPy put into pickles: tensors and arrays with name, dtype, shape and device, and modules.

Taken from the notes that :mod:`checks.readers.containers.pickles` makes; no storage is read.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from checks.readers.containers.pickles.values import JOBLIB_ARRAYS, Blob, Global, Node, Persistent, Value

MOST_TENSORS = 100_000
_MOST_STEPS = 1_000_000
_MOST_WAITING = 300_000
_LONGEST_NAME = 200
_DEEPEST = 4  # of what wraps a tensor: a parameter of a subclass of a nested one
_MOST_PARTS = 6  # of a sparse tensor
_MOST_DIMENSIONS = 64

# Storage class of PyTorch -> dtype, and the bytes of one number by dtype. UntypedStorage counts bytes.
_STORAGES = {
    "FloatStorage": "float32", "DoubleStorage": "float64", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
    "ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128", "QInt8Storage": "int8", "QUInt8Storage": "uint8", "QInt32Storage": "int32",
    "QUInt4x2Storage": "uint4", "QUInt2x4Storage": "uint2", "UntypedStorage": "uint8",
}  # fmt: skip
_BITS = {"bool": 8, "complex32": 32, "complex64": 64, "complex128": 128, "bfloat16": 16, "uint4": 4, "uint2": 2}
_QUANTIZED = {"QInt8Storage", "QUInt8Storage", "QInt32Storage", "QUInt4x2Storage", "QUInt2x4Storage"}
# Names that stand between a module and its weights, but not in the keys of a state dict.
_SILENT = {"_parameters", "_buffers", "_modules"}
_ARRAYS = {"numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct", "numpy.ndarray"}
_BUFFERS = {"numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer"}


@dataclass(frozen=True, slots=True)
class Storage:
    """The numbers behind one or more tensors. ``size`` in bytes."""

    key: str
    dtype: str
    device: str
    size: int
    is_quantized: bool = False


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor or array. ``kind``: "", "quantized", "sparse", "nested", "meta", "subclass", "array".

    ``offset`` in numbers from the beginning of the storage; ``strides`` in numbers. Both only of plain tensors.
    """

    name: str
    dtype: str | None
    shape: tuple[int, ...] | None
    device: str = ""
    kind: str = ""
    storage: Storage | None = None
    offset: int = 0
    strides: tuple[int, ...] = ()

    @property
    def numbers(self) -> int:
        """How many numbers it is."""
        return math.prod(self.shape) if self.shape is not None else 0

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for two names of the same numbers."""
        if self.storage is None:
            return (self.name,)
        return (self.storage.key, self.offset, self.shape, self.strides)


@dataclass(slots=True)
class Found:
    """What a walk through a value has found. ``modules``: (name, class) of the objects that have weights."""

    tensors: list[Tensor] = field(default_factory=list)
    modules: list[tuple[str, str]] = field(default_factory=list)
    is_whole: bool = True


def find_tensors(root: Value) -> Found:
    """Every tensor and array below a value, in the order of the file, and the modules that own them."""
    found = Found()
    walk = Walk(root)
    for name, value, tensor in walk:
        if tensor is not None:
            found.tensors.append(replace(tensor, name=name))
            if len(found.tensors) >= MOST_TENSORS:
                break
        elif isinstance(value, Node) and is_module(value) and (maker := class_of(value)):
            found.modules.append((name, maker))
    found.is_whole = walk.is_whole
    return found


class Walk:
    """Every part of a value with its dotted name and the tensor that it is; each object once, tensors each time.

    ``is_whole`` is True once everything has been seen. What tensors and arrays are made of is left out.
    """

    def __init__(self, root: Value) -> None:
        self._waiting: list[tuple[str, Value]] = [("", root)]
        self._seen: set[int] = set()
        self._was_cut = False

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return not self._was_cut and not self._waiting

    def __iter__(self) -> Iterator[tuple[str, Value, Tensor | None]]:
        for _ in range(_MOST_STEPS):
            if not self._waiting:
                return
            name, value = self._waiting.pop()
            tensor = tensor_of(value)
            if tensor is not None:
                yield name, value, tensor
                continue
            if id(value) in self._seen:
                continue
            self._seen.add(id(value))
            yield name, value, None
            room = _MOST_WAITING - len(self._waiting)
            below = list(itertools.islice(_parts(value), room))
            self._was_cut = self._was_cut or len(below) == room
            self._waiting.extend((_joined(name, part), element) for part, element in reversed(below))


def storage_of(value: Value) -> Storage | None:
    """The storage that a persistent id of torch.save names."""
    if not isinstance(value, Persistent) or not isinstance(value.id, tuple) or len(value.id) < 5:
        return None
    tag, kind, key, device, count = value.id[:5]
    if tag != "storage" or not isinstance(kind, Global) or not _is_size(count):
        return None
    dtype = _STORAGES.get(kind.name)
    if dtype is None or not isinstance(key, str | int):
        return None
    size = int(count) * bits(dtype) // 8  # type: ignore[arg-type]
    is_quantized = kind.name in _QUANTIZED
    return Storage(str(key), dtype, device if isinstance(device, str) else "", size, is_quantized)


def storages(values: Iterable[Value]) -> dict[str, Storage]:
    """The storages among persistent ids, each once."""
    found = (storage_of(value) for value in values)
    return {facts.key: facts for facts in found if facts is not None}


@functools.lru_cache(maxsize=100)
def bits(dtype: str) -> int:
    """Bits of one number; 0 where the name has no number in it ("string")."""
    if dtype in _BITS:
        return _BITS[dtype]
    digits = "".join(item for item in dtype.partition("_")[0].removeprefix("float").lstrip("uint") if item.isdecimal())
    return int(digits[:4]) if digits else 0


def class_of(node: Node) -> str:
    """The class of an object; before 1.6 torch.save wrote those of modules as a persistent id with their source."""
    maker = node.maker
    if isinstance(maker, Persistent) and isinstance(maker.id, tuple):
        maker = next((part for part in maker.id if isinstance(part, Global)), None)
    return maker.path if isinstance(maker, Global) else ""


def is_module(node: Node) -> bool:
    """Whether a node is an object of a class of modules (torch.nn.Module keeps these two dicts)."""
    state = node.state
    return isinstance(state, Node) and ("_parameters" in state.entries or "_modules" in state.entries)


def is_plain_dict(value: Value) -> bool:
    """Whether a value is a dict or OrderedDict, as a state dict is."""
    if not isinstance(value, Node):
        return False
    return value.kind == "dict" or value.made_by in ("collections.OrderedDict", "collections.defaultdict")


def tensor_of(value: Value, depth: int = _DEEPEST) -> Tensor | None:
    """A tensor or array without its name; None for anything else."""
    if not isinstance(value, Node) or depth == 0:
        return None
    maker, args = value.made_by, value.args
    module, _, function = maker.rpartition(".")
    if module == "torch._utils":
        return _of_torch(function, args, depth - 1)
    if function in ("_rebuild_from_type_v2", "_rebuild_from_type") and module.startswith("torch."):
        return _subclass(args, depth - 1)
    if maker == "torch.nn.parameter.Parameter":
        return tensor_of(args[0], depth - 1) if args else None
    return _of_numpy(value, maker)


def _of_torch(function: str, args: tuple[Value, ...], depth: int) -> Tensor | None:
    if function in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"):
        return _plain(args, args[6] if function.endswith("v3") and len(args) > 6 else None)
    if function in ("_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_buffer"):
        return tensor_of(args[0], depth) if args else None
    if function == "_rebuild_sparse_tensor":
        return _sparse(args, depth)
    if function == "_rebuild_meta_tensor_no_storage":
        return Tensor("", _dtype(_at(args, 0)), _shape(_at(args, 1)), "meta", "meta")
    if function == "_rebuild_nested_tensor":
        inner = tensor_of(_at(args, 0), depth)
        return replace(inner, kind="nested") if inner else None
    if function == "_rebuild_wrapper_subclass":
        return Tensor("", _dtype(_at(args, 1)), _shape(_at(args, 2)), _device(_at(args, 6)), "subclass")
    if function in ("_rebuild_device_tensor_from_numpy", "_rebuild_device_tensor_from_cpu_tensor"):
        inner = tensor_of(_at(args, 0), depth)
        return (
            replace(inner, dtype=_dtype(_at(args, 1)) or inner.dtype, device=_device(_at(args, 2))) if inner else None
        )
    return None


def _plain(args: tuple[Value, ...], dtype: Value) -> Tensor | None:
    storage = storage_of(_at(args, 0)) or _pickled_storage(_at(args, 0))
    if storage is None:
        return None
    offset, shape, strides = _at(args, 1), _shape(_at(args, 2)), _shape(_at(args, 3))
    if isinstance(dtype, Global):  # the storage then counts bytes
        storage = replace(storage, dtype=_dtype(dtype) or storage.dtype)
    return Tensor(
        name="",
        dtype=storage.dtype if storage.dtype != "?" else None,
        shape=shape,
        device=storage.device,
        kind="quantized" if storage.is_quantized else "",
        storage=storage,
        offset=int(offset) if _is_size(offset) else 0,  # type: ignore[arg-type]
        strides=strides or (),
    )


def _pickled_storage(value: Value) -> Storage | None:
    """A storage as pickle itself writes it: a file of torch.save in bytes. Its type stands inside."""
    if not isinstance(value, Node) or value.made_by != "torch.storage._load_from_bytes" or not value.args:
        return None
    data = value.args[0]
    if isinstance(data, Node) and data.made_by == "_codecs.encode" and data.args:
        data = data.args[0]
    if isinstance(data, Blob):
        return Storage(str(data.start), "?", "", data.size)
    return Storage(f"text {id(data)}", "?", "", len(data)) if isinstance(data, str) else None


def _sparse(args: tuple[Value, ...], depth: int) -> Tensor | None:
    """Of a sparse tensor the values are what is stored; its shape is that of the whole."""
    given = _at(args, 1)
    parts = given[:_MOST_PARTS] if isinstance(given, tuple) else ()
    inner = [tensor for part in parts if (tensor := tensor_of(part, depth)) is not None]
    if not inner:
        return None
    return Tensor("", inner[-1].dtype, _size(parts), inner[-1].device, "sparse", inner[-1].storage, inner[-1].offset)


def _size(parts: tuple[Value, ...]) -> tuple[int, ...] | None:
    for part in parts:
        shape = _shape(part)
        if shape is not None:
            return shape
    return None


def _subclass(args: tuple[Value, ...], depth: int) -> Tensor | None:
    """torch._tensor._rebuild_from_type_v2(function, type, arguments, state)."""
    function, inner = _at(args, 0), _at(args, 2)
    if not isinstance(function, Global) or not isinstance(inner, tuple):
        return None
    found = _of_torch(function.name, inner, depth) if function.module == "torch._utils" else None
    return replace(found, kind=found.kind or "subclass") if found else None


def _of_numpy(node: Node, maker: str) -> Tensor | None:
    state = node.state
    if maker in _ARRAYS and isinstance(state, tuple) and len(state) >= 4:
        return _array(state[1], state[2])
    if maker in _BUFFERS and len(node.args) >= 3:
        return _array(node.args[2], node.args[1])
    if maker in JOBLIB_ARRAYS and isinstance(state, Node):
        return _array(state.entries.get("shape"), state.entries.get("dtype"))
    return None


def _array(shape: Value, dtype: Value) -> Tensor | None:
    lengths = _shape(shape)
    return None if lengths is None else Tensor("", numpy_dtype(dtype), lengths, kind="array")


def numpy_dtype(value: Value) -> str | None:
    """The name of a pickled numpy.dtype; "object" where its items are pickles; None where it is not plain."""
    if not isinstance(value, Node) or value.made_by != "numpy.dtype" or not value.args:
        return None
    code = value.args[0]
    return numpy_name(code) if isinstance(code, str) else None


def numpy_name(code: str) -> str | None:
    """The name of a type that NumPy writes as "f4", "<i8", "|b1", "O"."""
    code = code.lstrip("<>=|")
    kind, size = code[:1], code[1:]
    if kind in "OUSV":
        return {"O": "object", "U": "string", "S": "string", "V": "void"}.get(kind)
    if not size.isdecimal() or len(size) > 3:
        return None
    name = {"f": "float", "i": "int", "u": "uint", "c": "complex", "b": "bool", "M": "datetime", "m": "timedelta"}.get(
        kind
    )
    if name is None:
        return None
    return name if name == "bool" else f"{name}{8 * int(size)}"


def _parts(value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, tuple):
        yield from ((str(index), item) for index, item in enumerate(value) if isinstance(item, Node | tuple))
        return
    if not isinstance(value, Node):
        return
    yield from (
        (str(key), inner_value) for key, inner_value in value.entries.items() if isinstance(inner_value, Node | tuple)
    )
    yield from (
        (str(index), element) for index, element in enumerate(value.elements) if isinstance(element, Node | tuple)
    )
    yield from (("", arg) for arg in value.args if isinstance(arg, Node | tuple))
    states = value.state if isinstance(value.state, tuple) else (value.state,)
    yield from (("", state) for state in states if isinstance(state, Node | tuple))


def _joined(name: str, part: str) -> str:
    if not part or part in _SILENT:
        return name
    return (f"{name}.{part}" if name else part)[:_LONGEST_NAME]


def _at(args: tuple[Value, ...], place: int) -> Value:
    return args[place] if place < len(args) else None


def _dtype(value: Value) -> str | None:
    """torch.float32 as "float32"; the types that pack numbers by the type of one of them."""
    if not isinstance(value, Global) or value.module != "torch":
        return None
    return {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}.get(value.name, value.name.removesuffix("_x2"))


def _device(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Node) and value.made_by == "torch.device":
        return ":".join(str(arg) for arg in value.args if isinstance(arg, str | int))
    return ""


def _is_size(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _shape(value: Value) -> tuple[int, ...] | None:
    """A tuple of lengths, also as torch.Size or as TorchScript's list."""
    if isinstance(value, Node) and value.args and value.made_by in ("torch.Size", "torch.jit._pickle.build_intlist"):
        value = value.args[0]
    items = tuple(value.elements) if isinstance(value, Node) and value.kind == "list" else value
    if not isinstance(items, tuple) or len(items) > _MOST_DIMENSIONS or not all(map(_is_size, items)):
        return None
    return items  # type: ignore[return-value]
