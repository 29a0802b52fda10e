"""Each sample runs something when it is loaded (tests/live/test_hostile_proof.py shows that): none may get a tick."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.extent import some
from support.harmless_pickles import harmless_pickles
from support.hostile.assembler import Hostile
from support.hostile.corpus import samples

from checks.facts import Facts, ModelFacts, Symptom
from checks.facts.case import Answers, Case
from checks.facts.finding import Severity
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from checks.judgement.models.standing import PerModel, Standing
from checks.judgement.ranking import is_found
from checks.readers.models import read_models

# Samples of which only that they could not be read is said: what is packed twice or in ways that are not opened here.
UNREAD = {
    "compressed: twice",
    "compressed: an unusual window",
    "archives: zip behind rubbish",
    "archives: 7z",
    "archives: 7z, no ending",
}
# Samples of which it is said that nobody knows what they run, or that this may be meant well.
WARNED_OF = {"something in front or beside: a second pickle behind zeros", "Keras: Lambda"}


@pytest.fixture(scope="module")
def tricks() -> dict[str, list[Hostile]]:
    """The samples by what they do. To make them takes long: no part of the search for tests."""
    found: defaultdict[str, list[Hostile]] = defaultdict(list)
    for sample in samples():
        found[sample.trick].append(sample)
    return found


def case_of(models: Sequence[ModelFacts]) -> Case:
    facts = Facts(models=tuple(models), symptom=Symptom(origin="user", name=MODELS))
    return judged(facts, Answers(symptom=MODELS))


def standing(case: Case) -> Standing:
    per_model = PerModel.of(case.findings, case.verdicts)
    return min(map(per_model.standing, case.facts.models), key=list(Standing).index)


def is_dangerous(model: ModelFacts) -> bool:
    return any(needed.risk == "dangerous" for needed in model.needs.classes or ())


def test_there_are_enough(tricks: dict[str, list[Hostile]]) -> None:
    assert sum(map(len, tricks.values())) >= 500
    assert len(tricks) >= 40


def test_what_runs_something_is_said_first(tricks: dict[str, list[Hostile]], tmp_path: Path) -> None:
    missed = []
    for sample in itertools.chain.from_iterable(tricks.values()):
        path = tmp_path / sample.file
        path.write_bytes(sample.content)
        case = case_of(read_models(path))
        path.unlink()
        first = case.findings[0] if case.findings else None
        if sample.id in UNREAD:
            is_said = standing(case) is Standing.UNREADABLE
        elif sample.id in WARNED_OF:
            is_said = first is not None and first.cause.startswith("pickle-") and standing(case) is Standing.ATTENTION
        else:
            is_named = first is not None and (first.cause, first.severity) == ("pickle-runs-code", Severity.BLOCKING)
            is_said = is_named and standing(case) is Standing.RUNS_CODE
            is_said = is_said and "low" not in {model.dependence for model in case.facts.models if is_dangerous(model)}
        if not is_said:
            missed.append((sample.id, [(found.cause, found.severity) for found in case.findings]))
    assert missed == []


def test_harmless_ones_are_not_disturbed(tmp_path: Path) -> None:
    made = list(harmless_pickles())
    disturbed = []
    for harmless in some(made, 75):
        path = tmp_path / harmless.file
        path.write_bytes(harmless.content)
        models = read_models(path)
        named = {needed.name: needed.risk for model in models for needed in model.needs.classes or ()}
        if set(named.values()) - {"known"} or is_found(case_of(models).findings, reported=False):
            disturbed.append((harmless.name, [name for name, risk in named.items() if risk != "known"]))
    assert disturbed == []
    assert len(made) >= 150


def test_what_it_would_run_is_told(tricks: dict[str, list[Hostile]], tmp_path: Path) -> None:
    (sample,) = (found for found in tricks["programs of os"] if found.name == "os.system")
    (tmp_path / "a.pkl").write_bytes(sample.content)
    case = case_of(read_models(tmp_path / "a.pkl"))
    assert case.findings[0].placeholders()["dangerous_names"] == ("os.system('echo>ran')",)
