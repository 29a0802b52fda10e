"""How long it takes to find the node at which two runs of an ONNX model of 500 nodes part, beside polygraphy.

    python tests/benchmarks/layers.py PYTHON [--nodes 500] [--size 56]

PYTHON is an interpreter with onnx, onnxruntime and polygraphy. Two models are made there: convolutions, batch norms and
activations in a row, and the same with one weight changed in the middle. Ours compares the two node by node (search of
checks/probes/compute/model/runs.py, with bounds of rounding and all figures of every difference); polygraphy runs
both with ``--onnxrt --onnx-outputs mark all``, the second beside the saved outputs of the first. Each is a process
of its own; time is the wall's, imports included; memory is what the process had at most (Linux and macOS tell it).

Goal: the planted node found, in less time and memory than polygraphy needs.
Expected before the first measurement (2 cores, 2026-11-21): values of 200 MB in all; ours 4 s and 500 MB, both nodes
named (first bit, beyond rounding); polygraphy 20 s and 1.5 GB for its two runs, the planted node the first of 250 that
fail. With 64 x 64 matrices instead of pictures (tiny values): ours 1 s, polygraphy 5 s.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

PROBES = Path(__file__).resolve().parents[2] / "checks" / "probes"

MAKE = """
import sys
import numpy as np, onnx
from onnx import helper, numpy_helper, TensorProto

path, changed, nodes, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
draw = np.random.default_rng(0)
steps, weights, value, before, width = [], [], "image", 3, 32

def held(name, array):
    weights.append(numpy_helper.from_array(array.astype("float32"), name))

for block in range(nodes // 3):
    kernel = draw.standard_normal((width, before, 3, 3)) * np.sqrt(2 / (9 * before))
    if block == changed:
        kernel[1, 1, 1, 1] += 0.02
    held("w%d" % block, kernel)
    for name, numbers in (("g", 1 + 0.1 * draw.standard_normal(width)), ("b", 0.1 * draw.standard_normal(width)),
                          ("m", 0.1 * draw.standard_normal(width)), ("v", 1 + draw.random(width))):
        held("%s%d" % (name, block), numbers)
    names = ["%s%d" % (name, block) for name in "gbmv"]
    steps += [
        helper.make_node("Conv", [value, "w%d" % block], ["c%d" % block], name="block%d/conv" % block, pads=[1] * 4),
        helper.make_node("BatchNormalization", ["c%d" % block, *names], ["n%d" % block], name="block%d/norm" % block),
        helper.make_node("Relu", ["n%d" % block], ["r%d" % block], name="block%d/relu" % block),
    ]
    value, before = "r%d" % block, width
steps.append(helper.make_node("GlobalAveragePool", [value], ["pooled"], name="pool"))
steps.append(helper.make_node("Flatten", ["pooled"], ["scores"], name="flatten"))
tensor = helper.make_tensor_value_info
graph = helper.make_graph(steps, "made", [tensor("image", TensorProto.FLOAT, [1, 3, size, size])],
                          [tensor("scores", TensorProto.FLOAT, [1, width])], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
print(len(steps))
"""

OURS = """
import json, os, resource, sys
probes, first, second = sys.argv[1:4]
code = open(os.path.join(probes, "host.py")).read().split("def main(")[0]
host = {"__name__": "host", "__file__": os.path.join(probes, "host.py")}
exec(compile(code, "host.py", "exec"), host)
import numpy as np
from naosu_probes.compute import kit as compute
from naosu_probes.compute.model import onnxruntime as side, search, ways

clock = compute.Clock(600)
runtimes = []
for path in (first, second):
    runtimes.append(side.Runtime({"path": path, "format": "onnx", "effort": "thorough"}))
arrays, _ = runtimes[0].inputs()
model = ways.Model(np, {}, arrays, runtimes[0].nodes(), runtimes[0].unit(), runtimes[0].graph.weights)
found = search.Search(model, (runtimes[0].way(), arrays), (runtimes[1].way(), arrays), clock).walk()
print(json.dumps({"searched": found["searched"], "first": found.get("first_node"), "beyond": found.get("beyond_node"),
                  "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""

PEER = """
import os, resource, subprocess, sys
program = os.path.join(os.path.dirname(sys.executable), "polygraphy")
done = subprocess.run([sys.executable, program, "run", *sys.argv[1:]], capture_output=True, text=True)
sys.stderr.write(done.stdout + done.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def run(python: str, code: str, arguments: Sequence[str], folder: str) -> tuple[float, str, str]:
    """(Seconds, what it printed on each of the two streams)."""
    started = time.perf_counter()
    done = subprocess.run(
        [python, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=3600
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(done.stderr)
    return seconds, done.stdout, done.stderr


def main() -> None:
    """Make the models, let both compare them, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--size", type=int, default=56)
    chosen = parser.parse_args()
    python = str(Path(chosen.python).absolute())
    with tempfile.TemporaryDirectory() as folder:
        blocks = chosen.nodes // 3
        first, second = (str(Path(folder, name)) for name in ("first.onnx", "second.onnx"))
        shape = [str(chosen.nodes), str(chosen.size)]
        count = run(python, MAKE, [first, "-1", *shape], folder)[1].strip()
        run(python, MAKE, [second, str(blocks // 2), *shape], folder)
        print(f"{count} nodes; the weight of block{blocks // 2}/conv is changed")

        seconds, printed, _ = run(python, OURS, [str(PROBES), first, second], folder)
        told = json.loads(printed)
        print(f"ours        {seconds:7.1f} s {told['memory']:8.0f} MB  {told}")

        saved = str(Path(folder, "saved.json"))
        marked = ["--onnxrt", "--onnx-outputs", "mark", "all"]
        before, memory, _ = run(python, PEER, [first, *marked, "--save-outputs", saved], folder)
        after, again, log = run(python, PEER, [second, *marked, "--load-outputs", saved], folder)
        failed = [line.strip() for line in log.splitlines() if "FAILED" in line and "Output:" in line]
        most = max(float(memory), float(again))
        print(
            f"polygraphy  {before + after:7.1f} s {most:8.0f} MB  {len(failed)} outputs fail, the first: {failed[:1]}"
        )


if __name__ == "__main__":
    main()
