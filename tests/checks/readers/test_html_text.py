"""The text of a page, whatever in it never ends."""

import pytest

from checks.readers.html_text import text_of_page, without_comments


def test_what_a_reader_sees() -> None:
    page = (
        "<!DOCTYPE html><html><head><title>t</title><style>p > a {}</style></head><body><!-- a <b> -->"
        '<p class="x">It fails:</p><pre>a &lt;b&gt;<br/>1 < 2 &amp; 3</pre><script>if (a < b) {}</script>'
        "<o:p></o:p></body>"
    )
    assert text_of_page(page) == "It fails:\n\na <b>\n1 < 2 & 3"


def test_a_comment_that_does_not_end_stays() -> None:
    assert without_comments("a<!-- b -->c<!-- d") == "ac<!-- d"


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<![CDATA[", "<", "</", "<?", "<!a ", "<a b='", "<a b=b ", "<style>", "<script", "<br ", "<head>", "&#"],
)
def test_what_never_ends_is_gone_through_once(piece: str) -> None:
    """A mail of two megabytes of it took minutes; a page as long takes seconds even where it is slow."""
    text_of_page(piece * (4_000_000 // len(piece)))


def test_a_number_of_many_digits() -> None:
    assert text_of_page(f"<p>It fails &#{'9' * 5000};</p>").startswith("It fails")
