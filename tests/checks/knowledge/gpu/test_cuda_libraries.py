"""Names of CUDA's libraries."""

import pytest

from checks.knowledge.gpu.cuda_libraries import cuda_major_in


@pytest.mark.parametrize(
    ("file", "major"),
    [
        ("libcublasLt.so.12", 12),
        ("/usr/local/cuda/lib64/libcudart.so.11.0", 11),
        ("libnvrtc.so.13", 13),
        ("libcufft.so.11", None),  # of CUDA 12
        ("libcudnn.so.9", None),
        ("libcublas.so", None),
        ("cublas64_12.dll", None),
        ("libGL.so.1", None),
    ],
)
def test_the_version_of_cuda_in_a_name(file: str, major: int | None) -> None:
    assert cuda_major_in(file) == major
