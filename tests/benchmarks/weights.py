"""How long two weight files take to be compared, beside merely reading both.

    python tests/benchmarks/weights.py FOLDER [--megabytes 2000] [--runs 3]

FOLDER has room for two such files. They are safetensors of 40 tensors each, which differ by rounding. Each run is a
process of its own that reads both files (into one buffer, in the order of their bytes) and compares them, in turn, with
the pages of both in memory; the best of the runs is told, in seconds and in seconds of the processor, which others who
use the machine do not change.

Expected before the first measurement (2 cores, 2026-11-23), of 2 GB each, in seconds of the processor beside 1 s to
read both: float32 20 before and 3 in pieces that fit the cache, bfloat16 45 and 6; two threads 0.7 of that.

Measured first (same day, ten times too much to do on the two cores, so seconds of the processor alone tell): float32
27 before and 2.5 after, bfloat16 51 and 3.5, 500 MB of float32 beside float16 6.0 and 0.7.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TENSORS, SOME = 40, 1 << 22
TYPES = {"F32": ("F32", "F32"), "BF16": ("BF16", "BF16"), "F32 beside F16": ("F32", "F16"), "F64": ("F64", "F64")}
BYTES = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8}

RUN = """
import json, sys, time
from pathlib import Path
from checks.analysis.models.side_by_side import compare_models
from checks.facts import ModelFacts

def read():
    room = bytearray(1 << 22)
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.readinto(room):
                pass

def compare():
    models = [ModelFacts(path=str(path), format="safetensors", size=path.stat().st_size) for path in paths]
    assert not compare_models(*models, most=1 << 36).weights_unread

paths = [Path(name) for name in sys.argv[1:]]
read()
told = []
for call in (read, compare):
    start = time.perf_counter(), time.process_time()
    call()
    told += [time.perf_counter() - start[0], time.process_time() - start[1]]
print(json.dumps(told))
"""


def written(path: Path, kind: str, count: int, seed: int) -> None:
    """A file of so many numbers of a type; other seeds round otherwise."""
    each, size = count // TENSORS, BYTES[kind]
    header = {
        f"layers.{place}.weight": {
            "dtype": kind,
            "shape": [each],
            "data_offsets": [place * each * size, (place + 1) * each * size],
        }
        for place in range(TENSORS)
    }
    text = json.dumps(header).encode()
    plain = np.random.default_rng(0).standard_normal(SOME, dtype=np.float32)
    random = np.random.default_rng(seed)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for at in range(0, each * TENSORS, SOME):
            some = plain[: min(SOME, each * TENSORS - at)]
            some = some * (1 + 1e-7 * random.standard_normal(len(some), dtype=np.float32)).astype("f4")
            upper = (some.view("u4") + 0x8000) >> 16
            file.write((upper.astype("u2") if kind == "BF16" else some.astype(f"f{size}")).tobytes())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=int, default=2000, help="of the larger file")
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    print(f"{'':16} {'read s':>8} {'compare s':>10} {'read s of CPU':>14} {'compare s of CPU':>17}")
    for name, kinds in TYPES.items():
        with tempfile.TemporaryDirectory(dir=chosen.folder) as scratch:
            paths = [Path(scratch, f"{side}.safetensors") for side in (0, 1)]
            for seed, (path, kind) in enumerate(zip(paths, kinds, strict=True), 1):
                written(path, kind, chosen.megabytes * 1_000_000 // max(BYTES[kind] for kind in kinds), seed)
            command = [sys.executable, "-c", RUN, *map(str, paths)]
            told = [json.loads(subprocess.check_output(command, cwd=ROOT)) for _ in range(chosen.runs)]
            read, read_cpu, compare, compare_cpu = map(min, zip(*told, strict=True))
            print(f"{name:16} {read:8.2f} {compare:10.2f} {read_cpu:14.2f} {compare_cpu:17.2f}", flush=True)


if __name__ == "__main__":
    main()
