"""Configurations of trainers in YAML or JSON: which trainer they are for, and their values with their lines.

The document is read event by event: what is nested 10^5 deep would overflow the stack of the parser's own composer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.readers.scripts.sources import Unreadable

LARGEST = 1024 * 1024  # bytes; a configuration has some kilobytes
_DEEPEST = 40
_MOST = 20_000  # values

# Keys by which a configuration is known, all of a row at the top; of transformers at least three.
_KNOWN_BY = (
    ("lightning", ({"trainer", "model"}, {"trainer", "data"}, {"trainer", "seed_everything"})),
    ("accelerate", ({"compute_environment"}, {"distributed_type", "mixed_precision"})),
    ("hydra", ({"defaults"}, {"hydra"})),
)
_OF_TRANSFORMERS = frozenset(
    {
        "per_device_train_batch_size", "num_train_epochs", "output_dir", "gradient_accumulation_steps", "warmup_ratio",
        "lr_scheduler_type", "max_steps", "evaluation_strategy", "eval_strategy", "save_strategy", "logging_steps",
        "model_name_or_path", "dataloader_num_workers", "per_device_eval_batch_size", "gradient_checkpointing",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ConfigValue:
    """One value. ``key``: the names on the way to it, joined by dots. ``is_text``: it is quoted."""

    key: str
    text: str
    line: int  # from 1, as the columns
    column: int
    end_column: int
    is_text: bool = False

    @property
    def is_true(self) -> bool:
        """As YAML and JSON write it."""
        return not self.is_text and self.text.lower() in ("true", "yes", "on")

    @property
    def is_none(self) -> bool:
        """Whether nothing is given, or it is switched off."""
        return not self.is_text and self.text.lower() in ("", "null", "none", "~", "false", "no", "off")


@dataclass(frozen=True)
class Config:
    """A configuration. ``trainer``: "lightning", "accelerate", "hydra" or "transformers"."""

    trainer: str
    text: str
    values: tuple[ConfigValue, ...]


def read_config(path: Path) -> Config | None:
    """The configuration in a file; None where it is none that is known.

    Raises:
        Unreadable: it is too large, no text, or broken.
        OSError: it cannot be opened.
    """
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Unreadable("too-large", megabytes=LARGEST // 1024**2)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("encoding", line=data.count(b"\n", 0, error.start) + 1) from error
    values = tuple(_values(text))
    trainer = _trainer({value.key.partition(".")[0] for value in values})
    return Config(trainer, text, values) if trainer else None


def _trainer(keys: set[str]) -> str:
    for trainer, rows in _KNOWN_BY:
        if any(row <= keys for row in rows):
            return trainer
    return "transformers" if len(keys & _OF_TRANSFORMERS) >= 3 else ""


def _values(text: str) -> Iterator[ConfigValue]:
    import yaml  # late: only a configuration needs it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    keys: list[str | None] = []  # of each open node the key at which it is; None: the next scalar is one
    try:
        for count, event in enumerate(yaml.parse(text, Loader=loader)):
            if count > _MOST or isinstance(event, yaml.DocumentEndEvent):
                return
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                if len(keys) >= _DEEPEST:
                    raise Unreadable("too-deep")
                keys.append(None if isinstance(event, yaml.MappingStartEvent) else "*")
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                keys.pop()
                _value_is_over(keys)
            elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                if keys and keys[-1] is None:
                    keys[-1] = getattr(event, "value", "")
                    continue
                start, end = event.start_mark, event.end_mark
                is_text = getattr(event, "style", None) in ("'", '"')
                yield ConfigValue(
                    ".".join(str(key) for key in keys),
                    getattr(event, "value", ""),
                    start.line + 1,
                    start.column + 1,
                    end.column + 1,
                    is_text,
                )
                _value_is_over(keys)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise Unreadable("broken-config", line=mark.line + 1 if mark else 1) from error


def _value_is_over(keys: list[str | None]) -> None:
    """A mapping waits for its next key."""
    if keys and keys[-1] != "*":
        keys[-1] = None
