"""A report is judged as the text was that it hides secrets and names of: no letter of these speaks for a cause."""

import json
import random
from pathlib import Path

import pytest
from support.extent import some

from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.readers.private.hiding import Own
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.sharing.redact import redact

TESTS = Path(__file__).parents[2]
KNOWN = [
    json.loads(line)["text"]
    for path in sorted((TESTS / "tickets" / "known").glob("*.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]
PLANTED = [
    json.loads(line)["text"]
    for line in (TESTS / "recordings" / "privacy" / "secrets.jsonl").read_text("utf-8").splitlines()
]
OWN = Own(user="kirishima", home="/home/kirishima", host="asagiri-07")


def judge(text: str) -> Case:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET))


def answer(case: Case) -> list[tuple[str, str, float]]:
    return [(finding.cause, finding.severity, finding.confidence) for finding in case.findings]


def planted(text: str, number: int) -> str:
    """The ticket with three lots of secrets and names between its lines."""
    disorder, lines = random.Random(number), text.split("\n")
    for secret in disorder.sample(PLANTED, 3):
        lines.insert(disorder.randrange(len(lines) + 1), secret)
    return "\n".join(lines)


@pytest.mark.parametrize("part", range(4))
def test_a_ticket_with_secrets_is_judged_the_same_when_its_report_is_opened(part: int) -> None:
    for number, ticket in enumerate(some(KNOWN, 40)[part::4]):
        case = judge(planted(ticket, 4 * number + part))
        hidden = redact(case, OWN).case
        assert answer(judged(hidden.facts, case.answers)) == answer(case), ticket
        assert answer(judge(hidden.facts.logs[0].text or "")) == answer(case), ticket


def test_the_letters_of_a_secret_tell_no_cause() -> None:
    text = "The program ends with an error, I do not know why.\nHF_TOKEN={}"
    answers = [
        answer(judge(text.format(secret)))
        for secret in ("hf_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "hf_cudaOutOfMemoryNanDriver0123456789", "<secret-1>")
    ]
    assert answers[0] == answers[1] == answers[2]


def test_a_quoted_line_stands_as_it_was_written() -> None:
    line = "PermissionError: [Errno 13] Permission denied: '/home/hiroko/.cache/huggingface'"
    case = judge(f"hiroko@desk-01:~$ python x.py\n{line}")
    quoted = [shown.value for finding in case.findings for shown in finding.evidence if shown.name == "clue"]
    assert any("hiroko" in clue for clue in quoted)


def test_a_log_of_the_system_is_read_with_a_hidden_host() -> None:
    line = "Nov 12 09:01:44 {} kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=1234, GPU has fallen off the bus."
    assert answer(judge(line.format("<host-1>"))) == answer(judge(line.format("hinode-gpu2"))) != []
