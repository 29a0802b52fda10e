"""Build really broken programs on a machine that has an NVIDIA GPU, for tests/tools/try_environments.py.

    python -m tests.tools.gpu_environments FOLDER PYTHON

PYTHON has PyTorch and JAX for CUDA, CuPy, ONNX Runtime and Transformers. Names that begin with b are broken, with h they
work. Nothing of the card's settings is changed; device files, libraries and limits are changed only in a mount
namespace or a process of their own, so root is needed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

HOLDER = """import sys, time, torch
free, total = torch.cuda.mem_get_info()
held = torch.empty(int(free * 0.95), dtype=torch.uint8, device="cuda")
print("held", flush=True)
sys.stdin.read()
"""
KERNEL = """#include <cuda_runtime.h>
__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
extern "C" const char *run(float *x, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, n);
  cudaError_t e = cudaGetLastError(); if (!e) e = cudaDeviceSynchronize();
  return e ? cudaGetErrorString(e) : 0;
}
"""


class Program(NamedTuple):
    """One environment."""

    name: str
    label: str
    expect: str  # causes that fit, with blanks between them; empty: it works
    source: str
    wrap: str = ""  # lines of bash before the program is started
    start: str = ""  # in place of exec "$@"


PROGRAMS = (
    Program("h1", "products and a training step", "", """import torch
a = torch.randn(512, 512, device="cuda", requires_grad=True)
(a @ a).sum().backward()
print(torch.cuda.get_device_name(), a.grad.norm().item())
"""),
    Program("h2", "JAX", "", """import jax
print(jax.devices(), jax.jit(lambda x: (x @ x).sum())(jax.numpy.ones((256, 256))))
"""),
    Program("h3", "runs on the processor on purpose", "", """import torch
print(torch.nn.Linear(8, 8)(torch.ones(4, 8)).shape)
"""),
    Program("h4", "meets the end of its memory and goes on with less", "", """import torch
size = 1 << 40
while True:
    try:
        print(torch.empty(size, dtype=torch.uint8, device="cuda").shape)
        break
    except torch.OutOfMemoryError:
        size //= 2
""",),
    Program("h5", "one GPU of one chosen", "", """import torch
print(torch.ones(3, device="cuda:0"))
""", "export CUDA_VISIBLE_DEVICES=0"),
    Program("b1", "more memory than the card has", "gpu-out-of-memory", """import torch
x = torch.empty(100 << 30, dtype=torch.uint8, device="cuda")
"""),
    Program("b2", "another program holds the memory", "gpu-out-of-memory gpu-busy-or-exclusive", """import torch
x = torch.empty(20 << 30, dtype=torch.uint8, device="cuda")
""", "", """coproc HOLD { PYTHON "$HERE/holder.py"; }
read -r line <&"${HOLD[0]}"
"$@"; code=$?
kill "$HOLD_PID"; exit $code"""),
    Program("b3", "an index outside of the embedding", "user-code-error model-input-mismatch", """import torch
table = torch.nn.Embedding(10, 4).cuda()
print(table(torch.tensor([3, 12], device="cuda")).sum().item())
"""),
    Program("b4", "a kernel that writes outside of its array", "user-code-error uninitialized-memory-or-race",
        """import cupy
kernel = cupy.RawKernel('extern "C" __global__ void f(float *x) { x[1ll << 40] = 1; }', "f")
kernel((1,), (1,), (cupy.zeros(4, "f"),))
cupy.cuda.Device().synchronize()
"""),
    Program("b5", "an extension built for an older GPU alone",
        "build-lacks-newer-gpu-arch gpu-arch-changed cuda-toolkit-mismatch-build", """import ctypes, pathlib, torch
library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "libscale.so"))
library.run.restype = ctypes.c_char_p
x = torch.ones(1000, device="cuda")
error = library.run(ctypes.c_void_p(x.data_ptr()), 1000)
if error:
    raise RuntimeError("CUDA error: " + error.decode())
print(x.sum().item())
"""),
    Program("b6", "tensors of two devices", "user-code-error", """import torch
model = torch.nn.Linear(4, 4).cuda()
print(model(torch.ones(2, 4)))
"""),
    Program("b7", "no GPU is visible", "gpu-hidden-by-environment", """import torch
print(torch.nn.Linear(4, 4).cuda())
""", 'export CUDA_VISIBLE_DEVICES=""'),
    Program("b8", "a GPU is chosen that is not there", "gpu-hidden-by-environment", """import torch
print(torch.ones(3).to("cuda"))
""", "export CUDA_VISIBLE_DEVICES=1"),
    Program("b9", "the toolkit's stub in place of the driver's library", "cuda-compat-conflict", """import torch
print(torch.ones(3, device="cuda"))
""", 'export LD_LIBRARY_PATH="$HERE/stubs:$LD_LIBRARY_PATH"'),
    Program("b10", "no device files", "container-gpu-unavailable", """import torch
print(torch.ones(3, device="cuda"))
""", "", """exec unshare -m bash -c '
mkdir -p /tmp/naosu-dev && mount -t tmpfs none /tmp/naosu-dev
for each in null zero random urandom tty; do touch /tmp/naosu-dev/$each; mount --bind /dev/$each /tmp/naosu-dev/$each; done
mkdir -m 1777 /tmp/naosu-dev/shm && mount -t tmpfs none /tmp/naosu-dev/shm
ln -s /proc/self/fd /tmp/naosu-dev/fd
mount --rbind /tmp/naosu-dev /dev
HOME=/tmp exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' - "$@" """),
    Program("b11", "device files of root alone", "device-permission-denied", """import torch
print(torch.ones(3, device="cuda"))
""", "", """exec unshare -m bash -c '
for each in /dev/nvidia*; do
  [ -c "$each" ] || continue
  made=/tmp/naosu-nodes/${each##*/}; mkdir -p /tmp/naosu-nodes
  [ -e "$made" ] || mknod -m 600 "$made" c $(stat -c "0x%t 0x%T" "$each")
  mount --bind "$made" "$each"
done
HOME=/tmp exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' - "$@" """),
    Program("b12", "an operation without a deterministic form", "deterministic-mode-op-unsupported", """import torch
torch.use_deterministic_algorithms(True)
x = torch.rand(1, 3, 8, 8, device="cuda", requires_grad=True)
torch.nn.functional.interpolate(x, scale_factor=2, mode="bicubic").sum().backward()
"""),
    Program("b13", "CUDA in a forked process", "main-guard-missing user-code-error", """import torch
import torch.multiprocessing as mp
def work(n):
    return torch.ones(n, device="cuda").sum().item()
if __name__ == "__main__":
    torch.ones(1, device="cuda")
    with mp.get_context("fork").Pool(1) as pool:
        print(pool.map(work, [3]))
"""),
    Program("b14", "no compiler for what Triton makes", "triton-or-compiler-missing", """import torch
f = torch.compile(lambda x: torch.sin(x) + x.cos())
print(f(torch.ones(1000, device="cuda")).sum().item())
""", 'unset CC CXX; export PATH="$HERE/empty" TRITON_CACHE_DIR="$HERE/cache" TORCHINDUCTOR_CACHE_DIR="$HERE/inductor"'),
    Program("b15", "flash attention is not installed", "package-not-installed", """import torch, transformers
config = transformers.LlamaConfig(hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
                                  num_key_value_heads=2, vocab_size=50, dtype=torch.bfloat16)
model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="flash_attention_2").cuda()
print(model(torch.ones(1, 4, dtype=torch.long, device="cuda")).logits.shape)
"""),
    Program("b16", "weights of the card where none is visible",
        "checkpoint-device-unavailable gpu-hidden-by-environment", """import pathlib, torch
print(torch.load(pathlib.Path(__file__).parent / "weights.pt"))
""", 'export CUDA_VISIBLE_DEVICES=-1'),
    Program("b17", "weights of a second card", "checkpoint-device-unavailable", """import pathlib, torch
print(torch.load(pathlib.Path(__file__).parent / "weights1.pt"))
"""),
    Program("b18", "ONNX Runtime without its GPU package", "ort-provider-unavailable", """import onnxruntime, pathlib
session = onnxruntime.InferenceSession(str(pathlib.Path(__file__).parent / "add.onnx"),
                                       providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
if "CUDAExecutionProvider" not in session.get_providers():
    raise RuntimeError("the model does not run on the GPU: " + str(session.get_providers()))
"""),
    Program("b19", "JAX was told to take the processor", "gpu-hidden-by-environment jax-falls-back-to-cpu", """import jax
print(jax.devices("gpu"))
""", "export JAX_PLATFORMS=cpu"),
    Program("b20", "a damaged library of cuDNN goes first",
        "library-path-conflict cudnn-version-mismatch damaged-installation", """import torch
conv = torch.nn.Conv2d(3, 8, 3).cuda()
print(conv(torch.rand(1, 3, 32, 32, device="cuda")).sum().item())
""", 'export LD_LIBRARY_PATH="$HERE/broken:$LD_LIBRARY_PATH"'),
    Program("b21", "JAX takes the memory first", "gpu-out-of-memory", """import jax, torch
print(jax.numpy.ones(3).sum())
x = torch.empty(60 << 30, dtype=torch.uint8, device="cuda")
"""),
    Program("b22", "numbers of four bits, which want a newer GPU", "feature-needs-newer-gpu", """import torch
a = torch.randint(0, 255, (128, 128), dtype=torch.uint8, device="cuda").view(torch.float4_e2m1fn_x2)
s = torch.ones(128 * 16, device="cuda").to(torch.float8_e4m3fn)
print(torch._scaled_mm(a, a.t(), s, s, out_dtype=torch.bfloat16).shape)
"""),
    Program("b23", "a flag that XLA does not know", "environment-variable-invalid", """import jax
print(jax.numpy.ones(3).sum())
""", "export XLA_FLAGS=--xla_gpu_force_compilation_paralelism=4"),
    Program("b24", "a setting of the allocator that is not known", "environment-variable-invalid", """import torch
print(torch.ones(3, device="cuda"))
""", "export PYTORCH_CUDA_ALLOC_CONF=max_split_mb:128"),
    Program("b25", "a limit of addresses", "process-limit-too-low", """import torch
print(torch.ones(3, device="cuda"))
""", "ulimit -v 30000000"),
    Program("b26", "the toolkit is not found", "cuda-toolkit-mismatch-build", """import pathlib, torch
from torch.utils.cpp_extension import load
load("scale", [str(pathlib.Path(__file__).parent / "scale.cu")], build_directory=str(pathlib.Path(__file__).parent))
""", "export CUDA_HOME=/usr/local/cuda-12.4"),
    Program("b27", "no network to fetch the model", "other", """import transformers
print(transformers.AutoModel.from_pretrained("bert-base-uncased"))
""", 'export HF_HOME="$HERE/hub"'),
    Program("b28", "an ordinal that is not there", "user-code-error gpu-not-detected", """import torch
torch.cuda.set_device(1)
"""),
    Program("b29", "shared memory for a worker too small", "shared-memory-too-small", """import torch
if __name__ == "__main__":
    data = torch.utils.data.TensorDataset(torch.rand(64, 3, 512, 512))
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=16, num_workers=2):
        print(batch.cuda().mean().item())
""", "", """exec unshare -m bash -c 'mount -t tmpfs -o size=1m none /dev/shm && exec "$@"' - "$@" """),
    Program("b30", "a kernel with too many threads in a block", "user-code-error", """import cupy
kernel = cupy.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] = 1; }', "f")
kernel((1,), (2048,), (cupy.zeros(2048, "f"),))
cupy.cuda.Device().synchronize()
"""),
    Program("b31", "half precision on the processor's side of the model", "user-code-error model-input-mismatch",
        """import torch
model = torch.nn.Linear(4, 4).cuda().half()
print(model(torch.ones(2, 4, device="cuda")))
"""),
    Program("b32", "the driver's library is missing",
        "container-gpu-unavailable driver-not-loaded gpu-not-detected driver-library-mismatch", """import torch
print(torch.ones(3, device="cuda"))
""", "", """exec unshare -m bash -c '
for each in $(ldconfig -p | sed -n "s/.*=> //p" | grep -E "lib(cuda|nvidia-ml)\\.so") /usr/local/nvidia/lib64/libcuda.so* \
    /usr/local/nvidia/lib64/libnvidia-ml.so*; do
  [ -f "$each" ] && mount --bind /dev/null "$(readlink -f "$each")"
done
exec "$@"' - "$@" """),
)  # fmt: skip

# What the programs read beside their own file.
PREPARE = r"""
import pathlib, sys
here = pathlib.Path(sys.argv[1])
import torch
torch.save({"w": torch.ones(3, device="cuda")}, here / "b16/weights.pt")
data = (here / "b16/weights.pt").read_bytes()
(here / "b17/weights1.pt").write_bytes(data)
import zipfile
with zipfile.ZipFile(here / "b16/weights.pt") as old, zipfile.ZipFile(here / "b17/weights1.pt", "w") as new:
    for item in old.infolist():
        new.writestr(item.filename, old.read(item).replace(b"cuda:0", b"cuda:1"))
import onnx
from onnx import helper as h, TensorProto as T
graph = h.make_graph([h.make_node("Add", ["x", "x"], ["y"])], "g", [h.make_tensor_value_info("x", T.FLOAT, [3])],
                     [h.make_tensor_value_info("y", T.FLOAT, [3])])
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=9), here / "b18/add.onnx")
import nvidia, glob
for path in nvidia.__path__:
    for name in glob.glob(path + "/cudnn/lib/libcudnn.so.9"):
        (here / "b20/broken/libcudnn.so.9").write_bytes(pathlib.Path(name).read_bytes()[:20000])
"""


def main() -> None:
    """Build them all."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("python", type=Path)
    given = arguments.parse_args()
    for program in PROGRAMS:
        build(program, given.folder.absolute() / program.name, given.python.absolute())
    folder = given.folder.absolute()
    (folder / "b2/holder.py").write_text(HOLDER)
    (folder / "b5/scale.cu").write_text(KERNEL)
    (folder / "b26/scale.cu").write_text(KERNEL)
    (folder / "prepare.py").write_text(PREPARE)
    for name in ("b9/stubs", "b14/empty", "b20/broken"):
        (folder / name).mkdir(exist_ok=True)


def build(program: Program, place: Path, python: Path) -> None:
    """One environment's folder."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "prog.py").write_text(program.source)
    (place / "cmd").write_text(f"{python} {place}/prog.py\n")
    (place / "cwd").write_text(f"{place}\n")
    (place / "target").write_text(f"{python}\n")
    (place / "label").write_text(program.label + "\n")
    (place / "expect").write_text(program.expect + "\n")
    start = (program.start or 'exec "$@"').replace("PYTHON", str(python))
    (place / "wrap").write_text(f"#!/usr/bin/env bash\nexport HERE={place}\n{program.wrap}\n{start}\n")
    (place / "wrap").chmod(0o755)


if __name__ == "__main__":
    main()
