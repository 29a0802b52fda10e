"""Interpreters that Windows' registry knows (PEP 514): what the ``py`` launcher lists.

The keys are copied into plain values first, so that the reading itself is tested on every system.
Source: https://peps.python.org/pep-0514/
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_DEPTH = 3  # Software\Python \ company \ tag \ InstallPath
_MOST_KEYS = 200  # of one key; more is no list of interpreters


@dataclass(frozen=True)
class RegistryKey:
    """A key with its text values ("" is the default value) and its sub-keys."""

    values: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, RegistryKey] = field(default_factory=dict)


def registered_pythons(roots: tuple[RegistryKey, ...]) -> Iterator[Path]:
    r"""The executables below the ``Software\Python`` keys, in their order."""
    for root in roots:
        for company, company_key in root.keys.items():
            if company == "PyLauncher":  # settings of the launcher, no company
                continue
            for tag in company_key.keys.values():
                install = tag.keys.get("InstallPath")
                if install is None:
                    continue
                executable = install.values.get("ExecutablePath")
                folder = install.values.get("")
                if executable:
                    yield Path(executable)
                elif folder:  # the PEP: without ExecutablePath it is python.exe in the folder
                    yield Path(folder) / "python.exe"


def read_python_keys() -> tuple[RegistryKey, ...]:
    r"""``Software\Python`` of the user, and of the machine in its 64-bit and its 32-bit view; () off Windows."""
    if sys.platform != "win32":
        return ()
    import winreg

    def copy(key: Any, depth: int) -> RegistryKey:
        keys, values, _ = winreg.QueryInfoKey(key)
        texts = {}
        for index in range(min(values, _MOST_KEYS)):
            name, value, kind = winreg.EnumValue(key, index)
            if kind in (winreg.REG_SZ, winreg.REG_EXPAND_SZ):
                texts[name] = winreg.ExpandEnvironmentStrings(value) if kind == winreg.REG_EXPAND_SZ else value
        children = {}
        for index in range(min(keys, _MOST_KEYS) if depth else 0):
            name = winreg.EnumKey(key, index)
            with winreg.OpenKey(key, name) as child:
                children[name] = copy(child, depth - 1)
        return RegistryKey(texts, children)

    views = (
        (winreg.HKEY_CURRENT_USER, 0),
        (winreg.HKEY_LOCAL_MACHINE, winreg.KEY_WOW64_64KEY),
        (winreg.HKEY_LOCAL_MACHINE, winreg.KEY_WOW64_32KEY),
    )
    found = []
    for hive, view in views:
        try:
            with winreg.OpenKey(hive, r"Software\Python", 0, winreg.KEY_READ | view) as key:
                found.append(copy(key, _DEPTH))
        except OSError:  # the key does not exist, or may not be read
            continue
    return tuple(found)
