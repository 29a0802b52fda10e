"""The answer to a ticket: its language, and how a mail shows it."""

import pytest

from wizard.report.prints.reply import language_of, plain


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (r"1\.5 GiB", "1.5 GiB"),
        (r"libcudnn\*.so.9 and cudnn\_8.dll", "libcudnn*.so.9 and cudnn_8.dll"),
        (r"Lib\\site-packages", r"Lib\site-packages"),
        ("so:\n\n```sh\necho \\*\n```\n\n1\\. or `sm_50`", "so:\n\n    echo \\*\n\n1. or sm_50"),
        ("**The cause:** see <https://example.org/a_b>, @\u200bname", "The cause: see https://example.org/a_b, @name"),
        ("`` a`b `` and 2 \\* 3", "a`b and 2 * 3"),
        ("plain", "plain"),
    ],
)
def test_marks_of_markdown_are_not_shown(markdown: str, shown: str) -> None:
    assert plain(markdown) == shown


def test_the_language_of_a_ticket() -> None:
    assert language_of("動かなくなりました", "en") == "ja"
    assert language_of("It fails", "ja") == "en"
    assert language_of("  ", "ja") == "ja"
