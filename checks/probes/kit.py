"""What the probes share."""

import os
import re
import sys
import tempfile
import time
import traceback
import warnings

TEXT_LIMIT = 20000  # characters of one message or traceback; a runaway text helps nobody
LINE_LIMIT = 1000  # bytes of a line of a log
WARNING_LIMIT = 100  # warnings that are kept

# Shared libraries that decide whether and how a framework computes, by the start of their names without "lib":
# the GPU stacks, the mathematics libraries, the C, C++, Fortran and OpenMP runtimes, the frameworks themselves.
_LIBRARIES = re.compile(
    r"^(?:lib)?(?:"
    # NVIDIA
    r"cuda|nvcuda|cublas|cudnn|cufft|cupti|curand|cusolver|cusparse|cufile|cudss|nvrtc|nvjitlink|nvtoolsext|nvtx|"
    r"nccl|nvshmem|nvinfer|nvonnxparser|nvidia-|nvml|nvdxg|"
    # AMD
    r"amdhip|amdocl|amd_comgr|hip|hsa|hsakmt|roc|rccl|miopen|migraphx|dxcore|"
    # Intel, OpenCL, Vulkan, DirectML
    r"ze_|sycl|opencl|igdrcl|pi_|ur_|ccl\.|openvino|directml|d3d12|vulkan|"
    # mathematics
    r"mkl_|mkldnn|dnnl|onednn|openblas|scipy_openblas|blas|cblas|lapack|tbb|svml|xnnpack|nvpl|armpl|arm_compute|"
    # runtimes of the compilers
    r"iomp|gomp|omp\.|omp140|vcomp|stdc\+\+|c\+\+|gcc_s|gfortran|quadmath|msvcp|vcruntime|concrt|ucrtbase|"
    r"c[.-][\d.]*so|c\.so|c\.musl|ld-musl|"
    # frameworks
    r"torch|c10|caffe2|onnxruntime|tensorflow|jax|xla|pjrt|edgetpu|litert|coreml|"
    # others that bring one of these along, or hide it
    r"jemalloc|tcmalloc|mimalloc|asan|fakeroot"
    r")",
    re.IGNORECASE,
)
_SHARED_LIBRARY = re.compile(r"\.(so|dylib|dll|pyd)(\.[\d.]+)?$", re.IGNORECASE)
_SO_VERSION = re.compile(r"\.so\.([\d.]+)$|-([\d.]+)\.so$|\.([\d.]+)\.dylib$")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")

_seen_warnings = []


def describe(error):
    """An exception as facts."""
    try:
        message = str(error)
    except Exception:  # a broken __str__ of the target's own exception
        message = "<no message>"
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    message = _COLOUR.sub("", message)
    return {"type": type(error).__name__, "message": message[:TEXT_LIMIT], "traceback": lines[-TEXT_LIMIT:]}


class Warned:
    """Keeps the warnings that the user would see, in a `with` block. All blocks of a probe share one list."""

    def __enter__(self):
        self._catch = warnings.catch_warnings(record=True)
        self._caught = self._catch.__enter__()
        return self

    def __exit__(self, *error):
        self._catch.__exit__(*error)
        for caught in self._caught:
            text = "%s: %s" % (caught.category.__name__, caught.message)
            if text not in _seen_warnings and len(_seen_warnings) < WARNING_LIMIT:
                _seen_warnings.append(text[:TEXT_LIMIT])

    @property
    def facts(self):
        """All warnings so far."""
        return list(_seen_warnings)


class Captured:
    """Keeps what native code prints on standard error in a `with` block: often the only place that has a reason.

    It is passed on when the block ends. ``text`` holds it afterwards: the end of it, or of a long log only the lines
    that match ``keep``, a compiled pattern of bytes. Where the process dies in the block, the last words stay in the
    file, for whoever started the host.
    """

    path = None  # the host names it; None: a file without a name, since nothing may be left anywhere

    def __init__(self, keep=None):
        self._keep = keep

    def __enter__(self):
        self.text = ""
        self._saved = os.dup(2)
        self._file = open(self.path, "w+b", buffering=0) if self.path else tempfile.TemporaryFile(buffering=0)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *error):
        os.dup2(self._saved, 2)
        printed = self._last() if self._keep is None else self._kept()
        self._file.truncate(0)
        self._file.close()
        os.write(self._saved, printed)
        os.close(self._saved)
        self.text = _COLOUR.sub("", printed.decode("utf-8", "replace")).strip()

    def _last(self):
        self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, self._file.tell() - TEXT_LIMIT))
        return self._file.read()

    def _kept(self):
        kept, size = [], 0
        with os.fdopen(os.dup(self._file.fileno()), "rb") as file:
            file.seek(0)
            for line in file:
                if size < TEXT_LIMIT and self._keep.search(line):
                    kept.append(line[:LINE_LIMIT].rstrip() + b"\n")
                    size += len(kept[-1])
        return b"".join(kept)


def place_of_folders():
    """Where temporary folders are made: beside the answer, so that they go with it where this process is killed."""
    return os.path.dirname(os.path.abspath(Captured.path)) if Captured.path else None


def is_carried():
    """Whether the probes are one file, which starts no other process of its own and leaves nothing on the disk."""
    return not os.path.isfile(os.path.abspath(__file__))


def attempt(work, check):
    """A small computation and whether its result is right, as the fact KernelLaunch."""
    started = time.perf_counter()
    try:
        result = work()
    except Exception as error:
        return {"ran": False, "error": describe(error)}
    return {"ran": True, "correct": bool(check(result)), "seconds": time.perf_counter() - started}


def installed(*names):
    """The distributions of these names that are installed, as {name: version}, from their metadata."""
    from importlib import metadata

    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def try_import(name, module=None):
    """Import a package really, as the fact ImportTry; None where it is not installed."""
    import importlib
    import importlib.util

    try:
        if importlib.util.find_spec(name) is None:
            return None
    except (ImportError, ValueError):  # a package without __spec__, or a broken finder
        return None
    try:
        package = importlib.import_module(name)
        if module is not None:
            importlib.import_module(module)
    except (Exception, SystemExit) as error:
        return {"name": name, "imported": False, "error": describe(error)}
    version = getattr(package, "__version__", None)
    return {"name": name, "imported": True, "version": None if version is None else str(version)}


def loaded_libraries():
    """The shared libraries in this process that matter for computing, as facts LibraryFile, sorted by path."""
    if sys.platform.startswith("linux"):
        paths = _mapped_files()
    elif sys.platform == "darwin":
        paths = _dyld_images()
    elif sys.platform == "win32":
        paths = _process_modules()
    else:
        raise NotImplementedError("the loaded libraries cannot be listed on " + sys.platform)
    wanted = sorted({path for path in paths if _matters(os.path.basename(path.replace("\\", "/")))})
    return [_library(path) for path in wanted]


def libraries(argument):
    """The last stage of a framework: which shared libraries are loaded from where, after all that ran before."""
    return {"loaded_libraries": loaded_libraries()}


def import_facts(package, warnings):
    """What every framework's import shows: its version, its folder, and the warnings."""
    version = str(package.__version__)
    return {"version": version, "location": os.path.dirname(package.__file__), "warnings": warnings}


def cudnn_version(number):
    """From cuDNN's number to its version: 90100 is 9.1.0, and before cuDNN 9, 8902 is 8.9.2; "" of none."""
    major = 10000 if number and number >= 90000 else 1000
    return "%d.%d.%d" % (number // major, number % major // 100, number % 100) if number else ""


def _matters(name):
    return bool(_SHARED_LIBRARY.search(name) and _LIBRARIES.match(name))


def _library(path):
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    real = os.path.realpath(path)
    match = _SO_VERSION.search(os.path.basename(real)) or _SO_VERSION.search(name)
    version = next((group for group in match.groups() if group), None) if match else None
    if sys.platform == "win32":
        version = _file_version(path)
    fact = {"path": path, "origin": "loaded"}
    if real != path:
        fact["real_path"] = real
    if version:
        fact["version"] = version
    return fact


def _mapped_files():
    """Linux: the files of which code is mapped. A deleted file keeps its name, with a mark of the kernel behind it."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            parts = line.rstrip("\n").split(None, 5)
            if len(parts) == 6 and "x" in parts[1] and parts[5].startswith("/"):
                yield re.sub(r" \(deleted\)$", "", parts[5])


def _dyld_images():
    """macOS: the images that the dynamic linker holds (mach-o/dyld.h)."""
    import ctypes

    library = ctypes.CDLL(None)
    library._dyld_get_image_name.restype = ctypes.c_char_p
    for index in range(library._dyld_image_count()):
        name = library._dyld_get_image_name(index)
        if name:
            yield os.fsdecode(name)


def _process_modules():
    """Windows: the modules of this process (psapi.h, EnumProcessModules)."""
    import ctypes
    from ctypes import wintypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.GetCurrentProcess.restype = wintypes.HANDLE
    enumerate_modules, pointer = kernel.K32EnumProcessModules, ctypes.POINTER
    enumerate_modules.argtypes = (
        wintypes.HANDLE, pointer(wintypes.HMODULE), wintypes.DWORD, pointer(wintypes.DWORD),
    )  # fmt: skip
    kernel.GetModuleFileNameW.argtypes = (wintypes.HMODULE, wintypes.LPWSTR, wintypes.DWORD)
    handles, needed = (wintypes.HMODULE * 4096)(), wintypes.DWORD()
    if not enumerate_modules(kernel.GetCurrentProcess(), handles, ctypes.sizeof(handles), ctypes.byref(needed)):
        raise ctypes.WinError(ctypes.get_last_error())
    buffer = ctypes.create_unicode_buffer(32768)
    for handle in handles[: min(needed.value // ctypes.sizeof(wintypes.HMODULE), len(handles))]:
        if kernel.GetModuleFileNameW(handle, buffer, len(buffer)):
            yield buffer.value


def _file_version(path):
    """Windows: the version in a DLL's resources ("14.40.33810.0"), None where it has none."""
    import ctypes

    library = ctypes.WinDLL("version")
    size = library.GetFileVersionInfoSizeW(path, None)
    if not size:
        return None
    data, value, length = ctypes.create_string_buffer(size), ctypes.c_void_p(), ctypes.c_uint()
    if not library.GetFileVersionInfoW(path, 0, size, data):
        return None
    if not library.VerQueryValueW(data, "\\", ctypes.byref(value), ctypes.byref(length)) or length.value < 16:
        return None
    # VS_FIXEDFILEINFO: signature, structure version, then the file version in two double words.
    _, _, high, low = (ctypes.c_uint32 * 4).from_address(value.value)
    return "%d.%d.%d.%d" % (high >> 16, high & 0xFFFF, low >> 16, low & 0xFFFF)
