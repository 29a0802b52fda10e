"""A pickle names classes or functions of modules that the target interpreter does not have.

Detects:      modules that a checkpoint or other pickle would import and that no installed distribution brings; classes
              of a program's own code ("models.yolo", "__main__"), which no installation brings.
Why it bites: loading ends with "No module named ..." or "Can't get attribute ... on <module '__main__'>".
Blind spots:  whether the installed version still has the class under this name; code that lies beside the program or is
              put on the path by it. What the file needs although it names no class: the code that builds the model.
Knowledge:    resources/knowledge/packages/import_packages.toml
"""

from collections.abc import Iterator

from packaging.utils import canonicalize_name
from packaging.version import Version

from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of, listed, unloaded
from checks.causes.registry import check
from checks.facts import InterpreterFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.formats.pickle_globals import DANGEROUS
from checks.knowledge.packages.import_packages import ImportPackagesTable, distributions_of, is_named, is_own_code

FORMATS = ("torch-zip", "torch-legacy", "pickle", "npy", "npz")


@check("checkpoint-class-missing")
def checkpoint_class_missing(models: ModelFiles, interpreter: InterpreterFacts) -> Iterator[Finding]:
    """One finding per file."""
    some(models.of(*FORMATS), "pickled_models")
    for model in unloaded(models, *FORMATS):
        names = [needed.name for needed in model.needs.classes or () if needed.risk != DANGEROUS]
        wanted = {name: name.partition(".")[0] for name in names if "." in name and name[0] != "("}
        if model.format != "pickle":
            wanted = {name: module for name, module in wanted.items() if module != "torch"}  # another check's cause
        if not any(is_own_code(module) or distributions_of(module) for module in wanted.values()):
            continue
        if interpreter.packages is None:
            raise Unread("packages", interpreter.unread.get("packages", ""))
        missing = {name: module for name, module in wanted.items() if _is_missing(module, interpreter)}
        own = [name for name, module in wanted.items() if is_own_code(module)]
        if missing or own:
            yield _finding(model, interpreter, missing, own)


def _is_missing(module: str, interpreter: InterpreterFacts) -> bool:
    names = distributions_of(module)
    return bool(names) and interpreter.package(*names) is None


def _finding(model: ModelFacts, interpreter: InterpreterFacts, missing: dict[str, str], own: list[str]) -> Finding:
    table = ImportPackagesTable.read()
    known = [module for module in missing.values() if is_named(module)]
    packages = [distributions_of(module)[0] for module in (known or missing.values())]
    return Finding(
        severity=Severity.BLOCKING if known else Severity.WARNING,
        confidence=0.9 if known else 0.6,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("classes_named", listed([*missing, *own]), model.path),
            *((Evidence("packages_missing", listed(packages), table.title, table.source),) if packages else ()),
            Evidence("interpreter", interpreter.path, interpreter.origin),
        ),
        values={"model_path": model.path, "runtime": "" if model.format == "pickle" else "torch"}
        | (
            {
                "requirement": " ".join(dict.fromkeys(_release(package, model) for package in packages)),
                "modules": ", ".join(sorted(set(known))),
            }
            if known
            else {}
        ),
        remedies=(("install-package-of-class",) if known else ())
        + ("make-classes-importable", "update-program-that-loads", "save-weights-only"),
    )


def _release(package: str, model: ModelFacts) -> str:
    """The package, and where it wrote the file the release that did: another may lack the class, or warn."""
    if canonicalize_name(model.producer or "") != package:
        return package
    try:
        return f"{package}=={Version(model.producer_version or '')}"
    except ValueError:  # no version, or a number longer than Python converts
        return package
