"""Configurations of trainers: what they say, and files that are none."""

import pytest

from checks.analysis.scripts.diff import patch
from checks.analysis.scripts.scan import scan

LIGHTNING = "seed_everything: {seed}\ntrainer:\n  benchmark: {benchmark}\n  precision: {precision}\nmodel:\n  size: 3\n"
TRANSFORMERS = "output_dir: out\nnum_train_epochs: 3\nlogging_steps: 5\nbf16: {bf16}\ntf32: {tf32}\n"


def _found(tmp_path, text, name="config.yaml"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return [(mark.rule, mark.subject, mark.line) for mark in scan([tmp_path]).marks]


def test_lightning(tmp_path):
    assert _found(tmp_path, LIGHTNING.format(seed="null", benchmark="true", precision="16-mixed")) == [
        ("seed-missing", "seed_everything", 1),
        ("cudnn-benchmark", "trainer.benchmark", 3),
        ("autocast", "trainer.precision", 4),
    ]
    assert not _found(tmp_path, LIGHTNING.format(seed=3, benchmark="false", precision="32"))


def test_transformers(tmp_path):
    found = _found(tmp_path, TRANSFORMERS.format(bf16="true", tf32="true"))
    assert found == [("autocast", "bf16", 4), ("tf32-setting", "tf32", 5)]
    assert not _found(tmp_path, TRANSFORMERS.format(bf16="false", tf32="false  # naosu: ignore"))
    assert not _found(tmp_path, TRANSFORMERS.format(bf16="true  # naosu: ignore[autocast]", tf32="null"))


def test_accelerate_and_json(tmp_path):
    text = '{"compute_environment": "LOCAL_MACHINE",\n "distributed_type": "MULTI_GPU",\n "mixed_precision": "fp16"}'
    assert _found(tmp_path, text, "config.json") == [
        ("multi-gpu-reduction", "distributed_type", 2),
        ("autocast", "mixed_precision", 3),
    ]


def test_hydra(tmp_path):
    assert _found(tmp_path, "defaults:\n  - model: net\nseed: null\n") == [("seed-missing", "seed", 3)]
    assert not _found(tmp_path, "defaults:\n  - model: net\nseed: 1\n")


@pytest.mark.parametrize("text", ["a: 1\nseed: null\n", "- 1\n- 2\n", "services:\n  web: {image: x}\n", "", "a: [\n"])
def test_other_files_are_not_spoken_of(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    found = scan([tmp_path])
    assert (found.scripts, found.unread) == ([], [])


@pytest.mark.parametrize(
    ("text", "reason"), [("a: [\n", "broken-config"), ("a: " + "[" * 100_000, "too-deep"), ("{\n\t'a", "broken-config")]
)
def test_a_broken_one_that_is_named(tmp_path, text, reason):
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    assert [unread.reason for unread in scan([path]).unread] == [reason]


def test_the_change_keeps_the_comments(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(LIGHTNING.format(seed="null  # later", benchmark="false", precision="32").encode())
    (mark,) = scan([path]).marks
    assert "-seed_everything: null  # later\n+seed_everything: 42  # later\n" in patch(path, mark.edits)
