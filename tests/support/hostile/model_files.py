"""Model files and archives that hold a pickle, or code, which runs when they are loaded."""

from __future__ import annotations

import base64
import bz2
import functools
import gzip
import io
import json
import lzma
import marshal
import os
import pickle
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from support.hostile.assembler import EVIL, MARK, PYTHON, SHELL, Hostile, call, name, stream, value
from support.hostile.opcode_tricks import EVIL_TORCH

_EVIL_2 = EVIL.replace(b"\x80\x04", b"\x80\x02", 1)
_HARMLESS = pickle.dumps({"weight": [1.0, 2.0]}, 2)
_MAGIC = pickle.dumps(0x1950A86A20F9469CFC6C, 2)
_PROTOCOL = pickle.dumps(1001, 2)
_SYSTEM_INFO = pickle.dumps(
    {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}, 2
)


def model_files() -> Iterator[Hostile]:
    """All of them."""
    for make in (
        _compressed,
        _archives,
        _extensions,
        _numpy,
        _joblib,
        _torch_zip,
        _torch_legacy,
        _torchscript,
        _exported,
        _keras,
    ):
        yield from make()


class _Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (SHELL,)


def _compressed() -> Iterator[Hostile]:
    for ending, packed in (
        ("gz", gzip.compress(EVIL)),
        ("bz2", bz2.compress(EVIL)),
        ("xz", lzma.compress(EVIL)),
        ("lzma", lzma.compress(EVIL, lzma.FORMAT_ALONE)),
        ("z", zlib.compress(EVIL)),
        ("pkl", gzip.compress(EVIL)),
    ):
        yield Hostile("compressed", f"{ending}", packed, f"model.pkl.{ending}", "packed")
    yield Hostile("compressed", "twice", gzip.compress(gzip.compress(EVIL)), "model.pkl.gz", "packed")
    yield Hostile("compressed", "joblib zlib", zlib.compress(EVIL), "model.joblib", "joblib", ("joblib",))
    yield Hostile("compressed", "an unusual window", _zlib_of(EVIL, 9), "model.pkl", "packed")


def _zlib_of(data: bytes, window: int) -> bytes:
    machine = zlib.compressobj(9, zlib.DEFLATED, window)
    return machine.compress(data) + machine.flush()


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip archive; of a name that comes twice both."""
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", method) as archive:
        warnings.simplefilter("ignore")
        for member, content in members:
            archive.writestr(member, content)
    return made.getvalue()


def tarred(*members: tuple[str, bytes], mode: str = "w") -> bytes:
    """A tar archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for member, content in members:
            info = tarfile.TarInfo(member)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def _archives() -> Iterator[Hostile]:
    trick = "archives"
    plain = ("model.pkl", EVIL)
    yield Hostile(trick, "zip", zipped(plain), "models.zip", "packed")
    yield Hostile(trick, "zip, deflated", zipped(plain, method=zipfile.ZIP_DEFLATED), "models.zip", "packed")
    yield Hostile(trick, "zip, in a folder", zipped(("a/b/c.pkl", EVIL)), "models.zip", "packed")
    yield Hostile(trick, "zip, without an ending", zipped(("a/weights", EVIL)), "models.zip", "packed")
    yield Hostile(trick, "zip in zip", zipped(("inner.zip", zipped(plain))), "models.zip", "packed")
    yield Hostile(trick, "zip in zip without an ending", zipped(("inner", zipped(plain))), "models.zip", "packed")
    yield Hostile(trick, "zip under another name", zipped(plain), "models.bin", "packed")
    yield Hostile(trick, "zip behind rubbish", b"#!/bin/sh\nexit\n" + zipped(plain), "models.zip", "packed")
    yield Hostile(trick, "tar in a folder", tarred(("a/model.bin", EVIL)), "models.tar", "packed")
    yield Hostile(trick, "tar.gz", tarred(plain, mode="w:gz"), "models.tar.gz", "packed")
    yield Hostile(trick, "tar.bz2", tarred(plain, mode="w:bz2"), "models.tar.bz2", "packed")
    yield Hostile(trick, "tar.xz", tarred(plain, mode="w:xz"), "models.tar.xz", "packed")
    yield Hostile(trick, "gz in zip", zipped(("a.pkl.gz", gzip.compress(EVIL))), "models.zip", "packed")
    yield Hostile(trick, "zip in tar", tarred(("a.zip", zipped(plain))), "models.tar", "packed")
    for label, packed in (("7z", plain), ("7z, no ending", ("weights", EVIL))):
        if (seven := _seven_zip(*packed)) is not None:
            yield Hostile(trick, label, seven, "models.7z", "packed", ("py7zr",))


def _seven_zip(member: str, content: bytes) -> bytes | None:
    """A 7z archive whose one member is stored as it is: signature, header, the bytes, and where they lie."""

    def number(count: int) -> bytes:
        return bytes([count]) if count < 0x80 else bytes([0x80 | count >> 8, count & 0xFF])

    encoded = (member + "\0").encode("utf-16-le")
    header = (
        b"\x01\x04"  # the streams
        + b"\x06\x00\x01\x09" + number(len(content)) + b"\x00"
        + b"\x07\x0b\x01\x00\x01\x01\x00\x0c" + number(len(content)) + b"\x00"
        + b"\x08\x0a\x01" + struct.pack("<I", zlib.crc32(content)) + b"\x00\x00"
        + b"\x05\x01\x11" + number(len(encoded) + 1) + b"\x00" + encoded + b"\x00\x00"
    )  # fmt: skip
    start = struct.pack("<QQI", len(content), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\x00\x04" + struct.pack("<I", zlib.crc32(start)) + start + content + header


def _extensions() -> Iterator[Hostile]:
    for file in (
        "weights.bin", "weights.safetensors", "model.onnx", "model.gguf", "model.h5", "model.keras", "model.txt", "model.json", "model.npy",
        "model.jpg", "model.ckpt", "model.dat", "model.sav", "model.tflite", "model", "MODEL.PKL", "tokenizer.model", "model.pt", "model.zip",
    ):  # fmt: skip
        yield Hostile("wrong extension", file, EVIL, file)
    for file in ("model.onnx", "weights.gguf", "model.pkl", "data", "model.png"):
        yield Hostile("wrong extension", f"{file}, torch", EVIL_TORCH, file, "torch", ("torch",))


def _npy(header: str, content: bytes, version: int = 1) -> bytes:
    width = "<H" if version == 1 else "<I"
    line = header.encode() + b" " * (-(len(header) + 9 + struct.calcsize(width)) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(line)) + line + content


def _numpy() -> Iterator[Hostile]:
    trick, needs = "NumPy's files", ("numpy",)
    objects = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    numbers = _npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", b"\1")
    array = _npy(objects, EVIL)
    yield Hostile(trick, "objects", array, "a.npy", "numpy", needs)
    yield Hostile(trick, "objects, version 2", _npy(objects, EVIL, 2), "a.npy", "numpy", needs)
    yield Hostile(trick, "objects, version 3", _npy(objects, EVIL, 3), "a.npy", "numpy", needs)
    yield Hostile(
        trick, "objects of another byte order", _npy(objects.replace("|O", ">O"), EVIL), "a.npy", "numpy", needs
    )
    yield Hostile(
        trick,
        "objects in a field",
        _npy(objects.replace("'|O'", "[('a', '<f4'), ('b', '|O')]"), EVIL),
        "a.npy",
        "numpy",
        needs,
    )
    yield Hostile(trick, "double quotes", _npy(objects.replace("'", '"'), EVIL), "a.npy", "numpy", needs)
    yield Hostile(trick, "an escape", _npy(objects.replace("|O", "|\\x4f"), EVIL), "a.npy", "numpy", needs)
    yield Hostile(
        trick,
        "the key twice",
        _npy("{'descr': '|u1', 'descr': '|O', 'fortran_order': False, 'shape': (1,), }", EVIL),
        "a.npy",
        "numpy",
        needs,
    )
    yield Hostile(
        trick,
        "other order",
        _npy("{'shape': (1,), 'fortran_order': True, 'descr': 'O', }", EVIL),
        "a.npy",
        "numpy",
        needs,
    )
    yield Hostile(trick, "under another name", array, "weights.dat", "numpy", needs)
    yield Hostile(trick, "a pickle in its place", EVIL, "a.npy", "numpy", needs)
    yield Hostile(trick, "npz", zipped(("w.npy", numbers), ("x.npy", array)), "a.npz", "numpy", needs)
    yield Hostile(
        trick, "npz, deflated", zipped(("x.npy", array), method=zipfile.ZIP_DEFLATED), "a.npz", "numpy", needs
    )
    yield Hostile(trick, "npz, without an ending", zipped(("x", array)), "a.npz", "numpy", needs)
    yield Hostile(
        trick, "npz, the same name twice", zipped(("x.npy", numbers), ("x.npy", array)), "a.npz", "numpy", needs
    )
    yield Hostile(trick, "npz, many before it", zipped(*((f"w{index}.npy", numbers) for index in range(300)), ("x.npy", array)), "a.npz", "numpy", needs)  # fmt: skip
    yield Hostile(trick, "npz, many of objects", zipped(*((f"w{index}.npy", _npy(objects, pickle.dumps([1]))) for index in range(60)), ("x.npy", array)), "a.npz", "numpy", needs)  # fmt: skip
    yield Hostile(trick, "npz, something else within", zipped(("w.npy", numbers), ("readme.txt", b"x"), ("x.npy", array)), "a.npz", "numpy", needs)  # fmt: skip


def _joblib_array(dtype: str) -> bytes:
    """What joblib writes before an array, without its bytes."""
    state = {
        "subclass": name("numpy", "ndarray"),
        "shape": (1,),
        "order": "C",
        "dtype": call("numpy:dtype", dtype, False, True),
        "allow_mmap": False,
    }
    return name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")\x81" + value(state) + b"b"


def _joblib() -> Iterator[Hostile]:
    trick, needs = "joblib's files", ("joblib", "numpy")
    yield Hostile(trick, "plain", EVIL, "a.joblib", "joblib", needs)
    yield Hostile(
        trick, "an array of objects", b"\x80\x04" + _joblib_array("O") + EVIL + b".", "a.joblib", "joblib", needs
    )
    yield Hostile(
        trick,
        "behind an array",
        b"\x80\x04]" + _joblib_array("u1") + b"\1a" + EVIL[2:-1] + b"a.",
        "a.joblib",
        "joblib",
        needs,
    )
    yield Hostile(
        trick, "in the bytes of an array", b"\x80\x04" + _joblib_array("O8") + EVIL + b".", "a.pkl", "joblib", needs
    )
    for ending, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("z", zlib.compress)):
        yield Hostile(trick, f"objects in {ending}", pack(b"\x80\x04" + _joblib_array("O") + EVIL + b"."), f"a.joblib.{ending}", "joblib", needs)  # fmt: skip
    yield Hostile(
        trick,
        "the old wrapper",
        b"\x80\x04" + call("joblib.numpy_pickle:load", call("io:BytesIO", EVIL)) + b".",
        "a.joblib",
        "joblib",
        needs,
    )


def _archive_of_torch(data: bytes, root: str = "archive", *more: tuple[str, bytes]) -> bytes:
    return zipped((f"{root}/data.pkl", data), (f"{root}/byteorder", b"little"), (f"{root}/version", b"3\n"), *more)


def _patched(archive: bytes, flag: int) -> bytes:
    """Another flag in each of the headers of a zip archive."""
    changed = bytearray(archive)
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = changed.find(signature)
        while place >= 0:
            changed[place + offset] |= flag
            place = changed.find(signature, place + 4)
    return bytes(changed)


def _torch_zip() -> Iterator[Hostile]:
    trick, needs = "torch.save archives", ("torch",)
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" + b"0X\3\0\0\0cpuK\1tQK\0K\1\x85K\1\x85\x89ccollections\nOrderedDict\n)RtR"  # fmt: skip
    among = b"\x80\x02}(X\1\0\0\0w" + tensor + b"X\1\0\0\0x" + EVIL[2:-1] + b"u."
    weights = ("archive/data/0", struct.pack("<f", 1.0))
    for file in ("model.pt", "model.pth", "model.bin", "model.ckpt", "model.h5", "model"):
        yield Hostile(
            trick, f"among weights, {file}", _archive_of_torch(among, "archive", weights), file, "torch", needs
        )
    yield Hostile(trick, "another folder", _archive_of_torch(_EVIL_2, "x y"), "a.pt", "torch", needs)
    yield Hostile(trick, "data.pkl twice", zipped(("archive/data.pkl", _HARMLESS), ("archive/version", b"3\n"), ("archive/data.pkl", _EVIL_2)), "a.pt", "torch", needs)  # fmt: skip
    yield Hostile(trick, "deflated", zipped(("archive/data.pkl", _EVIL_2), ("archive/version", b"3\n"), method=zipfile.ZIP_DEFLATED), "a.pt", "torch", needs)  # fmt: skip
    good = _archive_of_torch(_EVIL_2)
    crc = struct.pack("<I", zlib.crc32(_EVIL_2))
    yield Hostile(trick, "a wrong checksum", good.replace(crc, b"\1\2\3\4"), "a.pt", "torch", needs)
    place = good.find(b"archive/data.pkl")
    yield Hostile(trick, "another name in the local header", good[:place] + b"archive/note.txt" + good[place + 16 :], "a.pt", "torch", needs)  # fmt: skip
    yield Hostile(trick, "protocol 4", _archive_of_torch(EVIL), "a.pt", "torch", needs)
    yield Hostile(trick, "rubbish behind", good + b"x" * 100, "a.pt", "torch", needs)
    inner = b"\x80\x02" + call("torch.storage:_load_from_bytes", EVIL_TORCH) + b"."
    yield Hostile(trick, "a load within a load", _archive_of_torch(inner), "a.pt", "torch", needs)
    thrice = b"\x80\x02" + call("torch.storage:_load_from_bytes", _archive_of_torch(inner)) + b"."
    yield Hostile(trick, "three loads within each other", _archive_of_torch(thrice), "a.pt", "torch", needs)
    yield Hostile(trick, "torch.load of a file within", _archive_of_torch(stream(call("torch.serialization:_legacy_load", call("io:BytesIO", _MAGIC + _PROTOCOL + _SYSTEM_INFO + _EVIL_2), None, name("torch.serialization", "pickle")), protocol=2)), "a.pt", "torch", needs)  # fmt: skip
    yield Hostile(trick, "in a persistent id", _archive_of_torch(b"\x80\x02(" + value("storage") + EVIL[2:-1] + b"tQ."), "a.pt", "torch", needs)  # fmt: skip


def _torch_legacy() -> Iterator[Hostile]:
    trick, needs = "torch.save before 1.6", ("torch",)
    keys = pickle.dumps([], 2)
    rows = [_MAGIC, _PROTOCOL, _SYSTEM_INFO, _HARMLESS, keys]
    for label, place in (("the object", 3), ("the keys", 4), ("the system's types", 2), ("the protocol", 1)):
        changed = [*rows]
        changed[place] = _EVIL_2 if place != 1 else b"\x80\x02" + EVIL[2:-1] + b"0M\xe9\3."
        yield Hostile(trick, label, b"".join(changed), "a.pt", "torch", needs)
    evil_magic = b"\x80\x02" + EVIL[2:-1] + b"0" + _MAGIC[2:]
    yield Hostile(trick, "the magic number", b"".join([evil_magic, *rows[1:]]), "a.pt", "torch", needs)
    computed = (
        b"\x80\x02" + call("builtins:int", str(0x1950A86A20F9469CFC6C)).replace(b"cbuiltins", b"c__builtin__") + b"."
    )
    yield Hostile(
        trick,
        "a computed magic number",
        b"".join([computed, _PROTOCOL, _SYSTEM_INFO, _EVIL_2, keys]),
        "a.pt",
        "torch",
        needs,
    )
    halves = 0x1950A86A20F9469CFC6C
    sum_of = b"\x80\x02" + name("operator", "add") + b"(" + _long(halves - 5) + b"K\5tR."
    yield Hostile(
        trick,
        "a magic number that is a sum",
        b"".join([sum_of, _PROTOCOL, _SYSTEM_INFO, _EVIL_2, keys]),
        "a.bin",
        "torch",
        needs,
    )
    yield Hostile(trick, "magic number as a line", b"".join([b"L" + str(halves).encode() + b"L\n.", _PROTOCOL, _SYSTEM_INFO, _EVIL_2, keys]), "a.pt", "torch", needs)  # fmt: skip
    yield Hostile(
        trick, "cut behind the object", b"".join([_MAGIC, _PROTOCOL, _SYSTEM_INFO, _EVIL_2]), "a.pt", "torch", needs
    )
    yield Hostile(
        trick,
        "cut within the object",
        b"".join([_MAGIC, _PROTOCOL, _SYSTEM_INFO, _EVIL_2[:-1]]),
        "a.pt",
        "torch",
        needs,
    )
    yield Hostile(trick, "a module's source", b"".join([_MAGIC, _PROTOCOL, _SYSTEM_INFO, b"\x80\x02(" + value("module") + EVIL[2:-1] + value("a.py") + value("x") + b"tQ.", keys]), "a.pt", "torch", needs)  # fmt: skip
    yield Hostile(trick, "tar, in the storages", tarred(("sys_info", pickle.dumps({}, 2)), ("pickle", _HARMLESS), ("storages", _EVIL_2), ("tensors", pickle.dumps(0, 2))), "a.pt", "torch", needs)  # fmt: skip


def _long(number: int) -> bytes:
    encoded = number.to_bytes(10, "little", signed=True)
    return b"\x8a\x0a" + encoded


@functools.cache
def _scripted() -> bytes | None:
    """A TorchScript module that writes a file while it is loaded: its __setstate__ is code of the file."""
    try:
        import torch
    except ImportError:
        return None
    made = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(_script_class()()), made)
    return made.getvalue()


def _script_class() -> Any:
    import torch
    from support.hostile.script_module import Saving

    return Saving if torch is not None else None


def _torchscript() -> Iterator[Hostile]:
    made = _scripted()
    if made is not None:
        yield Hostile("TorchScript", "saves while it is loaded", made, "a.pt", "torch-jit", ("torch",))


@functools.cache
def _program() -> bytes | None:
    try:
        import torch
    except ImportError:
        return None
    made = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(torch.nn.Linear(1, 1), (torch.ones(1, 1),))
        torch.export.save(exported, made)
    return made.getvalue()


def _replaced(archive: bytes, wanted: str, content: bytes) -> bytes | None:
    """The archive with another content of the members whose name holds a text."""
    source = zipfile.ZipFile(io.BytesIO(archive))
    members = [(each, content if wanted in each else source.read(each)) for each in source.namelist()]
    return zipped(*members) if any(wanted in each for each, _ in members) else None


def _exported() -> Iterator[Hostile]:
    made = _program()
    if made is None:
        return
    for wanted in ("sample_inputs",):
        changed = _replaced(made, wanted, EVIL_TORCH)
        if changed is not None:
            yield Hostile("exported programs", wanted, changed, "a.pt2", "torch-export", ("torch",))


def keras_lambda(code: str) -> bytes:
    """A .keras file with one Lambda layer of this body, marshalled for the Python that runs this."""
    body = compile(f"lambda x: ({code}, x)[1]", "x", "eval").co_consts[0]
    function = {"class_name": "__lambda__", "config": {"code": base64.b64encode(marshal.dumps(body)).decode(), "defaults": None, "closure": None}}  # fmt: skip
    layers = [
        {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, 1], "dtype": "float32", "name": "a"}, "registered_name": None},
        {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "l", "trainable": True, "dtype": "float32", "function": function, "arguments": {}, "output_shape": [1]}, "registered_name": None},
    ]  # fmt: skip
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": layers}, "registered_name": None, "build_config": {"input_shape": [None, 1]}}  # fmt: skip
    return zipped(
        ("metadata.json", json.dumps({"keras_version": "3.15.0", "date_saved": "2026-11-22@00:00:00"}).encode()),
        ("config.json", json.dumps(config).encode()),
        ("model.weights.npz", zipped()),
    )


def _keras() -> Iterator[Hostile]:
    yield Hostile("Keras", "Lambda", keras_lambda(PYTHON), "a.keras", "keras", ("keras",))
