"""What real servers were recorded to answer, asked again: which variation is seen, and what it is called."""

from pathlib import Path
from typing import Any

import pytest
from support.played_server import SMALL, asked
from support.served_player import Recording, serving

from checks.analysis.served.closeness import Closeness
from checks.analysis.served.variation import of
from checks.causes.reproducibility.served_servers_differ import served_servers_differ
from checks.engine.events import Finished, ProbeStage
from checks.engine.served import plan
from checks.engine.served.examination import examine_served
from checks.facts import Facts, ServedAspect, ServedFacts, ServedPair, Symptom
from checks.facts.case import Answers
from checks.facts.finding import Severity
from checks.facts.question import SERVED
from checks.judgement.judge import judged
from checks.knowledge.phrases import in_language


def played(name: str, **more: Any) -> ServedFacts:
    with serving(Recording(name)) as url:
        return asked(url, SMALL, **more)


def causes(served: ServedFacts) -> list[str]:
    facts = Facts(served=served, symptom=Symptom(name=SERVED))
    return [finding.cause for finding in judged(facts, Answers(symptom=SERVED)).findings if finding.confidence > 0.5]


def test_llama_cpp_with_four_slots() -> None:
    found = played("llama-four-slots")
    assert (found.kind, found.version, found.model) == ("llama.cpp", "b1-0c1e570", "tiny-1")
    assert found.has_tokens
    assert found.has_tops
    assert found.settings["total_slots"] == "4"
    assert not found.problem
    alone, company = of(found, ServedAspect.ALONE), of(found, ServedAspect.COMPANY)
    assert (alone.calls, alone.others, alone.drifted) == (30, 0, 0)
    assert company.others == 0
    assert company.drifted >= 15
    assert 0 < (company.drift or 0) < 0.01
    cold, bypassed = of(found, ServedAspect.CACHE), of(found, ServedAspect.BYPASS)
    assert cold.drifted >= 5
    assert (bypassed.others, bypassed.drifted) == (0, 0)
    assert all((trial.cached_warm or 0) > (trial.cached_cold or 0) for trial in cold.trials)
    assert causes(found) == ["served-batch-dependence", "served-cache-dependence"]


def test_the_same_with_one_slot_computes_nothing_together() -> None:
    found = played("llama-one-slot")
    company = of(found, ServedAspect.COMPANY)
    assert (company.calls, company.others, company.drifted) == (30, 0, 0)
    assert causes(found) == ["served-cache-dependence"]


def test_words_part_in_company_at_a_near_tie(tmp_path: Path) -> None:
    texts = {
        "colours.txt": "List three colours and say what each is used for.",
        "sea.txt": "Write one sentence about the sea.",
    }
    for file, text in texts.items():
        (tmp_path / file).write_text(text)
    found = played("llama-words-part", prompts=tuple(tmp_path / file for file in texts))
    alone, company = of(found, ServedAspect.ALONE), of(found, ServedAspect.COMPANY)
    assert (alone.calls, alone.others) == (20, 0)
    assert company.others >= 5
    (parting,) = company.partings
    assert parting.token == 4
    assert parting.gap == pytest.approx(0.00013, rel=0.1)
    assert company.closeness is Closeness.NEAR
    assert causes(found) == ["served-batch-dependence", "served-cache-dependence"]


def test_a_gateway_that_sets_the_temperature() -> None:
    found = played("llama-temperature-overridden")
    alone = of(found, ServedAspect.ALONE)
    assert alone.others >= 25
    assert alone.closeness is Closeness.SAMPLED
    assert causes(found) == ["served-sampling"]


def test_a_router_with_two_models_behind_it() -> None:
    found = played("two-replicas")
    assert causes(found)[0] == "served-replicas"
    assert {name for trial in found.trials for name in trial.models} == {"tiny-0", "tiny-1"}


def test_transformers_tells_no_probabilities_and_draws_nothing() -> None:
    found = played("transformers", model="hf")
    assert not found.problem
    assert not found.has_tokens
    assert not found.kind
    assert causes(found) == []
    (seeded,) = found.of(ServedAspect.SEED)
    assert (seeded.others, seeded.other_seeds, seeded.other_texts) == (0, 2, 0)


def test_a_restart_with_other_slots_and_with_other_weights() -> None:
    four, one, other = map(played, ("llama-four-slots", "llama-one-slot", "llama-other-weights"))
    assert list(served_servers_differ(ServedPair(first=four, second=one, names=("a", "b")))) == []
    (finding,) = served_servers_differ(ServedPair(first=four, second=other, names=("a", "b")))
    assert finding.severity is Severity.WARNING
    assert finding.values["others"] == "3"
    assert "model tiny-1 / tiny-0" in in_language(finding.values["beside"], "en")


def test_a_cancel_keeps_what_was_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(plan.AMOUNTS, "quick", SMALL)
    stages: list[str] = []
    with serving(Recording("llama-one-slot")) as url:
        request = plan.ServedRequest(base=f"{url}/v1", effort="quick")
        for event in examine_served(request, lambda: "company" in stages):
            if isinstance(event, ProbeStage):
                stages.append(event.stage)
    assert isinstance(event, Finished)
    assert not event.case.complete
    found = event.case.facts.served
    assert found is not None
    assert of(found, ServedAspect.ALONE).calls == 30
    assert not found.of(ServedAspect.SEED)


@pytest.mark.parametrize("name", ["llama-four-slots", "two-replicas"])
def test_only_what_was_announced_is_asked(name: str) -> None:
    recording = Recording(name)
    with serving(recording) as url:
        found = asked(url, SMALL)
    assert 0 < len(recording.asked) <= found.requests
    assert set(recording.asked) <= {"/v1/models", "/props", "/v1/chat/completions"}
