"""Weights of files that were cut or changed: nothing but damage comes out, whatever the bytes."""

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mangled import MemoryFolder, cuts, mangled

from checks.readers import weights
from checks.readers.containers.joined import joined
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[2] / "recordings" / "models"
# A model of each format that has weights of its own; of folders all files, else those that belong to it.
MODELS = (
    "onnx/made/external.onnx",
    "safetensors/made/types.safetensors",
    "torch-zip/made/kinds.pt",
    "tflite/made/int8.tflite",
    "npz/made/arrays.npz",
    "gguf/made/quantized.gguf",
    "keras-h5/made/small-2.4.h5",
    "keras-zip/made/int8-3.15.keras",
    "openvino-ir/made/u4.xml",
    "tf-checkpoint/made/sharded.ckpt.index",
    "savedmodel/made/keras2.4",
    "tfjs/made/uint8/model.json",
    "coreml-mlmodel/made/nn8.mlmodel",
    "coreml-mlpackage/made/pal4.mlpackage",
)


def files_of(name: str) -> tuple[str, dict[str, bytes]]:
    """The format of a model, and its files, itself first."""
    path = RECORDED / name
    model = read_model(path)
    if path.is_dir():
        inner = (each for each in sorted(path.rglob("*")) if each.is_file())
        return model.format or "", {each.relative_to(path).as_posix(): each.read_bytes() for each in inner}
    beside = [path.parent / file.name for file in model.needs.files or () if file.present]
    return model.format or "", {each.name: each.read_bytes() for each in (path, *beside)}


FILES = {name: files_of(name) for name in MODELS}


def numbers_of(format_id: str, files: dict[str, bytes]) -> int:
    """How many numbers are found, after some of each tensor were read."""
    module = importlib.import_module(f"{weights.__name__}.{weights.MODULES[format_id]}")
    folder, main = MemoryFolder(files), next(iter(files))
    with contextlib.ExitStack() as open_files:
        if format_id in weights.FOLDERS:
            found = module.tensors_of_folder(folder, open_files)
        else:
            found = module.tensors(of_bytes(files[main], main), folder, open_files)
        tensors = weights.gathered(found).tensors.values()
        for tensor in list(tensors)[:50]:
            assert tensor.digest
            if tensor.can_decode:
                tensor.numbers(0, min(tensor.count, 4096))
        return sum(tensor.count for tensor in tensors)


def broken(name: str) -> Iterator[dict[str, bytes]]:
    """The model with each of its files cut at every twentieth."""
    for file, data in FILES[name][1].items():
        for part in cuts(data):
            yield {**FILES[name][1], file: part}


@pytest.mark.parametrize("name", MODELS)
def test_cut_files(name: str) -> None:
    format_id, files = FILES[name]
    assert numbers_of(format_id, files) > 0
    for each in broken(name):
        with contextlib.suppress(Damaged):
            numbers_of(format_id, each)


@given(st.data())
def test_changed_files(data: st.DataObject) -> None:
    format_id, files = FILES[data.draw(st.sampled_from(MODELS))]
    file = data.draw(st.sampled_from(sorted(files)))
    with contextlib.suppress(Damaged):
        numbers_of(format_id, {**files, file: data.draw(mangled(files[file]))})


def test_shards_as_one() -> None:
    whole = joined([of_bytes(b"abc"), of_bytes(b""), of_bytes(b"defg"), of_bytes(b"h")], "shards")
    for start in range(9):
        for end in range(start, 9):
            assert whole.read(start, end - start, ahead=0) == b"abcdefgh"[start:end]
    with pytest.raises(Damaged):
        whole.read(0, 9)
