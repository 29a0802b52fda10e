"""The way back from a change: the remedies that bring back what was there, and the values of their commands."""

from __future__ import annotations

import os

from checks.facts import Change, ChangeKind, Facts, History
from checks.facts.phrase import Value
from checks.knowledge.frameworks.torch import index_of_build
from checks.knowledge.packages.import_packages import module_of_distribution
from checks.knowledge.packages.system_libraries import packages_of_libraries

_MOST_PACKAGES = 40  # that are put back together

Way = tuple[tuple[str, ...], dict[str, Value]]


def way_back(change: Change, facts: Facts, history: History) -> Way:
    """The remedies that bring back what was there, the smallest first, and their values."""
    match change.kind:
        case ChangeKind.PACKAGE:
            return _of_package(change, history)
        case ChangeKind.FILE if change.package:
            values: dict[str, Value] = {
                "package_name": change.package,
                "import_names": module_of_distribution(change.package),
            }
            return ("reinstall-damaged-package",), values
        case ChangeKind.FILE if change.before is None and change.name.endswith(".pth"):
            return ("move-path-file-aside",), {"pth_file": _expanded(change.name)}
        case ChangeKind.FILE:
            return ("return-own-file",), {"own_file": change.name}
        case ChangeKind.VARIABLE if not change.before:
            return ("unset-environment-variable",), {"variable": change.name}
        case ChangeKind.VARIABLE:
            # What a report from elsewhere says of a variable is set by nobody.
            before = _expanded(change.before or "") if facts.here else ""
            return ("set-variable-back",), {"variable": change.name, "variable_before": before}
        case ChangeKind.PROGRAM | ChangeKind.MODEL:
            return ("return-own-file",), {"own_file": change.name}
        case ChangeKind.SYSTEM_PACKAGE:
            return _of_system_package(change)
        case ChangeKind.MACHINE if change.name == "kernel" and change.before:
            return ("start-earlier-kernel",), {"kernel_before": change.before}
        case ChangeKind.MACHINE if change.name in ("driver", "kernel-module") or change.name.startswith("gpu-driver"):
            return ("return-to-working-driver",), {}
    return ("return-what-changed",), {"part_before": change.before or ""}


def _of_package(change: Change, history: History) -> Way:
    if change.before is None:
        return (("remove-added-package",), {"added_package": change.name}) if not change.source else ((), {})
    release = _release(change)
    restored = [_release(one) for one in history.changes if one.kind == ChangeKind.PACKAGE and one.before]
    is_several = 1 < len(restored) <= _MOST_PACKAGES
    together: dict[str, Value] = {"restored_packages": " ".join(restored)} if is_several else {}
    after = ("return-all-packages",) if together else ()
    index = index_of_build(change.before)
    if index:
        return ("return-to-working-build",), {"requirement": release, "torch_index": index}
    if change.after is None:
        return ("install-removed-package-again", *after), {"removed_release": release, **together}
    return ("return-to-working-release", *after), {"requirement": release, **together}


def _release(change: Change) -> str:
    return f"{change.name}=={(change.before or '').partition(' ')[0]}"


def _of_system_package(change: Change) -> Way:
    name = change.name.partition(":")[0]
    if change.after is None and name in packages_of_libraries():
        return ("install-removed-system-package",), {"apt_package": name}
    if change.before and change.source == "apt":
        return ("return-system-package",), {"system_release": f"{change.name}={change.before}"}
    return ("return-what-changed",), {"part_before": change.before or ""}


def _expanded(value: str) -> str:
    """A value as it was: in what is kept, the home folder is written as "~"."""
    return os.pathsep.join(os.path.expanduser(part) for part in value.split(os.pathsep))  # noqa: PTH111 - as text
