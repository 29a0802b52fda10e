"""The one document: what stands before what, for every form of the report."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from checks.facts.case import Case
from wizard.report.content.blocks import Block, Detail, Files, Place, Risk, Section, Step
from wizard.report.content.document import document_of
from wizard.report.content.report import build


def sections_in(blocks: Iterable[Block]) -> Iterator[Section]:
    """All sections, those within others too."""
    for block in blocks:
        if isinstance(block, Section):
            yield block
            yield from sections_in(block.blocks)
        elif isinstance(block, Files):
            yield from sections_in(block.pages)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_risk_is_the_first_block_of_its_remedy(case: Case, language: str) -> None:
    remedies = [
        section.blocks
        for section in sections_in(document_of(build(case, language)).sections)
        if any(isinstance(block, Step) for block in section.blocks)
    ]
    assert any(isinstance(blocks[0], Risk) for blocks in remedies)
    assert not any(isinstance(block, Risk) for blocks in remedies for block in blocks[1:])


def test_sections_have_ids_of_their_own(case: Case) -> None:
    ids = [section.id for section in sections_in(document_of(build(case, "en")).sections) if section.card]
    assert len(ids) == len(set(ids))
    assert all(ids)


def test_what_is_not_known_is_in_the_summary_and_what_is_fine_only_in_the_whole(case: Case) -> None:
    by_id = {section.id: section for section in sections_in(document_of(build(case, "en")).sections)}
    assert by_id["not-run"].detail is Detail.SUMMARY
    assert by_id["fine"].detail is Detail.FULL
    assert by_id["fine"].place is by_id["facts"].place is Place.APPENDIX


def test_a_remedy_is_described_once_and_then_referred_to(make_case: Callable[..., Case]) -> None:
    report = build(make_case(), "en")
    twice = document_of(type(report)(**{**vars(report), "findings": report.findings[:1] * 2}))
    first, second = (section for section in sections_in(twice.sections) if section.badge and section.badge.note)
    described = [section.elsewhere for section in first.blocks if isinstance(section, Section) and section.label]
    again = [section.elsewhere for section in second.blocks if isinstance(section, Section) and section.label]
    assert not any(described)
    assert all(again)
