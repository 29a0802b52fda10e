"""Files of PyTorch and Keras that hold a pickle, or code, which runs when they are loaded."""

from __future__ import annotations

import base64
import functools
import io
import json
import marshal
import pickle
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator

from support.hostile.assembler import EVIL, PYTHON, Hostile, call, name, stream, value
from support.hostile.model_files import tarred, zipped
from support.hostile.opcode_tricks import EVIL_TORCH

_EVIL_2 = EVIL.replace(b"\x80\x04", b"\x80\x02", 1)
_HARMLESS = pickle.dumps({"weight": [1.0, 2.0]}, 2)
_MAGIC = pickle.dumps(0x1950A86A20F9469CFC6C, 2)
_PROTOCOL = pickle.dumps(1001, 2)
_SYSTEM_INFO = pickle.dumps(
    {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}, 2
)


@functools.cache  # to export a program takes seconds
def torch_files() -> tuple[Hostile, ...]:
    """All of them."""
    return tuple(sample for make in (_torch_zip, _torch_legacy, _torchscript, _exported, _keras) for sample in make())


def _archive_of_torch(data: bytes, root: str = "archive", *more: tuple[str, bytes]) -> bytes:
    return zipped((f"{root}/data.pkl", data), (f"{root}/byteorder", b"little"), (f"{root}/version", b"3\n"), *more)


def _torch_zip() -> Iterator[Hostile]:
    trick, needs = "torch.save archives", ("torch",)
    tensor = (
        b"ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
        b"0X\3\0\0\0cpuK\1tQK\0K\1\x85K\1\x85\x89ccollections\nOrderedDict\n)RtR"
    )
    among = b"\x80\x02}(X\1\0\0\0w" + tensor + b"X\1\0\0\0x" + EVIL[2:-1] + b"u."
    weights = ("archive/data/0", struct.pack("<f", 1.0))
    for file in ("model.pt", "model.pth", "model.bin", "model.ckpt", "model.h5", "model"):
        yield Hostile(
            trick, f"among weights, {file}", _archive_of_torch(among, "archive", weights), file, "torch", needs
        )
    yield Hostile(trick, "another folder", _archive_of_torch(_EVIL_2, "x y"), "a.pt", "torch", needs)
    yield Hostile(
        trick,
        "data.pkl twice",
        zipped(("archive/data.pkl", _HARMLESS), ("archive/version", b"3\n"), ("archive/data.pkl", _EVIL_2)),
        "a.pt",
        "torch",
        needs,
    )
    yield Hostile(
        trick,
        "deflated",
        zipped(("archive/data.pkl", _EVIL_2), ("archive/version", b"3\n"), method=zipfile.ZIP_DEFLATED),
        "a.pt",
        "torch",
        needs,
    )
    good = _archive_of_torch(_EVIL_2)
    crc = struct.pack("<I", zlib.crc32(_EVIL_2))
    yield Hostile(trick, "a wrong checksum", good.replace(crc, b"\1\2\3\4"), "a.pt", "torch", needs)
    place = good.find(b"archive/data.pkl")
    yield Hostile(
        trick,
        "another name in the local header",
        good[:place] + b"archive/note.txt" + good[place + 16 :],
        "a.pt",
        "torch",
        needs,
    )
    yield Hostile(trick, "protocol 4", _archive_of_torch(EVIL), "a.pt", "torch", needs)
    yield Hostile(trick, "rubbish behind", good + b"x" * 100, "a.pt", "torch", needs)
    inner = b"\x80\x02" + call("torch.storage:_load_from_bytes", EVIL_TORCH) + b"."
    yield Hostile(trick, "a load within a load", _archive_of_torch(inner), "a.pt", "torch", needs)
    thrice = b"\x80\x02" + call("torch.storage:_load_from_bytes", _archive_of_torch(inner)) + b"."
    yield Hostile(trick, "three loads within each other", _archive_of_torch(thrice), "a.pt", "torch", needs)
    yield Hostile(
        trick,
        "torch.load of a file within",
        _archive_of_torch(
            stream(
                call(
                    "torch.serialization:_legacy_load",
                    call("io:BytesIO", _MAGIC + _PROTOCOL + _SYSTEM_INFO + _EVIL_2),
                    None,
                    name("torch.serialization", "pickle"),
                ),
                protocol=2,
            )
        ),
        "a.pt",
        "torch",
        needs,
    )
    yield Hostile(
        trick,
        "in a persistent id",
        _archive_of_torch(b"\x80\x02(" + value("storage") + EVIL[2:-1] + b"tQ."),
        "a.pt",
        "torch",
        needs,
    )


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
    yield Hostile(
        trick,
        "magic number as a line",
        b"".join([b"L" + str(halves).encode() + b"L\n.", _PROTOCOL, _SYSTEM_INFO, _EVIL_2, keys]),
        "a.pt",
        "torch",
        needs,
    )
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
    yield Hostile(
        trick,
        "a module's source",
        b"".join(
            [
                _MAGIC,
                _PROTOCOL,
                _SYSTEM_INFO,
                b"\x80\x02(" + value("module") + EVIL[2:-1] + value("a.py") + value("x") + b"tQ.",
                keys,
            ]
        ),
        "a.pt",
        "torch",
        needs,
    )
    yield Hostile(
        trick,
        "tar, in the storages",
        tarred(
            ("sys_info", pickle.dumps({}, 2)),
            ("pickle", _HARMLESS),
            ("storages", _EVIL_2),
            ("tensors", pickle.dumps(0, 2)),
        ),
        "a.pt",
        "torch",
        needs,
    )


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
    from support.hostile.script_module import Saving

    made = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(Saving()), made)
    return made.getvalue()


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
    function = {
        "class_name": "__lambda__",
        "config": {"code": base64.b64encode(marshal.dumps(body)).decode(), "defaults": None, "closure": None},
    }
    layers = [
        {
            "module": "keras.layers",
            "class_name": "InputLayer",
            "config": {"batch_shape": [None, 1], "dtype": "float32", "name": "a"},
            "registered_name": None,
        },
        {
            "module": "keras.layers",
            "class_name": "Lambda",
            "config": {
                "name": "l",
                "trainable": True,
                "dtype": "float32",
                "function": function,
                "arguments": {},
                "output_shape": [1],
            },
            "registered_name": None,
        },
    ]
    config = {
        "module": "keras",
        "class_name": "Sequential",
        "config": {"name": "s", "layers": layers},
        "registered_name": None,
        "build_config": {"input_shape": [None, 1]},
    }
    return zipped(
        ("metadata.json", json.dumps({"keras_version": "3.15.0", "date_saved": "2026-11-22@00:00:00"}).encode()),
        ("config.json", json.dumps(config).encode()),
        ("model.weights.npz", zipped()),
    )


def _keras() -> Iterator[Hostile]:
    yield Hostile("Keras", "Lambda", keras_lambda(PYTHON), "a.keras", "keras", ("keras",))
