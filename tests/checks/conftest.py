"""Whatever a check finds in any test must be sayable: in every language, with every value that its texts name."""

from collections.abc import Iterable, Iterator

import pytest
from support.sayable import assert_sayable

from checks.causes.registry import Check
from checks.facts.finding import Finding


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
