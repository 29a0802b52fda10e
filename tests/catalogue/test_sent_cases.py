"""Who sends a case or a text chooses no package, no address and no program of a command, in either language."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checks.facts.case import Case
from checks.sharing.case import decode
from wizard.report.content.report import build

CASES = Path(__file__).parents[1] / "cases"
RICH = ("onnxruntime-twice-rtx-4090", "rtx-5070-ti-windows-cu126", "recorded-tensorflow-protobuf")
WISHES = ("evil-pkg>=99", "torch @ https://evil.example/x.whl", "https://evil.example/x.whl", "-r //evil.example/x")
PROGRAMS = (r"\\evil\share\python.exe", "//evil/share/python", "/tmp/evil.sh", r"C:\Users\Public\evil.exe", "evil")
TEXTS = (
    "ModuleNotFoundError: No module named 'evil-pkg'",
    "ImportError: evil-pkg>=2 is required for a normal functioning of this module, but found evil-pkg==1",
    "ImportError: this needs evil-pkg. Try: pip install evil-pkg",
    "OSError: libevil.so.1; touch evil: cannot open shared object file: No such file or directory",
    "ImportError: /tmp/evil/libgomp.so.1: cannot allocate memory in static TLS block",
    "torch 2.5.0 requires evil-pkg>=3, but you have evil-pkg 1.0 which is incompatible.",
)


def sent(plain: dict[str, Any]) -> Iterator[Case]:
    """The case as somebody hostile sends it."""
    facts = plain["facts"] | {"here": True}
    (target,) = (each for each in facts["interpreters"] if each["path"] == facts["target"])

    def changed(**fields: Any) -> Case:
        interpreter = {**target, **fields}
        whole = {**facts, "interpreters": [interpreter], "target": interpreter["path"]}
        return decode(json.dumps({**plain, "facts": whole}).encode())

    for wish in WISHES:
        yield changed(packages=[{**package, "requires": [wish]} for package in target["packages"]])
        yield changed(packages=[{**package, "name": wish} for package in target["packages"]])
        yield changed(packages=[{**package, "version": f"1.0 {wish}"} for package in target["packages"]])
    for program in PROGRAMS:
        yield changed(path=program)
    logs = [{"name": "a.log", "kind": "log", "text": text} for text in TEXTS]
    yield decode(json.dumps({**plain, "facts": {**facts, "logs": logs}}).encode())


def commands(case: Case, language: str) -> Iterator[str]:
    report = build(case, language)
    for remedy in (remedy for finding in report.findings for remedy in finding.remedies):
        yield from (step.code for step in remedy.steps)
        yield remedy.verify.code
    yield from (model.install for model in report.models)


@pytest.mark.parametrize("name", RICH)
def test_nothing_of_a_sender_stands_in_a_command(name: str) -> None:
    seen = 0
    for case in sent(json.loads((CASES / f"{name}.json").read_bytes())):
        for language in ("en", "ja"):
            found = [command for command in commands(case, language) if command]
            seen += len(found)
            assert not [command for command in found if "evil" in command]
    assert seen
