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

LIMITS = {
    "address_space": "RLIMIT_AS", "open_files": "RLIMIT_NOFILE", "processes": "RLIMIT_NPROC", "stack": "RLIMIT_STACK",
    "locked_memory": "RLIMIT_MEMLOCK", "file_size": "RLIMIT_FSIZE", "data": "RLIMIT_DATA",
}  # fmt: skip
CACHES = (
    "HF_HOME", "HF_HUB_CACHE", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR",
    "KERAS_HOME", "CUDA_CACHE_PATH",
)  # fmt: skip
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


def limits(argument):
    """The limits that are set for this process (ulimit); Windows has none."""
    try:
        import resource
    except ImportError:
        return {}
    found = {}
    for name, constant in LIMITS.items():
        number = getattr(resource, constant, None)
        if number is not None:
            soft = resource.getrlimit(number)[0]
            if soft != resource.RLIM_INFINITY:
                found[name] = soft
    return {"limits": found}


def places(argument):
    """The folders that frameworks write to or are loaded from. Nothing is written; a link is followed."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    temporary = next((os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), "/tmp")  # noqa: S108
    named = [("environment", sys.prefix), ("temporary", temporary), ("cache", cache)]
    named += [(name, os.environ[name]) for name in CACHES if os.environ.get(name)]
    return {"places": [_place(name, path) for name, path in named]}


def _place(name, path):
    facts = {"name": name, "path": path, "exists": os.path.isdir(path)}
    there = os.path.abspath(path)
    while not os.path.isdir(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    facts["is_writable"] = os.access(there, os.W_OK | os.X_OK)
    try:
        if hasattr(os, "statvfs"):
            found = os.statvfs(there)
            facts["free"] = found.f_bavail * found.f_frsize
            facts["is_read_only"] = bool(found.f_flag & 1)
            if sys.platform.startswith("linux"):
                facts["is_noexec"] = bool(found.f_flag & 8)
        else:
            facts["free"] = shutil.disk_usage(there).free
    except OSError:
        pass
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


STAGES = (variables, compilers, cuda_toolkit, keras_settings, limits, places)
ESSENTIAL = ("variables",)
