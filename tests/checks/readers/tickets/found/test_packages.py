# ruff: noqa: E501 - what programs printed stays as it is
"""Lists of packages as their tools print them, and the lines that only look like one."""

import pytest

from checks.facts import Package
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in


def packages(text: str) -> dict[str, Package]:
    interpreter = reported_in(lines_of(text)).facts.target_interpreter
    return {package.name: package for package in interpreter.packages or ()} if interpreter else {}


def versions(text: str) -> dict[str, str]:
    return {name: package.version for name, package in packages(text).items()}


PIP_LIST = """\
Package                  Version      Editable project location
------------------------ ------------ -------------------------
certifi                  2024.2.2
Jinja2                   3.1.3
my-model                 0.1.0        /home/user/my-model
torch                    2.2.1+cu121
typing_extensions        4.10.0
"""

FREEZE = """\
absl-py==2.1.0
nvidia-cudnn-cu12==8.9.2.26
# Editable install with no version control
requests[socks]==2.31.0 ; python_version >= "3.8"
torch==2.2.1+cu121
"""

# conda/conda#13413, meta-pytorch/data#315
CONDA = """\
(pytorch) D:\\apps\\miniconda3>conda list --show-channel-urls
# packages in environment at C:\\Users\\user\\.conda\\envs\\pytorch:
#
# Name                    Version                   Build  Channel
blas                      1.0                         mkl    defaults
brotli-python             1.0.9           py311hd77b12b_7    defaults
cuda-cudart               12.1.105                      0    nvidia
pytorch                   1.11.0          py3.8_cuda11.3_cudnn8.2.0_0    pytorch
transformers              4.51.3                   pypi_0    pypi
"""

# ContinuumIO's of 2018, omnia-md/conda-recipes#813
CONDA_OF_2018 = """\
# Name                    Version                   Build  Channel
bleach                    1.5.0                     <pip>
cudatoolkit               8.0                           3    anaconda
freetype                  2.8              vc14h17c9bdf_0  [vc14]  anaconda
pytorch                   0.4.1           py36_py35_py27__9.0.176_7.1.2_2    pytorch
"""

POETRY = """\
numpy             1.26.4          Fundamental package for array computing in Python
torch             2.2.1           Tensors and Dynamic neural networks in Python with strong GPU acceleration
xformers      (!) 0.0.25          XFormers: A collection of composable Transformer building blocks.
"""

# nschaetti/EchoTorch#22
SHOW = """\
Name: torch
Version: 1.7.0+cpu
Summary: Tensors and Dynamic neural networks in Python with strong GPU acceleration
Home-page: https://pytorch.org/
Location: c:\\users\\user\\appdata\\local\\python38\\site-packages
Requires: typing-extensions, future
"""

# SonySemiconductorSolutions/mct-model-optimization#1271
SATISFIED = """\
Requirement already satisfied: numpy<2.0 in /usr/local/lib/python3.10/dist-packages (from model_compression_toolkit) (1.26.4)
Successfully installed imx500-converter-3.14.3 scikit-learn-1.4.2 torch-2.2.1+cpu
"""


def test_pip_list() -> None:
    assert versions(PIP_LIST) == {
        "certifi": "2024.2.2",
        "jinja2": "3.1.3",
        "my-model": "0.1.0",
        "torch": "2.2.1+cu121",
        "typing-extensions": "4.10.0",
    }


def test_freeze() -> None:
    assert versions(FREEZE) == {
        "absl-py": "2.1.0",
        "nvidia-cudnn-cu12": "8.9.2.26",
        "requests": "2.31.0",
        "torch": "2.2.1+cu121",
    }


def test_conda() -> None:
    found = packages(CONDA)
    assert found["pytorch"] == Package(
        name="pytorch", version="1.11.0", installer="conda", build="py3.8_cuda11.3_cudnn8.2.0_0", channel="pytorch"
    )
    assert found["transformers"].installer == "pip"
    assert found["cuda-cudart"].channel == "nvidia"
    assert len(found) == 5


def test_what_the_build_of_conda_tells() -> None:
    torch = reported_in(lines_of(CONDA)).facts.frameworks.torch  # type: ignore[union-attr]
    assert torch is not None
    assert (torch.version, torch.cuda_version, torch.cudnn_version, torch.build) == ("1.11.0", "11.3", "8.2.0", "cuda")
    cpu = reported_in(lines_of(CONDA.replace("py3.8_cuda11.3_cudnn8.2.0_0", "py3.8_cpu_0"))).facts.frameworks
    assert cpu is not None
    assert cpu.torch is not None
    assert (cpu.torch.cuda_version, cpu.torch.build) == ("", "cpu")


def test_conda_of_2018() -> None:
    assert set(packages(CONDA_OF_2018)) == {"bleach", "cudatoolkit", "freetype", "pytorch"}


def test_poetry() -> None:
    assert versions("poetry show\n" + POETRY) == {"numpy": "1.26.4", "torch": "2.2.1", "xformers": "0.0.25"}


def test_pip_show() -> None:
    found = packages(SHOW)["torch"]
    assert found.version == "1.7.0+cpu"
    assert found.location is not None
    assert found.location.startswith("c:")


def test_what_pip_says_while_it_installs() -> None:
    assert versions(SATISFIED) == {
        "numpy": "1.26.4",
        "imx500-converter": "3.14.3",
        "scikit-learn": "1.4.2",
        "torch": "2.2.1+cpu",
    }


def test_rows_without_a_header() -> None:
    """bitsandbytes and torch are known; what else has two columns need not be a package (jax-ml/jax#18027)."""
    text = "nvidia-cublas-cu12        12.4.2.65\njax                  0.3.4\nepoch      12.5\nloss        0.25"
    assert versions(text) == {"nvidia-cublas-cu12": "12.4.2.65", "jax": "0.3.4"}


def test_the_first_of_two_lists_counts_and_the_other_is_noted() -> None:
    found = reported_in(lines_of("torch==2.1.0\nnumpy==1.26.4\n\nand in the other environment\ntorch==2.3.0"))
    assert versions("torch==2.1.0\n\ntorch==2.3.0") == {"torch": "2.1.0"}
    (contradiction,) = found.contradictions
    assert (contradiction.fact, contradiction.kept, contradiction.other, contradiction.lines) == (
        "package torch",
        "2.1.0",
        "2.3.0",
        (5,),
    )


def test_the_more_exact_version_is_the_same() -> None:
    found = reported_in(lines_of("torch==2.1.0\nPyTorch version: 2.1.0+cu121"))
    assert found.contradictions == ()
    assert found.facts.frameworks is not None
    assert found.facts.frameworks.torch is not None
    assert found.facts.frameworks.torch.version == "2.1.0+cu121"


def test_what_pip_says_of_a_conflict() -> None:
    text = "torchvision 0.15.2 requires torch==2.0.1, but you have torch 2.1.0 which is incompatible."
    assert versions(text) == {"torchvision": "0.15.2", "torch": "2.1.0"}


@pytest.mark.parametrize(
    "text",
    [
        "pip install torch==2.1.0",
        "ERROR: Could not find a version that satisfies the requirement torch==1.9.1+cu111 (from versions: none)",
        "ERROR: No matching distribution found for torch==1.9.1+cu111",
        "Collecting flash-attn==1.0.4",
        "step 100    loss 0.25    2.5",
        "Total params      1.5",
        "0.9 0.9 0.9 0.9",
        "model.embed    0.125    0.5",
        "assert x == 3.5",
        "lr==0.01",
    ],
)
def test_silent(text: str) -> None:
    assert packages(text) == {}
