"""What a finding shows as its evidence, by name."""

from checks.facts.finding import Finding


def evidence_of(finding: Finding) -> dict[str, str]:
    """Name -> value; the values of a finding that are no evidence are left out."""
    return {shown.name: shown.value for shown in finding.evidence}
