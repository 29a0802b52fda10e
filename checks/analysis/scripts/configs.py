"""What the configuration of a trainer says of seeds, precision, cuDNN and devices: by the rules of programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from checks.analysis.scripts.suppressed import says
from checks.facts.scripts import Edit, ScriptFacts, ScriptMark
from checks.readers.scripts.configs import Config, ConfigValue, read_config

_NEAR = {"16", "16-mixed", "bf16", "bf16-mixed", "fp16", "fp8", "16-true", "bf16-true"}
_SPREAD = {"ddp", "fsdp", "deepspeed", "ddp_spawn", "MULTI_GPU", "DEEPSPEED", "FSDP"}
_INSTEAD = {"cudnn-benchmark": "false", "tf32-setting": "false", "seed-missing": "42"}


def scanned_config(path: Path) -> ScriptFacts | None:
    """The marks of a configuration; None where the file is none that is known.

    Raises:
        Unreadable, OSError: as in :func:`checks.readers.scripts.configs.read_config`.
    """
    config = read_config(path)
    if config is None:
        return None
    marks = tuple(mark for mark in _marks(config, str(path)) if not _is_suppressed(config, mark))
    return ScriptFacts(file=str(path), kind="config", rows=config.text.count("\n") + 1, runs=True, marks=marks)


def _marks(config: Config, file: str) -> Iterator[ScriptMark]:
    for value in config.values:
        key = value.key.removeprefix("trainer.") if config.trainer in ("lightning", "hydra") else value.key
        rule = _rule(config.trainer, key, value)
        if rule:
            yield _mark(rule, value, config, file)


def _rule(trainer: str, key: str, value: ConfigValue) -> str:
    """The rule that speaks of a value; "" for none."""
    if key in ("seed_everything", "seed") and value.is_none:
        return "" if trainer == "accelerate" else "seed-missing"
    if key in ("benchmark", "cudnn_benchmark") and value.is_true:
        return "cudnn-benchmark"
    if key == "tf32" and value.is_true:
        return "tf32-setting"
    if key in ("fp16", "bf16") and trainer == "transformers":
        return "autocast" if value.is_true else ""
    if key in ("precision", "mixed_precision") and value.text in _NEAR:
        return "autocast"
    return "multi-gpu-reduction" if key in ("strategy", "distributed_type") and value.text in _SPREAD else ""


def _mark(rule: str, value: ConfigValue, config: Config, file: str) -> ScriptMark:
    edits: tuple[Edit, ...] = ()
    if rule in _INSTEAD and value.text:
        edits = (Edit(value.line, value.column, value.line, value.end_column, _INSTEAD[rule]),)
    return ScriptMark(
        rule=rule,
        file=file,
        line=value.line,
        column=value.column,
        subject=value.key,
        values={"call": value.key, "setting": value.key, "seed": value.key, "entry": Path(file).name},
        text=config.text.split("\n")[value.line - 1].strip()[:200],
        edits=edits,
    )


def _is_suppressed(config: Config, mark: ScriptMark) -> bool:
    rows = config.text.split("\n")
    near = [rows[mark.line - 1]]
    if mark.line > 1 and rows[mark.line - 2].lstrip().startswith("#"):
        near.append(rows[mark.line - 2])
    return any(says(row, mark.rule) for row in near) or any(says(row, mark.rule, is_file=True) for row in rows)
