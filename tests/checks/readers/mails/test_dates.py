"""When a ticket was written: as each tracker and mail program writes it, and nothing where that is not sure."""

import pytest

from checks.readers.mails.dates import moment_of


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2024-05-01T12:30:05Z", "2024-05-01T12:30:05"),  # GitHub
        ("2024-05-01T12:30:05.123+02:00", "2024-05-01T10:30:05"),  # GitLab, Jira
        ("2024-05-01T12:30:05.000-0700", "2024-05-01T19:30:05"),
        ("2024-05-01 12:30:05 UTC", "2024-05-01T12:30:05"),  # GitLab's CSV
        ("2024/05/01 12:30", "2024-05-01T12:30:00"),  # Redmine in Japanese
        ("05/01/2024 01:30 PM", "2024-05-01T13:30:00"),  # Redmine in English
        ("01/May/24 1:30 PM", "2024-05-01T13:30:00"),  # Jira's CSV
        ("Wed, 01 May 2024 12:30:05 +0900", "2024-05-01T03:30:05"),  # mails
        ("2025-02", "2025-02-01T00:00:00"),
        ("23/11/2024", "2024-11-23T00:00:00"),
        ("23.11.2024 12:30", "2024-11-23T12:30:00"),
    ],
)
def test_is_read(written: str, moment: str) -> None:
    assert moment_of(written) == moment


@pytest.mark.parametrize(
    "written",
    [
        *("", "yesterday", "03/04/2024", "2024-13-40", "0001-01-01", "9999-12-31", "12:30"),
        "0001-01-01T00:00:00+09:00",  # what .NET writes for no day, in Japan
        "9999-12-31T23:59:59-05:00",
    ],
)
def test_is_not_guessed(written: str) -> None:
    assert moment_of(written) == ""
