"""Several packages bring the same module, and one of them overwrote the other or took its files along.

Detects:      a package of a family that shares one folder, most of whose files are gone: another one was removed; two
              installed packages that list the same files with another content.
Why it bites: pip lists each of them as installed, while the module is an empty folder, or of the one that came last.
Blind spots:  ONNX Runtime's packages have a cause of their own; two packages whose module imports well are a note.
Knowledge:    resources/knowledge/packages/shared_modules.toml
"""

from collections.abc import Iterator

from checks.analysis.packages.reinstalled import reinstalling
from checks.analysis.packages.taking_part import Part, failed_run_with, part_of
from checks.causes.registry import check
from checks.facts import Facts, InstalledFiles, InstalledPackage, SharedModule
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.frameworks.onnxruntime import flavour
from checks.knowledge.packages.shared_modules import Family, SharedModules, family_of_package, lost_to_sibling
from checks.knowledge.phrases import phrase


@check("packages-overwrite-each-other")
def packages_overwrite_each_other(installed: InstalledFiles, facts: Facts) -> Iterator[Finding]:
    """One finding per package that lost its files, and per module that two packages bring."""
    for package in installed.packages:
        family = lost_to_sibling(package)
        if family is not None and flavour(package.name) is None:
            yield _of_lost(package, family, facts)
    for shared in installed.shared:
        names = [label.partition(" ")[0] for label in shared.packages]
        family = family_of_package(names[0])
        is_known = family is not None and all(name in family.packages for name in names)
        if (
            shared.module
            and flavour(names[0]) is None
            and (is_known or part_of((shared.module,), facts) is Part.IN_FAILURE)
        ):
            yield _of_shared(shared, names, facts)
    if not installed.examined:
        raise Unread("installed", installed.unread.get("installed", ""))


def _of_lost(package: InstalledPackage, family: Family, facts: Facts) -> Finding:
    is_aside = part_of(package.modules, facts) is Part.ASIDE
    return Finding(
        severity=Severity.NOTE if is_aside else Severity.BLOCKING,
        confidence=0.93,
        subject=package.name,
        evidence=(
            Evidence("package", f"{package.name} {package.version}", package.location),
            Evidence("damaged_files", ", ".join(file.path for file in package.files[:5]), package.location),
            Evidence("shared_by", ", ".join(family.packages), SharedModules.read().title, family.source),
        ),
        values={
            "overwriting": phrase("overwriting-lost", package=package.name, module=family.module),
            **reinstalling(package, facts),
        },
        remedies=("reinstall-damaged-package",),
    )


def _of_shared(shared: SharedModule, names: list[str], facts: Facts) -> Finding:
    is_part = part_of((shared.module,), facts) is Part.IN_FAILURE
    label = shared.packages[0]
    name, _, version = label.partition(" ")
    return Finding(
        severity=Severity.WARNING if is_part else Severity.NOTE,
        confidence=0.7,
        subject=" ".join(sorted(names)),
        evidence=(
            Evidence("package", ", ".join(shared.packages), shared.location),
            Evidence("damaged_files", shared.module, shared.location),
        ),
        values={
            "overwriting": phrase("overwriting-both", packages=", ".join(names), module=shared.module),
            "package_name": name,
            "shared_installed": " ".join(sorted(names)),
            "shared_package": f"{name}=={version}" if version else name,
            "import_names": shared.module,
            **failed_run_with((shared.module,), facts),
        },
        remedies=("keep-one-of-shared-packages",),
    )
