"""Two saved examinations as one case: both are called by what they are, neither is "this machine"."""

from pathlib import Path

import pytest
from support.recorded_computations import measurements

from checks.facts import Facts, Frameworks, TorchFacts
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.sharing.two_cases import compared, names_of
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal


def examined(recording: str, threads: int, version: str = "2.13.0") -> Case:
    torch = TorchFacts(version=version, threads=threads)
    facts = Facts(frameworks=Frameworks(torch=torch), measurements=measurements(recording))
    return judged(facts, Answers(symptom="results-differ", exactness="bits"))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("version", ["2.13.0", "2.12.0"], ids=["threads", "versions"])
def test_neither_is_this_machine(language: str, version: str) -> None:
    first = examined("torch-2.13.0-cpu-portraits", 2)
    second = examined("torch-2.13.0-cpu-one-thread-portraits", 1 if version == "2.13.0" else 2, version)
    case = compared(first, second, ("office.json", "server.json"))
    assert case.answers.exactness == "bits"
    report = build(case, language)
    (section,) = report.asked
    own = {"en": ("this machine", "other machine"), "ja": ("このマシン", "もう一方のマシン")}[language]
    told = [report.verdict.sentence, *report.verdict.scope, *report.notes, section.title, *section.sentences]
    told += [text for table in section.tables for text in (table.title, *table.columns, table.note)]
    told += [text for finding in report.findings for text in (finding.title, finding.why)]
    for text in told:
        assert not any(each in text.lower() for each in own), text
    assert "office.json" in report.verdict.sentence
    for table in section.tables:
        assert {"office.json", "server.json"} <= set(table.columns)
    for text in (to_terminal(report), to_markdown(report)):
        assert "office.json" in text
        assert "server.json" in text


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("/a/office.json", "/a/server.pdf", ("office.json", "server.pdf")),
        ("/office/report.json", "/server/report.json", ("office/report.json", "server/report.json")),
        ("/a/x/report.json", "/b/x/report.json", ("report.json (1)", "report.json (2)")),
    ],
)
def test_names_tell_them_apart(first: str, second: str, names: tuple[str, str]) -> None:
    assert names_of(Path(first), Path(second)) == names
