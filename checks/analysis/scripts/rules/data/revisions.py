"""Models and data sets that are fetched from a hub by their name alone: their owner may change what is under it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from checks.analysis.scripts.registry import Mark, ModuleView, module_rule
from checks.analysis.scripts.values import value_of
from checks.readers.scripts.runs import Step, is_test

_OF_HUB = ("transformers.", "diffusers.", "sentence_transformers.", "peft.")
_DOWNLOADS = ("huggingface_hub.hf_hub_download", "huggingface_hub.snapshot_download", "datasets.load_dataset")
_REPOSITORY = re.compile(
    r"[A-Za-z0-9][\w.-]*/[\w.-]+"
)  # "owner/name"; a name alone is one of the hub's own, or a folder


@module_rule("revision-unpinned")
def revision_unpinned(view: ModuleView) -> Iterator[Mark]:
    """The first of these calls for each name."""
    module = view.module
    if is_test(module):
        return
    told: set[str] = set()
    for scope, call, meaning in view.calls():
        step = Step(module, scope, call, meaning)
        name = _torch_hub(step) if meaning == "torch.hub.load" else _hugging_face(step)
        if name and name not in told:
            told.add(name)
            yield Mark(module, call, meaning, {"name": name})


def _torch_hub(step: Step) -> str:
    """The repository of a call that names no branch or tag; "" for none."""
    given = step.argument("repo_or_dir", 0)
    name = value_of(given, step.module, step.scope)
    source = step.argument("source")
    is_local = source is not None and value_of(source, step.module, step.scope) != "github"
    return name if isinstance(name, str) and _REPOSITORY.fullmatch(name) and not is_local else ""


def _hugging_face(step: Step) -> str:
    is_load = step.meaning.startswith(_OF_HUB) and step.meaning.endswith(".from_pretrained")
    if not is_load and step.meaning not in _DOWNLOADS:
        return ""
    given = step.argument("repo_id", 0) or step.argument("pretrained_model_name_or_path") or step.argument("path")
    name = value_of(given, step.module, step.scope)
    if step.is_open or step.argument("revision") is not None or not isinstance(name, str):
        return ""
    return name if _REPOSITORY.fullmatch(name) else ""
