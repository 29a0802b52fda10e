"""CUDA error codes that name a state of the machine, found in the messages of frameworks."""

from checks.knowledge import Row, Table


class CudaError(Row):
    """One error. ``texts`` are pieces of its messages, in lower case; ``cause`` is an id of the catalogue."""

    code: int
    name: str  # "cudaErrorUnknown"
    texts: tuple[str, ...]
    cause: str
    source: str


class CudaErrors(Table):
    error: tuple[CudaError, ...]


def cuda_error_in(text: str) -> CudaError | None:
    """The error that a message names; None where it names none of the table."""
    lowered = text.lower()
    return next((row for row in CudaErrors.read().error if any(piece in lowered for piece in row.texts)), None)
