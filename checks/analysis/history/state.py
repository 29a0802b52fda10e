"""The facts that may change under a program, as plain names and values: kind -> name -> value.

A kind that was not read is left out, so that two examinations are compared only in what both have seen. A file of the
program that is gone has the value "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from checks.analysis.failures.owners import module_of_file
from checks.facts import Change, ChangeKind, EnvironmentVariables, Facts, InstalledFiles, InterpreterFacts, MachineFacts

State = Mapping[str, Mapping[str, str]]

_NUMBERED = re.compile(r"<([a-z]+)-\d+>")  # how a redacted value is written; its number may differ
_MOST = 2_000  # changes of two examinations


def state_of(facts: Facts) -> dict[str, dict[str, str]]:
    """What these facts say. Files of the program are added where they can be read (checks/history)."""
    state: dict[str, dict[str, str]] = {}
    interpreter = facts.target_interpreter
    if interpreter is not None and interpreter.packages is not None:
        state[ChangeKind.PACKAGE] = _packages(interpreter)
    if interpreter is not None:
        python = {"version": interpreter.version, "path": interpreter.path, "build": interpreter.architecture}
        state[ChangeKind.PYTHON] = _known(python)
    if facts.environment is not None:
        state[ChangeKind.VARIABLE] = dict(facts.environment.values)
        state[ChangeKind.SETTING] = _settings(facts.environment)
    if facts.installed is not None and facts.installed.is_complete:
        state[ChangeKind.FILE] = dict(_files(facts.installed))
    if facts.machine is not None:
        state[ChangeKind.MACHINE] = _machine(facts.machine)
    state[ChangeKind.MODEL] = {
        model.path: " ".join(filter(None, (model.format, model.version, f"{model.size or 0} bytes")))
        for model in facts.models
    }
    return state


def differences(before: State, now: State, owners: Mapping[str, str] | None = None) -> tuple[Change, ...]:
    """What is not the same, kind by kind. ``owners``: of files of packages, their distribution."""
    changes = []
    for kind in ChangeKind:
        old, new = before.get(kind), now.get(kind)
        if old is None or new is None:
            continue
        names = sorted(old.keys() | new.keys()) if kind not in _ONLY_BOTH else sorted(old.keys() & new.keys())
        changes += [
            Change(
                kind=kind.value,
                name=name,
                before=_told(kind, old.get(name)),
                after=_told(kind, new.get(name)),
                package=(owners or {}).get(name, ""),
            )
            for name in names
            if _plain(old.get(name)) != _plain(new.get(name))
        ]
    return tuple(changes[:_MOST])


def _told(kind: ChangeKind, value: str | None) -> str | None:
    """Of a variable an empty value is one: CUDA_VISIBLE_DEVICES hides every GPU by it."""
    return value if kind is ChangeKind.VARIABLE else value or None


_ONLY_BOTH = (ChangeKind.PROGRAM, ChangeKind.MODEL)  # what one of the two did not look at


def owners_of(facts: Facts) -> dict[str, str]:
    """The distribution of each file that is not as it was installed."""
    packages = facts.installed.packages if facts.installed else ()
    return {file.path: package.name for package in packages for file in package.files}


def _plain(value: str | None) -> str | None:
    return None if value is None else _NUMBERED.sub(r"<\1>", value)


def _known(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _packages(interpreter: InterpreterFacts) -> dict[str, str]:
    """The first of each name, which is the one that is imported."""
    found: dict[str, str] = {}
    for package in interpreter.packages or ():
        found.setdefault(package.name, f"{package.version} {package.build}" if package.build else package.version)
    return found


def _settings(environment: EnvironmentVariables) -> dict[str, str]:
    settings = {f"keras {name}": value for name, value in (environment.keras or {}).items()}
    settings |= _known({"CUDA toolkit": environment.cuda_home, "nvcc": environment.nvcc_version})
    settings |= {f"limit {name}": str(value) for name, value in (environment.limits or {}).items()}
    return settings


def _files(installed: InstalledFiles) -> Iterator[tuple[str, str]]:
    for package in installed.packages:
        for file in package.files:
            yield file.path, f"{file.state} {file.size}" if file.size is not None else file.state


def _machine(machine: MachineFacts) -> dict[str, str]:
    os, nvidia, amd = machine.os, machine.nvidia, machine.amd
    values: dict[str, str | None] = {}
    if os is not None:
        values |= {"os": os.name, "kernel": os.kernel, "libc": os.libc_version, "container": os.container}
    if nvidia is not None:
        values |= {
            "driver": nvidia.driver_version,
            "cuda": nvidia.cuda_driver_version,
            "kernel-module": nvidia.kernel_module_version,
            "nvml": nvidia.nvml,
        }
        for gpu in nvidia.devices or ():
            values |= {f"mode-{gpu.index}": gpu.compute_mode, f"vbios-{gpu.index}": gpu.vbios}
            values[f"mig-{gpu.index}"] = None if gpu.mig_enabled is None else str(gpu.mig_enabled).lower()
    if machine.gpus is not None:
        for number, device in enumerate(machine.gpus.devices):
            values[f"gpu-{number}"] = device.product or device.device_id
            values[f"gpu-driver-{number}"] = " ".join(filter(None, (device.driver, device.driver_version)))
    if amd is not None:
        values["rocm"] = amd.rocm_version
    if machine.apple is not None:
        values["metal"] = machine.apple.metal
    if machine.memory is not None and machine.memory.limit is not None:
        values["memory-limit"] = str(machine.memory.limit)
    return _known(values)


def own_files(facts: Facts) -> tuple[str, ...]:
    """Files of the user's own program that took part in its runs: named by its command, loaded, or in a traceback."""
    found: dict[str, None] = {}
    for run in facts.runs:
        if run.statement:
            continue
        for python in run.pythons:
            found |= dict.fromkeys(module.file for module in python.modules if _is_own(module.file))
            for raised in (python.raised, *python.led_there):
                found |= dict.fromkeys(frame.file for frame in (raised.frames if raised else ()) if _is_own(frame.file))
    return tuple(found)


_STANDARD = re.compile(r"[\\/](?:lib(?:64)?[\\/]python\d[\d.]*t?|Python\d*[\\/]Lib|python\d+\.zip)[\\/]", re.IGNORECASE)


def _is_own(file: str) -> bool:
    return bool(file) and not file.startswith("<") and not module_of_file(file) and not _STANDARD.search(file)
