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

_LONGEST_FILE = 100000  # characters
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


def keras_settings(argument):
    """What Keras's settings file says, of what Keras reads from it; the file lies where KERAS_HOME says."""
    home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    path = os.path.join(home, "keras.json")
    try:
        with open(path, encoding="utf-8") as file:
            settings = json.loads(file.read(_LONGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(settings, dict):
        return {}
    known = ("backend", "floatx", "epsilon", "image_data_format")
    return {"keras_file": path, "keras": {name: str(settings[name])[:200] for name in known if name in settings}}


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


STAGES = (variables, compilers, cuda_toolkit, keras_settings)
ESSENTIAL = ("variables",)
