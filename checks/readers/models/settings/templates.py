"""Templates of chats: programs in Jinja, and the names by which one reaches Python itself."""

import re

# The names by which a template reaches Python's own objects, and the ways to write them otherwise; a chat needs none.
# llama-cpp-python rendered templates without a sandbox before 0.2.72 (CVE-2024-34359), SGLang in 2026 (CVE-2026-5760).
_OUT_OF_TEMPLATE = re.compile(
    r"__[a-z]+__|\|\s*attr\s*\(|\\x5f|\\u005f|\b(?:func|f)_globals\b|\bgi_frame\b", re.IGNORECASE
)
_MOST_NAMED = 5


def reaching_names(template: str) -> str:
    """The first names by which a template reaches out; "" where it does not."""
    names = dict.fromkeys(found[0] for found in _OUT_OF_TEMPLATE.finditer(template))
    return ", ".join([*names][:_MOST_NAMED])
