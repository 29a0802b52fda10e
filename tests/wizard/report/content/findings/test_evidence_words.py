"""Ids in the evidence of findings about computations, in words."""

import pytest

from wizard.report.content.findings.evidence_words import evidence_words, in_words


@pytest.mark.parametrize(
    ("name", "value", "english", "japanese"),
    [
        ("operations_apart", "matmul, sum", "Matrix product, Sum", "行列積、総和"),
        ("not_documented", "sum, matmul", "Sum, Matrix product", "総和、行列積"),
        ("settings_compared", "threads-1, threads-2", "One thread, 2 threads", "1スレッド、2スレッド"),
        ("cost_of_mode", "sum: x 0.16; matmul: x 2", "Sum: x 0.16; Matrix product: x 2", "総和: x 0.16; 行列積: x 2"),
        ("restored_by", "sum: threads-1", "Sum: One thread", "総和: 1スレッド"),
        ("computed_on", "torch, cpu", "PyTorch, cpu", "PyTorch、cpu"),
        ("computed_on", "torch 2.13.0, cpu", "PyTorch 2.13.0, cpu", "PyTorch 2.13.0、cpu"),
        (
            "devices_compared",
            "torch cpu / torch cuda:0",
            "PyTorch cpu / PyTorch cuda:0",
            "PyTorch cpu / PyTorch cuda:0",
        ),
    ],
)
def test_ids_are_told_by_their_names(name: str, value: str, english: str, japanese: str) -> None:
    assert evidence_words(name, value, "en") == english
    assert evidence_words(name, value, "ja") == japanese


@pytest.mark.parametrize("value", ["/block0/Conv (Conv)", "a, b", "", "net-1", "1.2e-07"])
def test_what_is_no_id_stays(value: str) -> None:
    for language in ("en", "ja"):
        assert evidence_words("operations_apart", value, language) == value


def test_other_evidence_is_left_alone() -> None:
    assert in_words({"package": "torch", "operations_apart": "sum"}, "en") == {
        "package": "torch",
        "operations_apart": "Sum",
    }
