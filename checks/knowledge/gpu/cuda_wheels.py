"""Which pip package brings which of CUDA's libraries."""

from checks.knowledge import Row, Table


class CudaWheel(Row):
    """A library by the start of its file name without "lib", and the middle of its package's name."""

    library: str
    package: str

    def is_package(self, name: str) -> bool:
        """Whether a distribution (normalised name) is this library's: "nvidia-cudnn-cu12"."""
        return name == f"nvidia-{self.package}" or name.startswith(f"nvidia-{self.package}-cu")


class CudaWheels(Table):
    row: tuple[CudaWheel, ...]


def wheel_of_library(file_name: str) -> CudaWheel | None:
    """The row of a library file ("libcudnn_ops.so.9", "cublas64_12.dll"); None where it is none of CUDA's."""
    plain = file_name.lower().removeprefix("lib")
    return next((row for row in CudaWheels.read().row if plain.startswith(row.library.lower())), None)
