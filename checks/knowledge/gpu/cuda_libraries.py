"""CUDA's shared libraries, and the packages that bring them."""

import re

from checks.knowledge import Row, Table

_FILE = re.compile(r"(?:lib)?([A-Za-z_-]+?)(?:64)?(?:_\d+)*(?:\.so|\.dll|$)")
_NUMBER = re.compile(r"\.so\.(\d{1,2})(?:\.|$)")
_SUFFIX = re.compile(r"(.+)-cu(\d\d)$")


class CudaLibrary(Row):
    """One library, by the stem of its name, and its package without the CUDA suffix."""

    stem: str
    package: str
    suffixed: bool = False
    shared_folder: bool = False
    numbered_as_cuda: bool = False


class CudaLibraries(Table):
    library: tuple[CudaLibrary, ...]


def library_of_file(file: str) -> CudaLibrary | None:
    """The row of a library by its file ("/x/libcublasLt.so.12", "cudnn_ops64_9.dll"); None for other libraries."""
    found = _FILE.match(re.split(r"[/\\]", file)[-1])
    stem = found[1].lower() if found else ""
    rows = [row for row in CudaLibraries.read().library if stem.startswith(row.stem.lower())]
    return max(rows, key=lambda row: len(row.stem), default=None)


def cuda_major_in(file: str) -> int | None:
    """CUDA's major version by the name of a library's file ("libcublasLt.so.12"); None where it does not tell."""
    row, number = library_of_file(file), _NUMBER.search(file)
    return int(number[1]) if row is not None and row.numbered_as_cuda and number else None


def package_of(row: CudaLibrary, cuda_major: int) -> str:
    """The package that brings a library for a CUDA major version: "nvidia-cublas-cu12", from 13 on "nvidia-cublas"."""
    return row.package if cuda_major >= 13 and not row.suffixed else f"{row.package}-cu{cuda_major}"


def cuda_major_of(package: str) -> tuple[CudaLibrary, int] | None:
    """What a package ("nvidia-cudnn-cu12") brings and for which CUDA major version; None for other packages.

    A package without a suffix ("nvidia-cublas") is for CUDA 13 or later; that it is 13 is all that is known today.
    """
    found = _SUFFIX.match(package)
    base, major = (found[1], int(found[2])) if found else (package, 13)
    row = next((row for row in CudaLibraries.read().library if row.package == base), None)
    if row is None or base == "tensorrt" or (found is None and row.suffixed):
        return None
    return row, major
