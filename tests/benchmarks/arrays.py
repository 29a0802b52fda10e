"""How long the comparison of two arrays takes beside merely reading them, and fingerprints beside copying.

    python tests/benchmarks/arrays.py [--peer PYTHON] [--device cuda] [--large FOLDER] [--runs 7]

PYTHON is an interpreter with polygraphy and numpy; this one has numpy and torch. FOLDER is where two files of 4 GB may
lie for a while. Each measurement is a process of its own and tells the best of the runs, as others may use the machine;
memory is what the process had at most beyond its arrays, which it reads from files (Linux tells it, others do not).
"Read" is the maximum of each of the two arrays by NumPy in one thread, measured in turn with each row. The two arrays
differ by rounding: each element by a few units in the last place.

Goals: the comparison within 6 times the time to read both; fingerprints at 70 % of the copy's speed at the least.
Expected before the first measurement (2 cores, 2026-11-21): read 0.016 s; ours 0.08 s on two threads, 30 MB; the same
bits 0.02 s; numpy's assert_allclose 0.15 s and torch's assert_close 0.15 s, which only say whether, 200 MB; polygraphy
10 s. At 10^3 elements 0.1 ms; at 10^9 4 s, memory as before. Fingerprints: 5 GB/s by NumPy, half of the copy; by
PyTorch on the processor as fast as the copy, on an H100 2.5 TB/s beside a copy of 1.4 TB/s.

Measured first (2026-11-21, the two cores shared with others): ours 8 to 9 times the reading by one thread, and no less
by two, which wait for Python's lock; 11 times at 10^9 elements, with 4 MB. NumPy's assert_allclose 24 times, torch's
assert_close 17, polygraphy 570. Fingerprints by PyTorch on the processor 125 % of the copy, by NumPy 40 %. Later the
same day, after what the pieces are written to begins with a line of the cache, and what one step knows spares the next:
ours 5.7 to 7.0 times by the process, rows with top-1 and top-5 9 to 11 (before 8 and 16).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANY, FEW, MOST = 20_000_000, 1000, 1_000_000_000

COMMON = """
import json, sys, threading, time
sys.path.insert(0, {root!r})
import numpy as np

runs, names = int(sys.argv[1]), sys.argv[2:]
arrays = [np.load(name, mmap_mode="r") for name in names]
if all(array.nbytes < 1 << 30 for array in arrays):
    arrays = [np.array(array) for array in arrays]

def memory():
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) / 1024
    except OSError:
        return 0.0

def measured(call):
    base, most, over = memory(), [0.0], threading.Event()
    def watch():
        while not over.wait(0.002):
            most[0] = max(most[0], memory() - base)
    watcher = threading.Thread(target=watch)
    watcher.start()
    call()
    over.set()
    watcher.join()
    times = [], []
    for _ in range(runs):
        for kept, each in zip(times, (read, call)):
            start = time.perf_counter()
            each()
            kept.append(time.perf_counter() - start)
    print(json.dumps([min(times[1]), most[0], min(times[0])]))

def read():
    for array in arrays:
        array.max()
"""
OURS = """
import checks.probes.compute.bits.difference as difference
"""
TORCH = """
import torch
first, second = map(torch.from_numpy, arrays)
"""
ROWS = [
    ("read both", "", "measured(read)"),
    ("ours, NumPy", OURS, "measured(lambda: difference.numpy_difference(np, *arrays))"),
    (
        "ours, PyTorch's operations",
        OURS + TORCH,
        "measured(lambda: difference.tensor_difference(torch, first, second))",
    ),
    (
        "ours, the same bits",
        OURS,
        "same = arrays[0].copy()\nmeasured(lambda: difference.numpy_difference(np, arrays[0], same))",
    ),
    (
        "ours, in rows of 1000 with top-1 and top-5",
        OURS,
        "rows = [each.reshape(-1, 1000) for each in arrays]\nmeasured(lambda: difference.numpy_difference(np, *rows))",
    ),
    (
        "numpy.testing.assert_allclose",
        "",
        "measured(lambda: np.testing.assert_allclose(*arrays, rtol=1e-3, atol=1e-3))",
    ),
    (
        "torch.testing.assert_close",
        TORCH,
        "measured(lambda: torch.testing.assert_close(first, second, rtol=1e-3, atol=1e-3))",
    ),
]
POLYGRAPHY = """
from polygraphy.comparator import CompareFunc, IterationResult
from polygraphy.logger import G_LOGGER
G_LOGGER.module_severity = G_LOGGER.CRITICAL
compare = CompareFunc.simple(rtol=1e-3, atol=1e-3)
results = [IterationResult({"x": array}) for array in arrays]
measured(lambda: compare(*results))
"""
SPEED = """
import json, sys, time
sys.path.insert(0, {root!r})
import numpy as np, torch
import checks.probes.compute.bits.fingerprint as fingerprint
runs, device, size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def best(call, wait):
    call()
    wait()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return size / min(times) / 1e9

if device == "numpy":
    array = np.arange(size // 4, dtype=np.float32)
    other = np.empty_like(array)
    told = [best(lambda: np.copyto(other, array), int), best(lambda: fingerprint.numpy_fingerprint(np, array), int)]
    way = ""
else:
    wait = torch.cuda.synchronize if device.startswith("cuda") else int
    tensor = torch.arange(size // 4, dtype=torch.float32, device=device)
    other = torch.empty_like(tensor)
    told = [best(lambda: other.copy_(tensor), wait), best(lambda: fingerprint.torch_fingerprint(torch, tensor), wait)]
    way = fingerprint._Torch.of(torch, tensor.device)._way.__name__
print(json.dumps([*told, way]))
"""


def told(python: str, program: str, *arguments: object) -> list[float]:
    """What a program prints, in a process of its own."""
    text = program.replace("{root!r}", repr(str(ROOT)))
    done = subprocess.run([python, "-c", text, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def pair(folder: Path, count: int) -> list[Path]:
    """Two files with arrays that differ by rounding, made in parts."""
    import numpy as np

    paths = [folder / f"{count}-{side}.npy" for side in (0, 1)]
    files = [np.lib.format.open_memmap(path, "w+", np.float32, (count,)) for path in paths]
    random = np.random.default_rng(1)
    for start in range(0, count, 1 << 22):
        part = random.standard_normal(min(1 << 22, count - start), dtype=np.float32)
        files[0][start : start + len(part)] = part
        files[1][start : start + len(part)] = part * (1 + 1e-7 * random.standard_normal(len(part), dtype=np.float32))
    return paths


def table(count: int, folder: Path, rows: list[tuple[str, str, str]], runs: int, peer: str | None = None) -> None:
    """Print the rows for arrays of so many elements."""
    paths = pair(folder, count)
    print(f"\n{count:,} float32 {'':24} {'seconds':>10} {'times read':>10} {'MB':>7}")
    if peer:
        rows = [*rows, ("polygraphy SimpleCompareFunc", POLYGRAPHY, "")]
    for name, setup, call in rows:
        python, times = (peer, 1) if peer and setup == POLYGRAPHY else (sys.executable, runs)
        seconds, megabytes, read = told(python, COMMON + setup + call, times, *paths)
        print(f"{name:43} {seconds:10.6f} {seconds / read:10.1f} {megabytes:7.0f}", flush=True)
    for path in paths:
        path.unlink()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="a Python with polygraphy")
    parser.add_argument("--device", help='a device of PyTorch beside the processor: "cuda"')
    parser.add_argument("--large", type=Path, help="a folder with room for 8 GB")
    parser.add_argument("--runs", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table(MANY, Path(scratch), ROWS, chosen.runs, chosen.peer)
        table(FEW, Path(scratch), [row for row in ROWS if "rows" not in row[0]], 200, chosen.peer)
    if chosen.large:
        with tempfile.TemporaryDirectory(dir=chosen.large) as scratch:
            table(MOST, Path(scratch), ROWS[:2], 1)
    print(f"\n{'fingerprint':24} {'GB':>6} {'copy GB/s':>10} {'fingerprint GB/s':>17} {'share':>6}  way")
    for device in ("numpy", "cpu", *([chosen.device] if chosen.device else [])):
        for size in (1 << 20, 1 << 26, 1 << 30):
            copy, ours, way = told(sys.executable, SPEED, chosen.runs, device, size)
            print(f"{device:24} {size / 2**30:6.3f} {copy:10.1f} {ours:17.1f} {ours / copy:6.0%}  {way}", flush=True)


if __name__ == "__main__":
    main()
