"""Which module a misspelt import means, and when nothing is guessed."""

import pytest

from checks.knowledge.packages.misspelt_imports import meant_by


@pytest.mark.parametrize(
    ("written", "meant", "is_sure"),
    [
        ("scikit_learn", "sklearn", True),
        ("scikit_learn.svm", "sklearn", True),
        ("pytorch", "torch", True),
        ("opencv_python", "cv2", True),
        ("beautifulsoup4", "bs4", True),
        ("protobuf", "google.protobuf", True),
        ("pil", "PIL", True),
        ("Numpy", "numpy", True),
        ("pillow", "PIL", True),
        ("sklern", "sklearn", False),
        ("nunpy", "numpy", False),
        ("pandsa", "pandas", False),
        ("tensorfow", "tensorflow", False),
        ("trasformers", "transformers", False),
        ("toch", "torch", False),
        ("matplotlb", "matplotlib", False),
    ],
)
def test_what_is_meant(written: str, meant: str, is_sure: bool) -> None:
    found = meant_by(written)
    assert found is not None
    assert (found.module, found.is_sure) == (meant, is_sure)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("sklearn", id="right"),
        pytest.param("timm", id="its-own-name"),
        pytest.param("json", id="of-python"),
        pytest.param("utils", id="own-code"),
        pytest.param("tokenizer", id="one-more-or-less-at-the-end"),
        pytest.param("dataset", id="own-code-of-the-table"),
        pytest.param("scapy", id="another-real-package"),
        pytest.param("torchx", id="one-more"),
        pytest.param("my_training_helpers", id="nothing-near"),
        pytest.param("cv", id="too-short"),
        pytest.param("encoder.inference", id="a-word-for-a-file-of-ones-own"),
        pytest.param("tool", id="another-word"),
        pytest.param("", id="nothing"),
        pytest.param("ライブラリ", id="japanese"),
    ],
)
def test_nothing_is_guessed(written: str) -> None:
    assert meant_by(written) is None
