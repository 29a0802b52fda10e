"""A served model: which server it is, and how its answers vary.

Argument: ``base``, the URL up to and with "/v1"; ``key_variable``, the name of the environment variable that holds the
key, "" for none; ``model``, "" for the first that the server names; ``signs``, how servers are told apart; ``prompts``
and ``companions``, each with ``name`` and ``text`` or the ``path`` of a text; ``prefix``, a long beginning; ``times``,
``rounds``, ``at_once``, ``groups``, ``seeds``, ``other_seeds``, ``max_tokens``; ``seconds`` for all, and
``request_seconds`` for one answer.

The first stage finds out whom it speaks to; where that fails the ``problem`` is the answer, and nothing else is asked.
"""

from . import identity, trials
from .connection import Refused, Server
from .protocol import PLAIN, Protocol

ESSENTIAL = ()
LONGEST_PROMPT = 100000  # bytes of a text that is given

STATE = {}


def server(argument):
    """Find the server, its model and its way of speaking."""
    place = Server(argument["base"], argument["key_variable"])
    try:
        yield from _met(place, argument)
    except Refused as refused:
        variable = argument["key_variable"]
        if refused.problem == "no-key" and variable:
            refused = Refused("key-refused", variable=variable, **refused.values)
        yield {"problem": refused.problem, "problem_values": refused.values}


def _met(place, argument):
    models, owner = _models(place, argument["model"])
    yield {"models": models}
    about = identity.about(place, owner, argument["signs"])
    yield about
    model = argument["model"] or (models[0] if models else "")
    argument["prompts"] = [_read(prompt) for prompt in argument["prompts"]]
    sign = next((sign for sign in argument["signs"] if sign["id"] == about.get("kind")), {})
    argument["bypass"] = sign.get("bypass") or {}
    protocol = Protocol(model)
    session = trials.Session(place, protocol, argument)
    try:
        reply = _first(session, argument)
    except Refused as refused:
        if model in models or not models or refused.problem not in ("not-found", "refused"):
            raise
        raise Refused("unknown-model", model=model, models=", ".join(models[:10])) from refused
    yield {
        "model": model,
        "answered_as": reply.model,
        "endpoint": protocol.endpoint,
        "has_tokens": bool(reply.tokens),
        "has_tops": any(len(top) > 1 for top in reply.tops),
    }
    session.first[argument["prompts"][0]["name"]] = reply
    STATE["session"] = session


def _models(place, wanted):
    """The models; a server that lists none may still serve the one that was named."""
    try:
        return identity.models_of(place)
    except Refused as refused:
        if wanted and refused.problem in ("not-found", "not-compatible", "refused", "fault", "html", "not-json"):
            return [], ""
        raise (Refused("not-compatible") if refused.problem == "not-found" else refused) from refused


def _read(prompt):
    """A prompt with its text."""
    if "path" not in prompt:
        return prompt
    try:
        with open(prompt["path"], "rb") as file:
            return {"name": prompt["name"], "text": file.read(LONGEST_PROMPT).decode("utf-8", "replace")}
    except OSError as error:
        raise Refused("prompt-unreadable", path=prompt["path"], detail=error.strerror or str(error)) from error


def _first(session, argument):
    """The first answer, with what has to be left out for it: probabilities, the chat's form."""
    protocol, prompt = session.protocol, argument["prompts"][0]["text"]
    tried = []
    for endpoint, has_logprobs in (
        (protocol.endpoint, True),
        (protocol.endpoint, False),
        (PLAIN, True),
        (PLAIN, False),
    ):
        protocol.endpoint, protocol.has_logprobs = endpoint, has_logprobs
        try:
            return _asked(session, prompt)
        except Refused as refused:
            if refused.problem not in ("refused", "not-found", "fault", "html", "not-compatible"):
                raise
            tried.append(refused)
    raise tried[0]


def _asked(session, prompt):
    """The answer, asked for again after a fault: one that comes once is no sign that the server cannot do it."""
    try:
        return session.ask(prompt)
    except Refused as refused:
        if refused.problem != "fault":
            raise
    return session.ask(prompt)


def alone(argument):
    """Each prompt again, with nothing beside it."""
    return trials.alone(STATE["session"])


def company(argument):
    """Each prompt again, with others beside it."""
    return trials.company(STATE["session"])


def cache(argument):
    """Prompts that the server has not seen, and has seen."""
    return trials.cache(STATE["session"])


def seed(argument):
    """A seed at a temperature."""
    return trials.seed(STATE["session"])


def stages():
    """The stages: where the server does not answer, there is only the first."""
    yield server
    if "session" in STATE:
        yield alone
        yield company
        yield cache
        yield seed


STAGES = stages()
