"""The environment variables that a program in this interpreter sees, by the allow list in the argument.

The argument's ``names`` are the variables to read; nothing else is looked at. And the compilers that building an
extension, or torch.compile, would find; none of them is started.
"""

import glob
import json
import os
import re
import shutil
import sys

COMPILERS = ("cc", "gcc", "g++", "clang", "clang++", "cl")
_VERSION_IN_PATH = re.compile(r"cuda-(\d+\.\d+)|[\\/]v(\d+\.\d+)(?:[\\/]|$)", re.IGNORECASE)


def variables(argument):
    """Those of the wanted variables that are set."""
    return {"values": {name: os.environ[name] for name in argument["names"] if name in os.environ}}


def compilers(argument):
    """Which compilers lie on PATH."""
    return {"compilers": {name: shutil.which(name) or "" for name in COMPILERS}}


def cuda_toolkit(argument):
    """The CUDA toolkit that PyTorch's extension builder would take (torch/utils/cpp_extension.py, _find_cuda_home)."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    if not home:
        on_path = shutil.which("nvcc")
        home = os.path.dirname(os.path.dirname(on_path)) if on_path else _usual_place()
    if not home:
        return {"cuda_home": "", "nvcc": ""}
    nvcc = os.path.join(home, "bin", "nvcc.exe" if sys.platform == "win32" else "nvcc")
    if not os.path.isfile(nvcc):
        return {"cuda_home": home, "nvcc": ""}
    facts = {"cuda_home": home, "nvcc": nvcc}
    version = _toolkit_version(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))))
    if version:
        facts["nvcc_version"] = version
    else:
        facts["unread"] = {"nvcc_version": "neither version.json nor the path tells it"}
    return facts


def _usual_place():
    if sys.platform == "win32":
        found = sorted(glob.glob("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*.*"))
        return found[0] if found else ""
    return "/usr/local/cuda" if os.path.exists("/usr/local/cuda") else ""


def _toolkit_version(home):
    try:
        with open(os.path.join(home, "version.json"), encoding="utf-8") as file:
            version = str(json.load(file)["cuda"]["version"])
        return ".".join(version.split(".")[:2])
    except (OSError, ValueError, KeyError, TypeError):
        found = _VERSION_IN_PATH.search(home)
        return (found.group(1) or found.group(2)) if found else None


STAGES = (variables, compilers, cuda_toolkit)
ESSENTIAL = ("variables",)
