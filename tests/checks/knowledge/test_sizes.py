"""Sizes as programs write them."""

import pytest

from checks.knowledge.sizes import size_of

GIB = 2**30


@pytest.mark.parametrize(
    ("text", "size"),
    [("1.61 GiB", 1728724336), ("926. GiB", 926 * GIB), ("268435456 bytes", 268435456), ("8G", 8 * GIB),
     ("20.00 MiB", 20 << 20), ("149.01GiB", int(149.01 * GIB)), ("107,374,182,400", 107374182400), ("much", None),
     ("1.2.3 GiB", None), ("", None), ("9" * 400, None)],
)  # fmt: skip
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size
