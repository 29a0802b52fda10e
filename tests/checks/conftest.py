"""Whatever a check finds in any test must be sayable: in every language, with every value that its texts name."""

from collections.abc import Iterable, Iterator

import pytest

from checks.causes import LANGUAGES, cause_of, remedy_of
from checks.finding import Finding
from checks.registry import Check
from checks.remedy import CONTEXT
from checks.shell import placeholders
from wizard.words import area


def assert_sayable(finding: Finding) -> None:
    """Fail, naming what is missing, if the finding could not be shown to a user."""
    cause, known = cause_of(finding.cause), finding.placeholders()
    for language in LANGUAGES:
        text = cause.text.of(language)
        for part in (text.title, text.why, text.explanation):
            missing = placeholders(part) - known.keys()
            assert not missing, f"{finding.cause} ({language}) names {sorted(missing)}, which the finding does not give"
    unlabelled = {each.name for each in finding.evidence} - area("fields").keys()
    assert not unlabelled, f"{finding.cause}: no label in fields.toml for {sorted(unlabelled)}"
    foreign = set(finding.remedies) - set(cause.remedies)
    assert not foreign, f"{finding.cause}: {sorted(foreign)} not among the remedies of its file"
    offered = finding.remedies or cause.remedies
    assert any(set(remedy_of(each).needs) <= known.keys() | set(CONTEXT) for each in offered), (
        f"{finding.cause}: no remedy can be offered, their needs are not met"
    )


@pytest.fixture(autouse=True)
def _findings_are_sayable(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Check.__call__

    def checked(self: Check, *args: object, **kwargs: object) -> Iterable[Finding]:
        def findings() -> Iterator[Finding]:
            for finding in call(self, *args, **kwargs):
                assert_sayable(finding)
                yield finding

        return findings()

    monkeypatch.setattr(Check, "__call__", checked)
