"""A file of torch.save holds more than weights, and this PyTorch loads weights only.

Detects:      names or opcodes in the pickle that torch.load does not take by default, in a target with torch 2.6 or
              newer; not where one of the names runs commands or code, which is a cause of its own.
Why it bites: torch.load ends with "Weights only load failed ... Unsupported global".
Blind spots:  a program that passes weights_only=False or allows the names itself loads the file all the same. The list
              of names is that of torch 2.13; that of 2.6 lacked few of them.
Knowledge:    resources/knowledge/formats/pickle_globals.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of, listed, unloaded
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.formats.pickle_globals import DANGEROUS, PickleGlobalsTable, is_taken_by_weights_only


@check("checkpoint-weights-only-refused")
def checkpoint_weights_only_refused(models: ModelFiles, torch: TorchFacts) -> Iterator[Finding]:
    """One finding per file."""
    some(models.of("torch-zip", "torch-legacy"), "torch_models")
    files = (model for model in unloaded(models, "torch-zip", "torch-legacy") if not _is_dangerous(model))
    waiting = [file for file in files if _refused(file) or _opcode(file)]
    if not waiting:
        return
    if not torch.version:
        raise Unread("torch_version", torch.unread.get("version", ""))
    table = PickleGlobalsTable.read()
    if release(torch.version) < release(table.weights_only.default_since):
        return
    for model in waiting:
        refused, opcode = _refused(model), _opcode(model)
        yield Finding(
            severity=Severity.WARNING,  # many programs ask for everything, and then it loads
            confidence=0.85,
            subject=model.path,
            evidence=(
                file_of(model),
                Evidence("torch_version", torch.version, torch.origin),
                *((Evidence("names_refused", listed(refused), model.path, table.source),) if refused else ()),
                *((Evidence("opcode_refused", opcode, model.path, table.source),) if opcode else ()),
            ),
            values={"model_path": model.path, "runtime": "torch"},
        )


def _is_dangerous(model: ModelFacts) -> bool:
    """Whether the refusal is right: pickle_runs_code.py says so, and no way around it is offered."""
    return any(needed.risk == DANGEROUS for needed in model.needs.classes or ())


def _refused(model: ModelFacts) -> list[str]:
    names = (needed.name.rpartition(".") for needed in model.needs.classes or ())
    return [f"{module}.{name}" for module, _, name in names if not is_taken_by_weights_only(module, name)]


def _opcode(model: ModelFacts) -> str:
    return model.details.get("weights-only-refuses", "")
