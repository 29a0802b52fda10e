"""All samples together."""

from __future__ import annotations

from collections.abc import Iterator

from support.hostile.assembler import Hostile
from support.hostile.called_names import called_names
from support.hostile.model_files import model_files
from support.hostile.opcode_tricks import opcode_tricks
from support.hostile.torch_files import torch_files
from support.hostile.unseen_calls import unseen_calls


def samples() -> Iterator[Hostile]:
    """Every sample; what it calls need not be installed here."""
    yield from called_names()
    yield from opcode_tricks()
    yield from model_files()
    yield from torch_files()
    yield from unseen_calls()
