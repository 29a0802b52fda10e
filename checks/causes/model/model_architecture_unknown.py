"""The library that is to load a model does not know this kind of model yet, or no longer.

Detects:      a GGUF file whose architecture or number type came with a later llama.cpp than that of the installed
              llama-cpp-python; a model folder in the way of Hugging Face whose model_type came with a later
              transformers, or was removed.
Why it bites: "unknown model architecture", or a KeyError with the model_type.
Blind spots:  Ollama, LM Studio and other programs with llama.cpp inside are not seen. Models with code of their own are
              not judged, nor is what is newer than the tables.
Knowledge:    resources/knowledge/formats/gguf.toml, transformers.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import InterpreterFacts, ModelFacts, ModelFiles, Package
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.formats.gguf import GgufTable, architecture_releases, newest_release, type_number, type_releases
from checks.knowledge.frameworks.transformers import TransformersTable, model_type_releases

LLAMA = "llama-cpp-python"
VISION = "clip"  # the half of a model that sees: read by another part of llama.cpp
Range = tuple[str, str | None]  # the first release that knows it, and the first that no longer does


@check("model-architecture-unknown")
def model_architecture_unknown(models: ModelFiles, interpreter: InterpreterFacts) -> Iterator[Finding]:
    """One finding per model."""
    of_llama = [model for model in models.of("gguf") if _is_for_llama(model)]
    of_transformers = [model for model in models.files if _is_for_transformers(model)]
    some((*of_llama, *of_transformers), "models_by_name")
    if interpreter.packages is None:
        raise Unread("packages")
    llama, transformers = interpreter.package(LLAMA), interpreter.package("transformers")
    unknown: list[NotInTable] = []
    found = [finding for model in of_llama if llama is not None for finding in _in_llama(model, llama, unknown)]
    if transformers is not None:
        found += [
            transformer for model in of_transformers for transformer in _in_transformers(model, transformers, unknown)
        ]
    if unknown and not found:
        raise unknown[0]
    yield from found


def _is_for_llama(model: ModelFacts) -> bool:
    kind = model.details.get("architecture", "")
    is_readable = model.problem in (None, "missing-part", "truncated", "dtype-unknown")
    return bool(kind) and kind != VISION and kind not in GgufTable.read().image_models and is_readable


def _is_for_transformers(model: ModelFacts) -> bool:
    return model.producer == "transformers" and "model-type" in model.details and "custom-code" not in model.details


def _in_llama(model: ModelFacts, llama: Package, unknown: list[NotInTable]) -> Iterator[Finding]:
    table = GgufTable.read()
    kind = model.details["architecture"]
    known = architecture_releases(kind)
    if known is None and release(llama.version) > release(newest_release()):
        unknown.append(NotInTable(table.title, kind))
        return
    what = Evidence("model_architecture", kind, model.path)
    if known is None or not _knows(known, llama.version):
        yield _finding(model, llama, what, known, table.title, "llama.cpp")
        return
    for name in model.dtypes or {}:
        number = type_number(name)
        needed = type_releases(number) if number is not None else None
        if needed is not None and not _knows(needed, llama.version):
            yield _finding(
                model, llama, Evidence("model_number_type", name, model.path), needed, table.title, "llama.cpp"
            )
            return


def _in_transformers(model: ModelFacts, transformers: Package, unknown: list[NotInTable]) -> Iterator[Finding]:
    table = TransformersTable.read()
    kind = model.details["model-type"]
    known = model_type_releases(kind)
    if known is None:
        unknown.append(NotInTable(table.title, kind))
    elif not _knows(known, transformers.version):
        what = Evidence("model_type", kind, model.path)
        yield _finding(model, transformers, what, known, table.title, "transformers")


def _knows(known: Range, version: str) -> bool:
    first, gone = known
    return release(version) >= release(first) and (gone is None or release(version) < release(gone))


def _finding(
    model: ModelFacts, package: Package, what: Evidence, known: Range | None, title: str, runtime: str
) -> Finding:
    """``known`` None: no release knows it, as far as the table goes."""
    wish = _wish(package.name, known) if known else ""
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.95 if known else 0.85,
        subject=f"{model.path} / {package.name}",
        evidence=(
            Evidence("model", model.name, model.path),
            what,
            Evidence("framework", f"{package.name} {package.version}", package.location or ""),
            *((Evidence("needed", wish, title),) if wish else ()),
        ),
        values={"model_path": model.path, "runtime": runtime} | ({"requirement": wish} if wish else {}),
        remedies=("install-required-version", "update-the-python-in-use") if wish else (),
    )


def _wish(package: str, known: Range) -> str:
    first, gone = known
    return f"{package}>={first},<{gone}" if gone else f"{package}>={first}"
