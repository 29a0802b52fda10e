"""CUDA error codes that name a state of the machine, found in the messages of frameworks."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class CudaError(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One error. ``texts`` are pieces of its messages, in lower case; ``cause`` is an id of the catalogue."""

    code: int
    name: str  # "cudaErrorUnknown"
    texts: tuple[str, ...]
    cause: str
    source: str


class CudaErrors(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/cuda_errors.toml."""

    error: tuple[CudaError, ...]


@functools.cache
def cuda_errors() -> CudaErrors:
    """The table."""
    return load("cuda_errors", CudaErrors)


def cuda_error_in(text: str) -> CudaError | None:
    """The error that a message names; None where it names none of the table."""
    lowered = text.lower()
    return next((row for row in cuda_errors().error if any(piece in lowered for piece in row.texts)), None)
