# ruff: noqa: E501 - what programs printed stays as it is
"""What logs of Ollama, llama.cpp and others tell of what they compute on: recorded here, or pasted in public threads."""

from pathlib import Path

import pytest

from checks.facts import LocalProgram
from checks.readers.tickets.read import pasted, read_ticket

RECORDED = Path(__file__).parents[4] / "recordings" / "local_programs"

# ollama/ollama#10483, shortened
CUDA = """\
time=2025-04-30T02:46:25.000+08:00 level=INFO source=routes.go:1231 msg="server config" env="map[CUDA_VISIBLE_DEVICES: GPU_DEVICE_ORDINAL: HIP_VISIBLE_DEVICES: HSA_OVERRIDE_GFX_VERSION: OLLAMA_DEBUG:INFO OLLAMA_LLM_LIBRARY: OLLAMA_MODELS:D:\\\\ollama\\\\Models ROCR_VISIBLE_DEVICES:]"
time=2025-04-30T02:46:25.100+08:00 level=INFO source=routes.go:1298 msg="Listening on 127.0.0.1:11434 (version 0.6.6)"
time=2025-04-30T02:46:26.042+08:00 level=INFO source=types.go:130 msg="inference compute" id=GPU-a91a72c4 library=cuda variant=v12 compute=8.9 driver=12.5 name="NVIDIA GeForce RTX 4090" total="23.6 GiB" available="21.8 GiB"
"""
OFFLOADED = 'time=2025-04-30T02:47:00.000+08:00 level=INFO source=ggml.go:494 msg="offloaded {}/43 layers to GPU"\n'
# ollama/ollama, discover/types.go since 0.12.10
NEWER = 'level=INFO source=types.go:42 msg="inference compute" id=GPU-1 filter_id="" library=CUDA compute=12.0 name=CUDA0 description="NVIDIA GeForce RTX 5070" libdirs=ollama,cuda_v13 driver=13.0 pci_id=0000:01:00.0 type=discrete total="12.0 GiB" available="10.8 GiB"'
# ollama/ollama#9362 and #8164
AMD = 'time=2024-09-10T21:59:54.408Z level=INFO source=types.go:107 msg="inference compute" id=0 library=rocm variant="" compute=gfx1102 driver=6.12 name=1002:7480 total="16.0 GiB" available="15.8 GiB"'
# ggml-org/llama.cpp#6787
UNASKED = """\
ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA H800, compute capability 9.0, VMM: yes
llm_load_tensors: offloading 0 repeating layers to GPU
llm_load_tensors: offloaded 0/33 layers to GPU
llm_load_tensors:        CPU buffer size =  5459.93 MiB
"""
# Comfy-Org/ComfyUI#5085 and a start with a card
COMFY_CPU = "2024-09-27 12:43:16,872 - root - INFO - Set vram state to: DISABLED\n2024-09-27 12:43:16,872 - root - INFO - Device: cpu\n"
COMFY_GPU = "Total VRAM 24564 MB, total RAM 65298 MB\nSet vram state to: NORMAL_VRAM\nDevice: cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync\n"


def program(text: str) -> LocalProgram:
    found = read_ticket(pasted(text)).local_programs
    assert found is not None
    assert len(found) == 1
    return found[0]


def test_ollama_names_its_runtime_and_card() -> None:
    told = program(CUDA)
    assert (told.name, told.version) == ("Ollama", "0.6.6")
    assert (told.backend, told.runtime, told.devices) == ("cuda", "cuda_v12", ("NVIDIA GeForce RTX 4090",))
    assert told.layers is None
    assert not told.is_whole_on_gpu


def test_newer_ollama_names_the_folder_of_its_libraries() -> None:
    told = program(NEWER)
    assert (told.backend, told.runtime, told.devices) == ("cuda", "cuda_v13", ("NVIDIA GeForce RTX 5070",))


@pytest.mark.parametrize(
    "vulkan",
    [
        pytest.param("ggml_vulkan: No devices found.\n", id="none"),
        pytest.param(
            "ggml_vulkan: Found 1 Vulkan devices:\nggml_vulkan: 0 = llvmpipe (LLVM 15.0.7) (llvmpipe) | uma: 0\n"
            "ggml_vulkan: Warning: Device type is CPU. This is probably not the device you want.\n",
            id="software",
        ),
    ],
)
def test_a_backend_without_a_gpu_says_nothing_of_another_one(vulkan: str) -> None:
    cuda = (
        "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\n"
    )
    whole = "load_tensors: offloaded 33/33 layers to GPU\n"
    told = program(cuda + vulkan + whole)
    assert (told.backend, told.devices) == ("cuda", ("NVIDIA GeForce RTX 3090",))
    assert told.is_whole_on_gpu
    later = program(
        cuda + vulkan + whole + "ggml_cuda_init: failed to initialize CUDA: unknown error\n" + vulkan + whole
    )
    assert (later.backend, later.devices, later.layers) == ("cpu", (), 0)


def test_rocm_is_its_own_backend() -> None:
    assert program(AMD).backend == "rocm"


@pytest.mark.parametrize(("layers", "is_whole", "is_partly"), [(43, True, False), (20, False, True), (0, False, False)])
def test_layers_are_counted(layers: int, is_whole: bool, is_partly: bool) -> None:
    told = program(CUDA + OFFLOADED.format(layers))
    assert (told.layers, told.layers_total) == (layers, 43)
    assert (told.is_whole_on_gpu, told.is_partly_on_gpu) == (is_whole, is_partly)
    assert told.is_on_processor is (layers == 0)


def test_the_last_model_counts() -> None:
    assert program(CUDA + OFFLOADED.format(43) + OFFLOADED.format(7)).layers == 7
    assert program(CUDA + OFFLOADED.format(7) + OFFLOADED.format(43)).is_whole_on_gpu


def test_what_an_earlier_start_told_is_over() -> None:
    told = program(OFFLOADED.format(0) + 'msg="no compatible GPUs were discovered"\n' + CUDA)
    assert told.backend == "cuda"
    assert told.layers is None


def test_an_earlier_start_of_koboldcpp_is_over() -> None:
    """The banner as koboldcpp.py prints it; the first start found a card, the second was made without one."""
    start = "***\nWelcome to KoboldCpp - Version 1.75.2\nInitializing dynamic library: koboldcpp_{}.so\n"
    (program,) = read_ticket(pasted(start.format("cublas") + start.format("default"))).local_programs
    assert (program.runtime, program.backend) == ("default", None)


def test_variables_with_nothing_behind_are_not_set() -> None:
    assert read_ticket(pasted(CUDA)).environment is None
    hidden = read_ticket(pasted(CUDA.replace("CUDA_VISIBLE_DEVICES:", "CUDA_VISIBLE_DEVICES:-1")))
    assert hidden.environment is not None
    assert hidden.environment.values == {"CUDA_VISIBLE_DEVICES": "-1"}


def test_the_cards_of_a_log_are_facts() -> None:
    machine = read_ticket(pasted(CUDA)).machine
    assert machine is not None
    assert machine.nvidia is not None
    (gpu,) = machine.nvidia.devices or ()
    assert (gpu.name, gpu.compute_capability) == ("NVIDIA GeForce RTX 4090", "8.9")
    assert gpu.memory_total == int(23.6 * 2**30)


def test_a_card_to_which_nothing_was_sent() -> None:
    told = program(UNASKED)
    assert (told.name, told.devices, told.layers) == ("llama.cpp", ("NVIDIA H800",), 0)
    assert told.is_on_processor


@pytest.mark.parametrize("name", ["llama-cpp-processor", "llama-cpp-vulkan-without-card", "llama-cpp-vulkan-llvmpipe"])
def test_llama_cpp_without_a_card_computes_on_the_processor(name: str) -> None:
    told = program((RECORDED / f"{name}.txt").read_text(encoding="utf-8"))
    assert told.name == "llama.cpp"
    assert told.is_on_processor
    assert not told.is_whole_on_gpu  # "offloaded 5/5 layers" to a renderer in software is no card


def test_comfyui_names_its_device() -> None:
    assert (program(COMFY_GPU).backend, program(COMFY_GPU).devices) == ("cuda", ("NVIDIA GeForce RTX 4090",))
    assert program(COMFY_CPU).is_on_processor


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("I asked ollama to explain CUDA to me.", id="only-named"),
        pytest.param("RuntimeError: CUDA out of memory", id="another-program"),
        pytest.param("offloaded " * 20_000 + "inference compute " * 20_000, id="long"),
        pytest.param('msg="inference compute" ' + "a=" * 5_000, id="no-values"),
    ],
)
def test_silent(text: str) -> None:
    assert not any(told.is_told for told in read_ticket(pasted(text)).local_programs or ())
