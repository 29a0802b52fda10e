"""The facts: everything Naosu knows before it judges.

Three kinds of "nothing" are kept apart in every type:

* **unread**: the field is ``None`` (and left out of the JSON); ``unread`` may say why, by field name.
* **absent**: it was looked for and is not there; an empty tuple, an empty string or ``False``.
* **zero**: the number 0.

Every fact names its ``origin``: the file, library, command or log lines that it was read from.
Sizes are bytes, temperatures degrees Celsius, power watts, clocks MHz, unless a field says otherwise.
Versions are kept as text, as they came; compare them through :mod:`checks.facts.versions`.
"""

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all facts: where it was read, and why a field of it could not be."""

    origin: str = ""
    unread: dict[str, str] = {}
