"""What a served model is asked, by what the user answered in the window. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.flow import Answers

if TYPE_CHECKING:  # loaded when such an examination is asked for
    from checks.engine.served.plan import ServedRequest


def request_of(answers: Answers) -> ServedRequest:
    """The request that the answers make.

    Raises:
        RequestError: the address is none, or a prompt or the key cannot be read.
    """
    from checks.engine.served.address import understood
    from checks.engine.served.plan import ServedRequest

    request = ServedRequest(
        base=understood(answers.url),
        model=answers.served_model.strip(),
        prompts=answers.prompts,
        effort=answers.effort_taken,
        key_variable=answers.key_variable.strip(),
        is_claimed=answers.is_deterministic,
    )
    request.check()
    return request
