"""The answer to a ticket, as people read it."""

import pytest

from wizard.pages.panels.replying import language_of, plain


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (r"1\.5 GiB", "1.5 GiB"),
        (r"libcudnn\*.so.9 and cudnn\_8.dll", "libcudnn*.so.9 and cudnn_8.dll"),
        (r"Lib\\site-packages", r"Lib\site-packages"),
        ("```sh\necho \\*\n```", "```sh\necho \\*\n```"),
        ("plain", "plain"),
    ],
)
def test_marks_of_markdown_are_not_shown(markdown: str, shown: str) -> None:
    assert plain(markdown) == shown


def test_the_language_of_a_ticket() -> None:
    assert language_of("動かなくなりました", "en") == "ja"
    assert language_of("It fails", "ja") == "en"
    assert language_of("  ", "ja") == "ja"
