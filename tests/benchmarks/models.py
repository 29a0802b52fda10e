"""How long model files take to be read, and how much memory: headers are read, weights are not.

    python tests/benchmarks/models.py --onnx-models FOLDER [--peer PYTHON]

FOLDER holds many .onnx files, as the backend test data of the onnx wheel does (onnx/backend/test/data); PYTHON is an
interpreter with onnx and safetensors, whose own loading stands beside ours. Each measurement is a process of its own;
the large files are sparse, so that the disk plays no part. Expected before the first measurement: 0.2 s for the ONNX
of 10,000 nodes with 2 GB of external data, 0.05 s for the safetensors file of 5 GB, 4 s for 1,000 models, all below
80 MB. The goals: 1 s and 200 MB; 1 s and 200 MB; 10 s.
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

GIB = 1 << 30
NODES = 10_000
LAYERS = 400  # tensors of the safetensors file

OURS = """
import json, resource, sys, time
from pathlib import Path
from checks.readers.models import read_models
start = time.perf_counter()
found = [each for path in sys.argv[1:] for each in read_models(Path(path))]
seconds = time.perf_counter() - start
bad = sum(each.problem is not None or each.format is None for each in found)
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(found), bad]))
"""
ONNX = """
import json, resource, sys, time
import onnx
start = time.perf_counter()
for path in sys.argv[1:]:
    onnx.load(path, load_external_data=False)
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(sys.argv) - 1, 0]))
"""
SAFETENSORS = """
import json, resource, sys, time
from safetensors import safe_open
start = time.perf_counter()
for path in sys.argv[1:]:
    with safe_open(path, "np") as file:
        names = [(name, file.get_slice(name).get_shape()) for name in file.keys()]
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(sys.argv) - 1, 0]))
"""


def varint(value: int) -> bytes:
    """A number on protobuf's wire."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: int | bytes | str) -> bytes:
    """A field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_with(external: bool, size: int) -> Iterator[bytes]:
    """An ONNX of 10,000 MatMul nodes with weights of ``size`` bytes (onnx.proto), beside it or in it."""
    each = size // NODES
    side = each // 4
    nodes, tensors, weights = bytearray(), bytearray(), 0
    for index in range(NODES):
        nodes += field(
            1, field(1, f"x{index}") + field(1, f"w{index}") + field(2, f"x{index + 1}") + field(4, "MatMul")
        )
        tensor = field(1, side) + field(2, 1) + field(8, f"w{index}")
        if external:
            entries = {"location": "weights.bin", "offset": str(index * each), "length": str(each)}
            tensor += b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries.items())
            tensors += field(5, tensor + field(14, 1))
        else:
            weights += len(varint(5 << 3 | 2)) + len(varint(len(tensor) + each + 6)) + len(tensor) + each + 6
    ends = b""
    for number, name in ((11, "x0"), (12, f"x{NODES}")):
        shape = field(1, field(2, "batch")) + field(1, field(1, side))
        ends += field(number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))
    graph = bytes(nodes) + field(2, "g") + bytes(tensors) + ends
    yield field(1, 9) + field(2, "benchmark") + field(8, field(2, 17)) + field(7, graph)


def onnx_files(folder: Path) -> tuple[Path, Path]:
    """An ONNX with external data of 2 GB, and one that holds its 1.9 GB itself."""
    outside = folder / "external" / "model.onnx"
    outside.parent.mkdir()
    outside.write_bytes(b"".join(onnx_with(True, 2 * GIB)))
    with open(outside.parent / "weights.bin", "wb") as file:
        file.truncate(2 * GIB)
    inside = folder / "inside.onnx"
    size = 1900 << 20
    with open(inside, "wb") as file:
        tensor = field(1, size // 4) + field(2, 1) + field(8, "w")
        raw = varint(9 << 3 | 2) + varint(size)
        node = field(1, field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add"))
        head = varint(5 << 3 | 2) + varint(len(tensor) + len(raw) + size) + tensor + raw
        graph = len(node) + len(head) + size
        file.write(field(1, 9) + field(8, field(2, 17)) + varint(7 << 3 | 2) + varint(graph) + node + head)
        file.truncate(file.tell() + size)
    return outside, inside


def safetensors_file(folder: Path) -> Path:
    """A safetensors file of 5 GB."""
    path = folder / "model.safetensors"
    each = 5 * GIB // LAYERS
    header = {
        f"layer.{index}.weight": {
            "dtype": "F16",
            "shape": [each // 2],
            "data_offsets": [index * each, (index + 1) * each],
        }
        for index in range(LAYERS)
    }
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(file.tell() + each * LAYERS)
    return path


def measured(python: str, program: str, paths: Iterable[Path], runs: int) -> tuple[float, float, int, int]:
    """The median (seconds, MB at most, files, files with a problem) of a program over the files."""
    arguments = [python, "-c", program, *map(str, paths)]
    results = [json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout) for _ in range(runs)]
    return tuple(sorted(results)[len(results) // 2])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onnx-models", type=Path, help="a folder with many .onnx files")
    parser.add_argument("--peer", help="a Python with onnx and safetensors")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        outside, inside = onnx_files(Path(scratch))
        rows = [
            ("ONNX, 10,000 nodes, 2 GB external data", [outside], ONNX),
            ("ONNX, 1.9 GB in one file", [inside], ONNX),
            ("safetensors, 5 GB", [safetensors_file(Path(scratch))], SAFETENSORS),
        ]
        if chosen.onnx_models:
            many = sorted(chosen.onnx_models.rglob("*.onnx"))[:1000]
            rows.append((f"{len(many)} ONNX test models", many, ONNX))
        print(f"{'':42} {'seconds':>8} {'MB':>6} {'read':>6} {'problem':>8}")
        for name, paths, peer in rows:
            print("{:42} {:8.3f} {:6.0f} {:6} {:8}".format(name, *measured(sys.executable, OURS, paths, chosen.runs)))
            if chosen.peer:
                library = "onnx" if peer is ONNX else "safetensors"
                seconds, most, count, _ = measured(chosen.peer, peer, paths, chosen.runs)
                print(f"{'   ' + library + ' itself':42} {seconds:8.3f} {most:6.0f} {count:6}")


if __name__ == "__main__":
    main()
