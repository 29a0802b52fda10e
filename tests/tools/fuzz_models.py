"""Feed a reader of model files with mutated files, guided by coverage: nothing but ``Damaged`` may come out of it.

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install -e . atheris
    /tmp/fuzz/bin/python tests/tools/fuzz_models.py onnx -runs=100000
    /tmp/fuzz/bin/python tests/tools/fuzz_models.py --list

Atheris (libFuzzer for Python) is no dependency of the tests: CI runs the short hypothesis tests beside each reader.
Seeds are the recorded files of tests/recordings/models. Of a folder or archive one file is mutated at a time, the
others stay; "weights.FORMAT" reads the weights of models, whose files are mutated one at a time too. The limits are
libFuzzer's: 10 seconds for one input, 1 GiB of memory for everything together.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import atheris

SEEDS = Path(__file__).parents[1] / "recordings" / "models"
LARGEST_SEED = 1 << 20
LIMITS = ("-timeout=10", "-rss_limit_mb=1024", "-max_len=131072", "-print_final_stats=1", "-close_fd_mask=0")

with atheris.instrument_imports(include=["checks.readers"]):
    from checks.facts import ModelFacts
    from checks.readers import weights
    from checks.readers.containers.folder import ZipFolder
    from checks.readers.containers.source import Damaged, Source, of_bytes
    from checks.readers.models import read_model
    from checks.readers.models.registry import ArchiveReader, FileReader, Reader, all_readers


class MemoryFolder:
    """A folder of bytes."""

    def __init__(self, files: dict[str, bytes], name: str = "folder") -> None:
        self._files = files
        self.name = name
        self.names = tuple(sorted(files))

    def size_of(self, name: str) -> int | None:
        data = self._files.get(name)
        return None if data is None else len(data)

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Source]:
        if name not in self._files:
            raise Damaged("missing-part", name)
        yield of_bytes(self._files[name], name)


@dataclass(frozen=True)
class WeightsReader:
    """Reads the weights of the models of a format."""

    format: str

    def read(self, files: dict[str, bytes]) -> None:
        """Every name, place and type, and the numbers of some. The first of the files is the model itself."""
        with atheris.instrument_imports(include=["checks.readers"]):
            module = importlib.import_module(f"{weights.__name__}.{weights.MODULES[self.format]}")
        folder, main = MemoryFolder(files), next(iter(files))
        with contextlib.ExitStack() as open_files:
            if self.format in weights.FOLDERS:
                found = module.tensors_of_folder(folder, open_files)
            else:
                found = module.tensors(of_bytes(files[main], main), folder, open_files)
            for tensor in itertools.islice(weights.gathered(found).tensors.values(), 64):
                assert tensor.digest
                if tensor.can_decode:
                    tensor.numbers(0, min(tensor.count, 1 << 16))


def readers() -> dict[str, Reader | WeightsReader]:
    """Every reader by the module and function that it is, and those of weights."""
    found = {
        f"{reader.gather.__module__.rpartition('.')[2]}.{reader.gather.__name__}": reader for reader in all_readers()
    }
    return {**found, **{f"weights.{name}": WeightsReader(name) for name in weights.MODULES}}


def weights_seeds(reader: WeightsReader) -> list[tuple[str, dict[str, bytes]]]:
    """Recorded models of the format with the files that belong to them, each of which is mutated in turn."""
    found: list[tuple[str, dict[str, bytes]]] = []
    for path in sorted(SEEDS.rglob("*")):
        is_folder = reader.format in weights.FOLDERS
        if path.is_dir() != is_folder or (path.is_file() and path.stat().st_size > LARGEST_SEED):
            continue
        model = read_model(path)
        if model.format != reader.format or model.path != str(path):
            continue
        if is_folder:
            files = _members(path, is_archive=False)
        else:
            beside = [path.parent / each.name for each in model.needs.files or () if each.present]
            files = {file.relative_to(path.parent).as_posix(): file.read_bytes() for file in (path, *beside)}
        found += [(name, files) for name in files]
    return found


def seeds_of(reader: Reader | WeightsReader) -> list[tuple[str, dict[str, bytes]]]:
    """Recorded models that the reader takes for its own, as (name of the file to mutate, all files of the model)."""
    if isinstance(reader, WeightsReader):
        return weights_seeds(reader)
    found: list[tuple[str, dict[str, bytes]]] = []
    for path in sorted(SEEDS.rglob("*")) if SEEDS.is_dir() else []:
        if isinstance(reader, FileReader):
            if (
                path.is_file()
                and path.stat().st_size <= LARGEST_SEED
                and _takes(reader, path.name, {path.name: path.read_bytes()})
            ):
                found.append((path.name, {path.name: path.read_bytes()}))
            continue
        files = _members(path, isinstance(reader, ArchiveReader))
        if files and _takes(reader, "", files):
            found += [(name, files) for name in files]
    return found


def _members(path: Path, is_archive: bool) -> dict[str, bytes]:
    if is_archive:
        if not path.is_file() or not zipfile.is_zipfile(path):
            return {}
        with zipfile.ZipFile(path) as archive:
            return {each.filename: archive.read(each) for each in archive.infolist() if each.file_size <= LARGEST_SEED}
    if not path.is_dir():
        return {}
    inner = (each for each in path.rglob("*") if each.is_file() and each.stat().st_size <= LARGEST_SEED)
    return {each.relative_to(path).as_posix(): each.read_bytes() for each in inner}


def _takes(reader: Reader, name: str, files: dict[str, bytes]) -> bool:
    try:
        return ask(reader, name, files) is not None
    except Damaged:
        return True


def ask(reader: Reader | WeightsReader, name: str, files: dict[str, bytes]) -> ModelFacts | None:
    """What the reader makes of a model."""
    if isinstance(reader, WeightsReader):
        reader.read(files)
        return None
    if isinstance(reader, FileReader):
        return reader.read(of_bytes(files[name], name), MemoryFolder(files))
    if isinstance(reader, ArchiveReader):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for each, data in files.items():
                archive.writestr(each, data)
        return reader.read(ZipFolder(of_bytes(made.getvalue(), "model.zip")))
    return reader.read(MemoryFolder(files))


def main() -> None:
    """Fuzz the reader that the first argument names."""
    known = readers()
    if len(sys.argv) < 2 or sys.argv[1] == "--list":
        print("\n".join(f"{name}: {len(seeds_of(each))} seeds" for name, each in known.items()))
        return
    chosen = sys.argv.pop(1)
    reader = known[chosen]
    seeds = seeds_of(reader)

    def one(data: bytes) -> None:
        if isinstance(reader, FileReader):
            names = sorted({name for name, _ in seeds}) or ["model.bin"]
            name, files = names[data[0] % len(names)] if data else names[0], {}
            files = {name: data[1:]}
        elif seeds:
            name, others = seeds[(data[0] if data else 0) % len(seeds)]
            files = {**others, name: data[1:]}
        else:
            name, files = "", {"model": data}
        with contextlib.suppress(Damaged):
            ask(reader, name, files)

    with tempfile.TemporaryDirectory() as corpus:
        for number, (name, files) in enumerate(seeds):
            mark = (
                number % 256 if not isinstance(reader, FileReader) else sorted({n for n, _ in seeds}).index(name) % 256
            )
            (Path(corpus) / str(number)).write_bytes(bytes([mark]) + files[name])
        atheris.Setup([sys.argv[0], *LIMITS, *sys.argv[1:], corpus], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
