"""Archives and arrays that hold a pickle, or are one under another name, which runs when they are loaded."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator

from support.hostile.assembler import EVIL, SHELL, Hostile, call, name, value
from support.hostile.opcode_tricks import EVIL_TORCH


def model_files() -> Iterator[Hostile]:
    """All of them."""
    for make in (_compressed, _archives, _extensions, _numpy, _joblib):
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
        b"\x06\x00\x01\x09"
        + number(len(content))
        + b"\x00"
        + b"\x07\x0b\x01\x00\x01\x01\x00\x0c"
        + number(len(content))
        + b"\x00"
        + b"\x08\x0a\x01"
        + struct.pack("<I", zlib.crc32(content))
        + b"\x00\x00"
        + b"\x05\x01\x11"
        + number(len(encoded) + 1)
        + b"\x00"
        + encoded
        + b"\x00\x00"
    )
    start = struct.pack("<QQI", len(content), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\x00\x04" + struct.pack("<I", zlib.crc32(start)) + start + content + header


def _extensions() -> Iterator[Hostile]:
    for file in (
        "weights.bin",
        "weights.safetensors",
        "model.onnx",
        "model.gguf",
        "model.h5",
        "model.keras",
        "model.txt",
        "model.json",
        "model.npy",
        "model.jpg",
        "model.ckpt",
        "model.dat",
        "model.sav",
        "model.tflite",
        "model",
        "MODEL.PKL",
        "tokenizer.model",
        "model.pt",
        "model.zip",
    ):
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
    yield Hostile(
        trick,
        "npz, many before it",
        zipped(*((f"w{index}.npy", numbers) for index in range(300)), ("x.npy", array)),
        "a.npz",
        "numpy",
        needs,
    )
    yield Hostile(
        trick,
        "npz, many of objects",
        zipped(*((f"w{index}.npy", _npy(objects, pickle.dumps([1]))) for index in range(60)), ("x.npy", array)),
        "a.npz",
        "numpy",
        needs,
    )
    yield Hostile(
        trick,
        "npz, something else within",
        zipped(("w.npy", numbers), ("readme.txt", b"x"), ("x.npy", array)),
        "a.npz",
        "numpy",
        needs,
    )


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
        yield Hostile(
            trick,
            f"objects in {ending}",
            pack(b"\x80\x04" + _joblib_array("O") + EVIL + b"."),
            f"a.joblib.{ending}",
            "joblib",
            needs,
        )
    yield Hostile(
        trick,
        "the old wrapper",
        b"\x80\x04" + call("joblib.numpy_pickle:load", call("io:BytesIO", EVIL)) + b".",
        "a.joblib",
        "joblib",
        needs,
    )
