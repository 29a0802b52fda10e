"""An error as the target's program raised it."""

import msgspec


class ErrorText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An exception of the target's program, as it came."""

    type: str  # "ImportError"
    message: str
    traceback: str = ""
