"""The answer of the portable probe as a case, and what is no such answer."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from checks.engine.portable.answer import case_of, is_answer
from checks.facts.case import Case
from checks.facts.runs import RunStatus
from checks.sharing.case import CaseError
from wizard.evidence_files import Kind, kind_in_ticket, kind_of
from wizard.report.open import holds_case, open_case

RECORDED = Path(__file__).parents[3] / "recordings" / "portable" / "linux-torch-cpu.json"


@pytest.fixture(scope="module")
def recorded() -> bytes:
    return RECORDED.read_bytes()


@pytest.fixture(scope="module")
def opened(recorded: bytes) -> Case:
    return case_of(recorded)


def changed(recorded: bytes, **fields: Any) -> bytes:
    return json.dumps({**json.loads(recorded), **fields}).encode()


def step(recorded: bytes, name: str, **fields: Any) -> bytes:
    """The answer with one step changed."""
    plain = json.loads(recorded)
    plain["steps"] = [{**step, **fields} if step["id"] == name else step for step in plain["steps"]]
    return json.dumps(plain).encode()


def test_it_is_told_by_its_content(recorded: bytes) -> None:
    assert is_answer(recorded)
    assert is_answer(recorded[:5000])
    assert not is_answer(b'{"format": 1, "facts": {"logs": [{"text": "\\"naosu-probe\\": 1"}]}}')
    assert not is_answer(b"{")


def test_the_machine_and_the_python(opened: Case) -> None:
    facts = opened.facts
    assert not facts.here
    assert facts.machine is not None
    assert facts.machine.os is not None
    assert facts.machine.os.system == "Linux"
    target = facts.target_interpreter
    assert target is not None
    assert (target.path, target.version, target.kind) == ("/home/user/venv/bin/python", "3.11.7", "venv")
    torch = target.package("torch")
    assert torch is not None
    assert torch.requires
    assert facts.frameworks is not None
    assert facts.frameworks.torch is not None
    assert facts.frameworks.torch.imported
    assert facts.frameworks.torch.origin == "ask/torch.py in /home/user/venv/bin/python"
    assert facts.environment is not None


def test_the_other_interpreters_are_listed_once_and_without_shims(opened: Case) -> None:
    paths = [interpreter.path for interpreter in opened.facts.interpreters or ()]
    assert len(paths) == len(set(paths)) > 5
    assert not any("shims" in path for path in paths)
    kinds = {interpreter.kind for interpreter in opened.facts.interpreters or ()}
    assert kinds == {"venv", "pyenv", "system"}


def test_what_was_computed(opened: Case) -> None:
    portraits = [one for one in opened.facts.measurements if msgspec.structs.asdict(one).get("fingerprint")]
    assert {(one.framework, one.device) for one in portraits} == {("torch", "cpu"), ("numpy", "cpu")}
    assert opened.answers.effort == "quick"
    assert opened.complete


def test_nothing_is_found_on_a_sound_machine(opened: Case) -> None:
    assert [finding.cause for finding in opened.findings if finding.severity.value != "note"] == []


def test_a_drop_takes_it_for_a_report(tmp_path: Path) -> None:
    assert kind_of(RECORDED) is Kind.REPORT
    alone = tmp_path / "machine.json"
    alone.write_text('{"python": "3.11.7", "probe": "ask/machine", "interpreter": ""}\n')
    assert kind_of(alone) is Kind.REPORT
    assert kind_in_ticket(alone) is Kind.REPORT


def test_it_opens_where_a_case_does(recorded: bytes) -> None:
    assert open_case(RECORDED).facts == case_of(recorded).facts
    assert holds_case(RECORDED)


def test_what_the_host_of_a_probe_wrote_opens(recorded: bytes, tmp_path: Path) -> None:
    lines = {step["id"]: step["answer"] for step in json.loads(recorded)["steps"]}
    path = tmp_path / "answer"
    path.write_text(lines["machine"] + lines["torch"])
    facts = open_case(path).facts
    assert facts.machine is not None
    assert facts.target == "/home/user/venv/bin/python"
    assert facts.frameworks is not None
    assert facts.frameworks.torch is not None
    path.write_text(lines["computations:torch:cpu"])
    assert len(open_case(path).facts.measurements) == 8


def test_a_newer_answer_opens_as_far_as_it_is_understood(recorded: bytes, opened: Case) -> None:
    newer = case_of(changed(recorded, **{"naosu-probe": 2, "naosu": "9.9", "something": {"new": 1}}))
    assert newer.newer
    assert newer.naosu == "9.9"
    assert newer.facts == opened.facts
    with pytest.raises(CaseError, match="case-too-new"):
        case_of(changed(recorded, **{"naosu-probe": 2, "steps": {}}))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b'{"naosu-probe": 1, "steps": [', "case-damaged", id="cut"),
        pytest.param(b'{"naosu-probe": 1, "steps": 5}', "case-unreadable", id="no-list"),
        pytest.param(b'{"naosu-probe": 1, "steps": [{"id": 5}]}', "case-unreadable", id="no-text"),
        pytest.param(b'{"naosu-probe": "x", "steps": []}', "case-unreadable", id="no-number"),
        pytest.param(
            json.dumps({"naosu-probe": 1, "steps": [{"id": f"a{count}"} for count in range(300)]}).encode(),
            "case-unreadable",
            id="too-many",
        ),
    ],
)
def test_damaged(data: bytes, reason: str) -> None:
    with pytest.raises(CaseError) as raised:
        case_of(data)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        pytest.param({"ended": "timed-out", "code": None}, RunStatus.TIMED_OUT, id="timed-out"),
        pytest.param({"ended": "no-time", "answer": ""}, RunStatus.SKIPPED, id="no-time"),
        pytest.param({"ended": "of-a-newer-version"}, RunStatus.SKIPPED, id="unknown"),
        pytest.param(
            {"code": -11, "answer": '{"python": "3.11.7"}\n{"begin": "imported"}\n'}, RunStatus.CRASHED, id="crash"
        ),
        pytest.param({"code": 1, "answer": "", "stderr": "bash: no"}, RunStatus.NOT_PYTHON, id="not-python"),
        pytest.param({"code": 0, "answer": "\x00\ufffd{]"}, RunStatus.NO_ANSWER, id="garbage"),
    ],
)
def test_how_a_step_ended(recorded: bytes, fields: dict[str, Any], status: RunStatus) -> None:
    probes = case_of(step(recorded, "torch", **fields)).facts.probes
    assert probes is not None
    run = probes.of("torch")
    assert run is not None
    assert run.status == status
    assert run.signal == ("SIGSEGV" if fields.get("code") == -11 else None)


@pytest.mark.parametrize(
    "answer",
    [
        '{"facts": {"python": 5, "distributions": [5, {"name": 5}, {"name": "x"}]}}',
        '{"facts": {"python": {"marks": 5, "prefix": 5}, "distributions": 5}}',
        '{"facts": {"pythons": [5, {"path": 5}, {"path": "/x", "packages": [["a"]], "location": "/y"}]}}',
        '{"facts": {"measurements": [5, {"kind": "portrait", "operation": 5}]}}',
    ],
)
def test_values_of_wrong_types_are_left_out(recorded: bytes, answer: str) -> None:
    for name in ("machine", "nvidia", "pythons", "python", "environment", "torch", "computations:torch:cpu"):
        case_of(
            step(
                recorded, name, answer=answer + '\n{"done": true}', argument={"device": 5, "seconds": {"portrait": "x"}}
            )
        )


def test_this_machine_s_variables_are_none_of_the_other(recorded: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "here")
    without = json.loads(recorded)
    without["steps"] = [step for step in without["steps"] if step["id"] != "environment"]
    assert case_of(json.dumps(without).encode()).facts.environment is None
