"""Python: interpreters, their packages, and the variables of the target's process."""

import msgspec

from checks.facts.base import Fact
from checks.facts.machine import OsFacts


class Package(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An installed distribution, from its metadata; nothing was imported."""

    name: str  # normalised (PEP 503): "onnxruntime-gpu"
    version: str
    location: str | None = None  # the folder that holds it
    installer: str | None = None  # INSTALLER: "pip", "conda", "uv"
    # Requires-Dist: all lines of a framework; of the other packages in ai_packages.toml those that always apply; of
    # the rest only those that name a package of that table.
    requires: tuple[str, ...] | None = None
    requires_python: str | None = None
    tags: tuple[str, ...] | None = None  # wheel tags: "cp311-cp311-manylinux_2_28_x86_64"
    build: str | None = None  # conda build string: "py3.11_cuda12.1_cudnn8_0"
    channel: str | None = None  # conda channel


class InterpreterFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A Python interpreter, read without starting it."""

    path: str  # as a user would type it
    real_path: str | None = None
    prefix: str | None = None  # sys.prefix
    base_prefix: str | None = None
    kind: str | None = None  # "venv", "conda", "pyenv", "uv", "pipx", "poetry", "system", "portable", "store", "other"
    found_by: tuple[str, ...] = ()  # "PATH", "folder", "jupyter", "py launcher", ...
    version: str | None = None  # "3.11.7"
    implementation: str | None = None  # "cpython", "pypy"
    architecture: str | None = (
        None  # of the interpreter: "x86_64", "arm64", "AMD64", "x86"; "universal2" arm64 + x86_64
    )
    free_threaded: bool | None = None
    externally_managed: bool | None = None  # PEP 668
    user_site: bool | None = None  # the user's site folder is on sys.path
    package_manager: str | None = None  # that installs into it: "pip", "conda", "pixi", "uv", "poetry", "pdm", "pipx"
    project: str | None = None  # the folder whose manifest and lock file say what is installed into it
    packages: tuple[Package, ...] | None = None
    # Why it is not usable: "missing", "not-python", "unreadable", "not-executable", "base-missing" (an environment
    # whose Python was removed), "installer-alias" (it only offers to install Python), "of-another" (it is another
    # user's, and nobody named it); None = nothing seen.
    problem: str | None = None
    unreadable_pth: tuple[str, ...] = ()  # files of its site folders that are no text, at which its start may fail

    def architecture_on(self, os: OsFacts | None) -> str | None:
        """The architecture that it runs as on this system: "universal2" runs as the machine does; None if unread."""
        is_known = self.architecture not in (None, "universal2")
        return self.architecture if is_known else os.architecture if os else None

    def package(self, *names: str) -> Package | None:
        """The first of these distributions (normalised names) that is installed; None also if unread."""
        for package in self.packages or ():
            if package.name in names:
                return package
        return None


class StoragePlace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A folder that a program writes to, or is loaded from, and what its file system allows."""

    name: str  # "environment", "temporary", "cache", or the variable that names it: "HF_HOME"
    path: str
    exists: bool = True  # else the rest is of the nearest folder above that does
    free: int | None = None  # bytes that this user may write
    is_writable: bool | None = None
    is_read_only: bool | None = None  # the file system
    is_noexec: bool | None = None  # the same: nothing of it may be run or loaded


class EnvironmentVariables(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Variables of the target's process, by an allow list (resources/knowledge/packages/environment_variables.toml)."""

    values: dict[str, str] = {}  # only those that are set
    compilers: dict[str, str] | None = None  # name -> path of those that builds look for; "" = not on PATH
    cuda_home: str | None = None  # where PyTorch's extension builder looks for the CUDA toolkit; "" = nowhere
    nvcc: str | None = None  # the CUDA compiler there; "" = there is none
    nvcc_version: str | None = None  # "12.4"
    limits: dict[str, int] | None = None  # of the process, those that are set: "address_space", "open_files", ...
    places: tuple[StoragePlace, ...] | None = None
    keras: dict[str, str] | None = None  # what Keras's settings file says; None: there is none
    keras_file: str | None = None
