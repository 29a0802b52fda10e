# ruff: noqa: E501 - what programs printed stays as it is
"""Loose mentions: what is there, and what is only talked about."""

import pytest

from checks.facts import Facts
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in


def read(text: str) -> Facts:
    return reported_in(lines_of(text)).facts


def gpus(text: str) -> list[str | None]:
    machine = read(text).machine
    return [gpu.product for gpu in machine.gpus.devices] if machine and machine.gpus else []


def packages(text: str) -> dict[str, str]:
    interpreter = read(text).target_interpreter
    return {package.name: package.version for package in interpreter.packages or ()} if interpreter else {}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I have an RTX 5070 Ti and it fails", ["RTX 5070 Ti"]),
        ("Setup: 2x RTX 3090, Ubuntu", ["RTX 3090"]),
        ("works not on my GTX 1660 SUPER", ["GTX 1660 SUPER"]),
        ("on a single A100 80GB", ["A100"]),
        ("T4 with tensorrt 8.4", ["T4"]),
        ("RX 7900 XTX on Fedora", ["RX 7900 XTX"]),
        ("Intel Arc A770 under Linux", ["Intel Arc A770"]),
        ("NVIDIA GeForce RTX 3080 Laptop GPU", ["NVIDIA GeForce RTX 3080 Laptop"]),
        ("rtx4090 here", ["rtx4090"]),
        ("an RTX 3090 and, in the other slot, an RTX A6000", ["RTX 3090", "RTX A6000"]),
        ("FP8 models require a GPU with Compute Capability 8.9 or higher (e.g., RTX 4090).", []),
        ("cards such as the RTX 4090 are fine", []),
        ("Windows 11, RTX 3090.", ["RTX 3090"]),
        ("2080ti, cuda10.1", ["2080ti"]),
        ("since the update (GT 1030):", ["GT 1030"]),
        ("all RTX 30 series cards", []),
        ("the RTX 5000 series", []),
        ("the p100 latency is 5 ms", []),
        ("see layer a16 of block h20", []),
        ("GeForce Experience 3.27 and NVIDIA driver", []),
        ("Tesla Model 3", []),
    ],
)
def test_gpus(text: str, wanted: list[str]) -> None:
    assert gpus(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("torch 2.7.1+cu128", {"torch": "2.7.1+cu128"}),
        ("python3.6.13  cuda10.2 pytorch1.8.0", {"torch": "1.8.0"}),
        ("tf 2.10 on Windows", {"tensorflow": "2.10"}),
        ("using numpy 2.0.1.", {"numpy": "2.0.1"}),
        ("torch version: 2.3.1+cu121", {"torch": "2.3.1+cu121"}),
        ("Ultralytics 8.3.151  Python-3.10.11 torch-2.7.1+cu128", {"ultralytics": "8.3.151", "torch": "2.7.1+cu128"}),
        ("torch = 2.4.1\ntransformers = 4.45.1", {"torch": "2.4.1", "transformers": "4.45.1"}),
        ("onnx 1.14 and 1.15 tried", {}),
        ("works with torch 2.0 but not here", {}),
        ("In PyTorch 2.6, we changed the default value of the `weights_only` argument", {}),
        ("xFormers was built for: PyTorch 2.6.0+cu124 with CUDA 1204 (you have 2.6.0+cu126)", {"torch": "2.6.0+cu126"}),
        ("please upgrade to transformers 4.40 or later", {}),
        ("needs numpy 1.26 or newer", {}),
        ("torch>=2.0 is required", {}),
        ("modules must be compiled with NumPy 2.0.", {}),
        ("converted with TRT 6.0 and 7.0, no longer with TRT 7.1", {"tensorrt": "7.1"}),
        ("cannot be run in\nNumPy 2.0.0 as it may crash", {"numpy": "2.0.0"}),
        ("torch 1.12.0 + cu116", {"torch": "1.12.0+cu116"}),
        ("in the container pytorch 23.10, tensorrt 22.08", {}),
        (">>> torch.__version__\n'2.5.1+cpu'", {"torch": "2.5.1+cpu"}),
        ("print(numpy.__version__)  # 1.26.4", {"numpy": "1.26.4"}),
        ("print(tf.__version__)\n2.15.0", {"tensorflow": "2.15.0"}),
        ("if torch.__version__ >= '2.0':", {}),
        ("print(torch.__version__)\nTraceback (most recent call last):", {}),
        ("pytorch.org", {}),
        ("model-torch-2.5GB", {}),
        ("It shows 2.6.0+cpu in the console.", {"torch": "2.6.0+cpu"}),
        ("the version is 2.6.0+cu124.", {"torch": "2.6.0+cu124"}),
        ("dgl 2.1.0+cu121 is there", {}),
        ("torchaudio 2.1.0+cu121 is there", {"torchaudio": "2.1.0+cu121"}),
        ("jaxlib 0.4.30+cuda12", {"jaxlib": "0.4.30+cuda12"}),
        ("it works with 2.5.1+cu121 but not here", {}),
    ],
)
def test_packages(text: str, wanted: dict[str, str]) -> None:
    assert packages(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("driver 570.124.06", "570.124.06"),
        ('"cuda-drivers" 575.51.03 installed', "575.51.03"),
        ("NVIDIA driver version 535.104.05 is installed", "535.104.05"),
        ("Driver: nvidia-open-dkms 610.57.04", "610.57.04"),
        ("nvidia-driver-535", "535"),
        ("驱动版本 470.199.02", "470.199.02"),
        ("显卡驱动是535.104.05。", "535.104.05"),
        ("ドライバーのバージョンは570.124.06です", "570.124.06"),
        ("NVIDIAドライバ 550.54.14", "550.54.14"),
        ("ドライバ、470 とあります", None),
        ("Driver: 590.48.01", "590.48.01"),
        ("chromedriver 114.0.5735", None),
        ("the driver needs at least 525.60", None),
        ("with driver 470.57 and then with driver 535.10", None),
    ],
)
def test_driver(text: str, wanted: str | None) -> None:
    machine = read(text).machine
    found = machine.nvidia.driver_version if machine and machine.nvidia else None
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Python 3.12", "3.12"),
        ("Python 3.6, Pillow 4.2.1, opencv-python 3.3", "3.6"),
        ("/home/user/anaconda3/envs/x/lib/python3.7/site-packages/torch/__init__.py", "3.7"),
        (r"C:\Users\user\AppData\Local\Programs\Python\Python310\lib\site-packages\torch", "3.10"),
        ("tensorflow-2.4.0-cp38-cp38-manylinux2010_x86_64.whl", "3.8"),
        ("opencv-python 3.3", None),
        ("requires Python 3.9 or newer", None),
    ],
)
def test_python(text: str, wanted: str | None) -> None:
    interpreter = read(text).target_interpreter
    assert (interpreter.version if interpreter else None) == wanted


@pytest.mark.parametrize(
    ("text", "name", "system"),
    [
        ("Windows 11", "Windows 11", "Windows"),
        ("win10", "Windows 10", "Windows"),
        ("ubuntu22.04, RTX 3090", "Ubuntu 22.04", "Linux"),
        ("Windows-10-10.0.26100-SP0", "Windows 11", "Windows"),
        ("Microsoft Windows [Version 10.0.17763.292]", "Windows 10", "Windows"),
        ("Mac OS 10.15.6 (Catalina)", "macOS 10.15.6", "Darwin"),
        ("torch 1.2.0, Mac OSX 10.14.6", "macOS 10.14.6", "Darwin"),
        ("Windows 11, it works in WSL2 but not here", "Windows 11", "Windows"),
        ("macOS-15.1.1-arm64-arm-64bit-Mach-O", "macOS 15.1.1", "Darwin"),
        ("CentOS release 6.8 (Final)", "CentOS 6.8", "Linux"),
        ("Linux Mint 22.1", "Linux Mint 22.1", "Linux"),
        ("Fedora 34", "Fedora Linux 34", "Linux"),
        ("I use Arch Linux", "Arch Linux", "Linux"),
        ("/home/user/train.py", None, "Linux"),
        (r"D:\anaconda3\lib\site-packages", None, "Windows"),
        ("/Users/user/miniforge3/bin/python", None, "Darwin"),
        ("NAME=\"Ubuntu\"\nVERSION_ID=\"22.04\"\nID=ubuntu\nPRETTY_NAME=\"Ubuntu 22.04.3 LTS\"", "Ubuntu 22.04.3 LTS", "Linux"),
        ("Linux laptop 6.8.0-47-generic #47-Ubuntu SMP PREEMPT_DYNAMIC Fri Sep 27 21:40:26 UTC 2024 x86_64 GNU/Linux", "Ubuntu", "Linux"),
    ],
)  # fmt: skip
def test_system(text: str, name: str | None, system: str) -> None:
    machine = read(text).machine
    assert machine is not None
    assert machine.os is not None
    assert (machine.os.name, machine.os.system) == (name, system)


def test_what_no_system_is() -> None:
    assert read("RuntimeError: The MPS backend is supported on MacOS 13.0+.").machine is None
    assert read("nvidia-driver-bin 550.90.07-0ubuntu0.24.04.1").machine.os is None  # type: ignore[union-attr]
    assert read("gcc 11.4.0-1ubuntu1~22.04").machine is None
    assert read("close the window, open windows manually").machine is None


def test_wsl() -> None:
    for text in (
        "I run it in WSL2",
        "RTX 2080 Ti, Windows 11 [Version 10.0.22000.1219], Ubuntu 22.10 in WSL 2",
        "Windows Server 2022, Microsoft Windows [Version 10.0.20348.2582], WSL 2.2.4.0, Ubuntu 22.04",
        "Platform: Linux-5.15.90.1-microsoft-standard-WSL2-x86_64-with-glibc2.35",
    ):
        machine = read(text).machine
        assert machine is not None
        assert machine.os is not None
        assert (machine.os.system, machine.os.wsl) == ("Linux", 2)


def test_jetson_and_apple() -> None:
    jetson = read("Jetson nano, Jetpack 4.4").machine.jetson  # type: ignore[union-attr]
    assert jetson is not None
    assert (jetson.jetpack, jetson.compute_capability) == ("4.4", "5.3")
    orin = read("Jetson AGX Orin with JetPack 6.2").machine.jetson  # type: ignore[union-attr]
    assert orin is not None
    assert (orin.model, orin.compute_capability) == ("Jetson AGX Orin", "8.7")
    apple = read("a MacBook Pro with M2 Max").machine.apple  # type: ignore[union-attr]
    assert apple is not None
    assert (apple.chip, apple.is_apple_silicon) == ("Apple M2 Max", True)
    assert read("an NVMe M2 disk").machine is None


def test_cuda_belongs_to_no_fact() -> None:
    found = reported_in(lines_of("CUDA 12.8, cudnn 9.7"))
    assert found.facts == Facts(reported=True)
    assert found.mentions == {"cuda": ("12.8",), "cudnn": ("9.7",)}


def test_a_program_goes_before_a_mention() -> None:
    text = "My RTX 3090 fails.\nGPU 0: NVIDIA GeForce RTX 4090\nanother RTX 2080"
    assert gpus(text) == ["NVIDIA GeForce RTX 4090"]


def test_the_same_package_under_a_short_name() -> None:
    """Who has onnxruntime-gpu and calls it ONNX Runtime has one package, not two that get in each other's way."""
    assert packages("I use onnxruntime 1.18 (onnxruntime-gpu 1.18.0)") == {"onnxruntime-gpu": "1.18.0"}
    assert packages("onnxruntime 1.23.2\nonnxruntime-gpu 1.23.2") == {
        "onnxruntime": "1.23.2",
        "onnxruntime-gpu": "1.23.2",
    }


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("torch 2.1 here, torch 2.1.0+cu121 there", "2.1.0+cu121"),
        ("torch 2.1 here, torch 2.10.0 there", None),
    ],
)
def test_a_version_is_another_if_only_its_digits_begin_alike(text: str, version: str | None) -> None:
    assert packages(text).get("torch") == version
