"""Build really broken programs on a machine that has an NVIDIA GPU, for tests/tools/try_environments.py.

    python -m tests.tools.gpu_environments FOLDER PYTHON

PYTHON has PyTorch and JAX for CUDA, CuPy, ONNX Runtime and Transformers. Names that begin with b are broken, those with
h work. Nothing of the card's settings is changed; device files, libraries and limits are changed only in a mount
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
    symptom: str = ""  # what is asked; as naosu run asks by itself


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
for each in null zero random urandom tty; do
  touch /tmp/naosu-dev/$each; mount --bind /dev/$each /tmp/naosu-dev/$each
done
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
    Program("b19", "JAX was told to take the processor", "gpu-hidden-by-environment jax-falls-back-to-cpu",
        """import jax
print(jax.devices("gpu"))
""", "export JAX_PLATFORMS=cpu"),
    # Seen on 2026-11-22: PyTorch loads its own cuDNN before the loader looks for another.
    Program("h8", "a damaged library of cuDNN that PyTorch does not take", "", """import torch
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
    Program("h9", "a limit of addresses that is wide enough", "", """import torch
print(torch.ones(3, device="cuda"))
""", "ulimit -v 30000000"),
    Program("b26", "the toolkit is not found", "cuda-toolkit-mismatch-build", """import pathlib, torch
from torch.utils.cpp_extension import load
load("scale", [str(pathlib.Path(__file__).parent / "scale.cu")], build_directory=str(pathlib.Path(__file__).parent),
     is_python_module=False)
""", "export CUDA_HOME=/usr/local/cuda-12.4"),
    Program("b27", "no network to fetch the model", "download-refused", """import transformers
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
known=$(ldconfig -p | sed -n "s/.*=> //p" | grep -E "lib(cuda|nvidia-ml)\\.so")
for each in $known /usr/local/nvidia/lib64/libcuda.so* /usr/local/nvidia/lib64/libnvidia-ml.so*; do
  [ -f "$each" ] && mount --bind /dev/null "$(readlink -f "$each")"
done
exec "$@"' - "$@" """),
    Program("b33", "the program chooses a GPU that is not there", "gpu-hidden-by-environment", """import os
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
import torch
print(torch.nn.Linear(4, 4).cuda())
"""),
    Program("b34", "the model is never sent to the GPU", "program-stays-on-cpu", """import torch
model, x = torch.nn.Linear(512, 512), torch.randn(64, 512)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    optimizer.zero_grad()
    loss = (model(x) - x).square().mean()
    loss.backward()
    optimizer.step()
print(loss.item())
""", symptom="not-on-gpu"),
    Program("h6", "on the GPU, and asked about it", "", """import torch
print(torch.nn.Linear(512, 512).cuda()(torch.randn(64, 512, device="cuda")).sum().item())
""", symptom="not-on-gpu"),
    Program("h7", "JAX on the GPU, and asked about it", "", """import jax
print(jax.jit(lambda x: (x @ x).sum())(jax.numpy.ones((256, 256))))
""", symptom="not-on-gpu"),
    # Written before any of them was shown to the program.
    Program("b41", "a transformer larger than the card", "gpu-out-of-memory", """import torch, transformers
config = transformers.LlamaConfig(hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, vocab_size=128256,
                                  num_attention_heads=64, num_key_value_heads=8, dtype=torch.bfloat16)
with torch.device("cuda"):
    model = transformers.AutoModelForCausalLM.from_config(config)
"""),
    Program("b42", "CuPy asks for too much memory", "gpu-out-of-memory", """import cupy
x = cupy.zeros(100 << 30, "u1")
"""),
    Program("b43", "JAX asks for too much memory", "gpu-out-of-memory", """import jax
x = jax.numpy.ones((200_000, 200_000))
print(x.sum())
"""),
    Program("b44", "a class that is out of range", "user-code-error model-input-mismatch", """import torch
scores = torch.randn(4, 10, device="cuda", requires_grad=True)
loss = torch.nn.functional.cross_entropy(scores, torch.tensor([1, 2, 3, 10], device="cuda"))
loss.backward()
print(loss.item())
""", "export CUDA_LAUNCH_BLOCKING=1"),
    Program("b45", "a checkpoint that is cut off", "checkpoint-corrupt", """import pathlib, torch
print(torch.load(pathlib.Path(__file__).parent / "cut.pt", map_location="cuda"))
"""),
    Program("b46", "weights of another model", "checkpoint-key-mismatch", """import torch
saved = torch.nn.Linear(4, 8).state_dict()
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU()).cuda()
model.load_state_dict(saved)
"""),
    Program("b47", "JAX is told to take a platform that is not there",
        "environment-variable-invalid gpu-hidden-by-environment", """import jax
print(jax.numpy.ones(3).sum())
""", "export JAX_PLATFORMS=rocm"),
    Program("b48", "the UUID of another card", "gpu-hidden-by-environment", """import torch
print(torch.ones(3).cuda())
""", "export CUDA_VISIBLE_DEVICES=GPU-8d5e7a1c-1111-2222-3333-444455556666"),
    Program("b49", "an extension for a GPU that the toolkit no longer knows",
        "cuda-toolkit-mismatch-build build-dropped-older-gpu-arch environment-variable-invalid", """import pathlib
from torch.utils.cpp_extension import load
here = pathlib.Path(__file__).parent
load("scale", [str(here / "scale.cu")], build_directory=str(here), is_python_module=False)
""", "export TORCH_CUDA_ARCH_LIST=5.0"),
    Program("b50", "a Triton kernel that wants too much shared memory", "user-code-error", """import torch, triton
import triton.language as tl
@triton.jit
def product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))
n = 512
a = torch.ones(n, n, device="cuda", dtype=torch.float16)
c = torch.empty(n, n, device="cuda", dtype=torch.float32)
product[(1,)](a, a, c, n)
torch.cuda.synchronize()
"""),
    Program("b51", "bitsandbytes is not installed", "package-not-installed", """import transformers
config = transformers.BitsAndBytesConfig(load_in_4bit=True)
model = transformers.AutoModelForCausalLM.from_pretrained(__file__.rpartition("/")[0], quantization_config=config)
"""),
    Program("b52", "two processes on one card under NCCL", "nccl-or-multi-gpu-failure", """import os, torch
import torch.distributed as dist
import torch.multiprocessing as mp
def work(rank):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    dist.init_process_group("nccl", rank=rank, world_size=2)
    x = torch.ones(3, device="cuda:0")
    dist.all_reduce(x)
    print(x)
if __name__ == "__main__":
    mp.spawn(work, nprocs=2)
"""),
    Program("b53", "offline mode and an empty cache", "download-refused", """import transformers
print(transformers.AutoTokenizer.from_pretrained("Qwen/Qwen3-0.6B"))
""", 'export HF_HUB_OFFLINE=1 HF_HOME="$HERE/hub"'),
    Program("b54", "a gradient that is NaN", "user-code-error mixed-precision-overflow", """import torch
torch.autograd.set_detect_anomaly(True)
x = torch.zeros(3, device="cuda", requires_grad=True)
(x.sqrt() * 0).sum().backward()
"""),
    Program("b55", "a singular matrix", "user-code-error", """import torch
print(torch.linalg.solve(torch.zeros(3, 3, device="cuda"), torch.ones(3, device="cuda")))
"""),
    Program("b56", "workers that use CUDA after a fork", "main-guard-missing user-code-error", """import torch
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, at):
        return torch.full((3,), float(at), device="cuda")
if __name__ == "__main__":
    torch.ones(1, device="cuda")
    for batch in torch.utils.data.DataLoader(Data(), batch_size=4, num_workers=2):
        print(batch.sum().item())
"""),
    Program("b57", "goes to the processor where no GPU is visible", "gpu-hidden-by-environment", """import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
print(torch.nn.Linear(512, 512).to(device)(torch.randn(64, 512, device=device)).sum().item())
""", 'export CUDA_VISIBLE_DEVICES=""', symptom="not-on-gpu"),
    Program("b58", "JAX was told to take the processor, and takes it", "gpu-hidden-by-environment", """import jax
print(jax.jit(lambda x: (x @ x).sum())(jax.numpy.ones((256, 256))))
""", "export JAX_PLATFORMS=cpu", symptom="not-on-gpu"),
    Program("b59", "goes to the processor, for the toolkit's stub is in the way", "cuda-compat-conflict", """
import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
print(torch.randn(512, 512, device=device).inverse().sum().item())
""", 'export LD_LIBRARY_PATH="$HERE/stubs:$LD_LIBRARY_PATH"', symptom="not-on-gpu"),
    Program("b60", "a pipeline that nobody gave a device", "program-stays-on-cpu", """import torch, transformers
config = transformers.GPT2Config(n_layer=2, n_head=2, n_embd=64, vocab_size=100)
model = transformers.GPT2LMHeadModel(config).eval()
print(model.generate(torch.tensor([[1, 2, 3]]), max_new_tokens=5, do_sample=False, pad_token_id=0))
""", symptom="not-on-gpu"),
    Program("h11", "a compiled training with mixed precision", "", """import torch
model = torch.compile(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda())
optimizer = torch.optim.AdamW(model.parameters())
for step in range(5):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(torch.randn(32, 64, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
"""),
    Program("h12", "spawned processes on the card", "", """import torch
import torch.multiprocessing as mp
def work(n):
    return torch.ones(n, device="cuda").sum().item()
if __name__ == "__main__":
    with mp.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, [3, 4]))
"""),
    Program("h13", "asks nvidia-smi, and computes with CuPy", "", """import subprocess, cupy
print(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout[:20])
print(float(cupy.ones((64, 64)).dot(cupy.ones((64, 64))).sum()))
"""),
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
(here / "b45/cut.pt").write_bytes(data[: len(data) // 2])
import onnx
from onnx import helper as h, TensorProto as T
graph = h.make_graph([h.make_node("Add", ["x", "x"], ["y"])], "g", [h.make_tensor_value_info("x", T.FLOAT, [3])],
                     [h.make_tensor_value_info("y", T.FLOAT, [3])])
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=9), here / "b18/add.onnx")
import nvidia, glob
for path in nvidia.__path__:
    for name in glob.glob(path + "/cudnn/lib/libcudnn.so.9"):
        (here / "h8/broken/libcudnn.so.9").write_bytes(pathlib.Path(name).read_bytes()[:20000])
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
    (folder / "b49/scale.cu").write_text(KERNEL)
    (folder / "b51/config.json").write_text('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}')
    (folder / "prepare.py").write_text(PREPARE)
    for name in ("b9/stubs", "b59/stubs", "b14/empty", "h8/broken"):
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
    (place / "symptom").write_text(program.symptom)
    start = (program.start or 'exec "$@"').replace("PYTHON", str(python))
    (place / "wrap").write_text(f"#!/usr/bin/env bash\nexport HERE={place}\n{program.wrap}\n{start}\n")
    (place / "wrap").chmod(0o755)


if __name__ == "__main__":
    main()
