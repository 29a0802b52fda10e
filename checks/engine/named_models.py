"""The models that the user's program names, read as given ones are: their bytes alone, nothing of them is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from checks.engine.plans.calls import Call
from checks.facts import NamedModel
from checks.readers.containers.source import Cancelled
from checks.readers.models import read_models
from checks.readers.scripts.asked import names_defined

MOST = 10  # files and folders of one program
MOST_WITHIN = 20  # models of one folder


def read_named(calls: Iterable[Call], cancelled: Cancelled) -> tuple[NamedModel, ...]:
    """Each file or folder once, as the first call names it."""
    found: dict[Path, Call] = {}
    for call in calls:
        path = (call.path or _in_cache_of_hub(call.asked.path, os.environ)) if call.asked.is_model else None
        if path is not None:
            found.setdefault(path, call)
    return tuple(named for path, call in list(found.items())[:MOST] for named in _read(path, call, cancelled))


def _read(path: Path, call: Call, cancelled: Cancelled) -> Iterator[NamedModel]:
    asked = call.asked
    is_tried = bool(asked.expression and asked.row and not asked.row.instead)
    defined = names_defined(call.program)
    for model in read_models(path, cancelled)[:MOST_WITHIN]:
        yield NamedModel(model=model, read_at=call.place, label=asked.label if is_tried else "", defined=defined)


def _in_cache_of_hub(name: str, variables: Mapping[str, str]) -> Path | None:
    """The folder in which the Hugging Face hub's cache keeps a model ("owner/model"); None: it has none there."""
    if name.count("/") > 1 or name.startswith((".", "/", "~")):
        return None
    home = Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache", "huggingface")
    hub = variables.get("HF_HUB_CACHE") or variables.get("HUGGINGFACE_HUB_CACHE")
    folder = Path(hub or Path(variables.get("HF_HOME") or home, "hub"), "models--" + name.replace("/", "--"))
    try:
        revision = (folder / "refs" / "main").read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    snapshot = folder / "snapshots" / revision
    return snapshot if revision.isalnum() and snapshot.is_dir() else None
