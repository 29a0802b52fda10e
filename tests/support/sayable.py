"""Whatever a check finds must be sayable: in every language, with every value that its texts name."""

from checks.facts.finding import Finding
from checks.knowledge.catalogue import cause_of, remedy_of
from checks.knowledge.templates import placeholders
from checks.languages import LANGUAGES
from checks.remedies.plan import CONTEXT
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
