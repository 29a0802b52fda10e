"""The OpenAI protocol, as far as it is needed: one prompt, one answer, token by token where the server tells them."""

from .connection import Refused, checked

CHAT, PLAIN = "chat/completions", "completions"
TOP = 5  # likeliest tokens that are asked for at each place
_MOST_TOKENS = 4096
_MOST_TEXT = 200000  # characters
_LONGEST_TOKEN = 200
_LEAST = -1e4  # what stands for a probability of nothing


class Reply:
    """One answer. ``logprobs``, ``tops``: of each token, where the server tells them; a top is (token, logprob)."""

    def __init__(self, text, tokens, logprobs, tops, finish):
        self.text = text
        self.tokens = tokens
        self.logprobs = logprobs
        self.tops = tops
        self.finish = finish
        self.fingerprint = ""
        self.model = ""
        self.prompt_tokens = None
        self.cached = None
        self.seconds = None


class Protocol:
    """How this server is asked: at which endpoint, for which model, whether for probabilities."""

    def __init__(self, model):
        self.model = model
        self.endpoint = CHAT
        self.has_logprobs = True

    def body(self, prompt, most_tokens, temperature=0, seed=None, extra=None):
        """What is sent for a prompt."""
        body = {"model": self.model, "max_tokens": most_tokens, "temperature": temperature, "stream": False}
        if self.endpoint == CHAT:
            body["messages"] = [{"role": "user", "content": prompt}]
        else:
            body["prompt"] = prompt
        if self.has_logprobs:
            body.update({"logprobs": True, "top_logprobs": TOP} if self.endpoint == CHAT else {"logprobs": TOP})
        if seed is not None:
            body["seed"] = seed
        body.update(extra or {})
        return body

    def ask(self, server, body, seconds):
        """Send it, and read what comes back."""
        return reply_of(checked(server.post("/" + self.endpoint, body, seconds)))


def reply_of(told):
    """The answer in what the server sent.

    Raises:
        Refused: it holds none.
    """
    choice = _first(told.get("choices")) if isinstance(told, dict) else None
    if not isinstance(choice, dict):
        raise Refused("not-compatible")
    text = _text_of(choice)
    tokens, logprobs, tops = _tokens_of(choice.get("logprobs"))
    reply = Reply(text[:_MOST_TEXT], tokens, logprobs, tops, _word(choice.get("finish_reason")))
    reply.fingerprint = _word(told.get("system_fingerprint"))
    reply.model = _word(told.get("model"))
    usage = told.get("usage") if isinstance(told.get("usage"), dict) else {}
    details = usage.get("prompt_tokens_details")
    reply.prompt_tokens = _count(usage.get("prompt_tokens"))
    reply.cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    return reply


def _text_of(choice):
    message = choice.get("message")
    if isinstance(message, dict):
        thought = message.get("reasoning_content") or message.get("reasoning")
        said = message.get("content")
        if said is None and thought is None and not message.get("tool_calls"):
            said = ""
        parts = [part for part in (thought, said) if part is not None]
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)
    elif isinstance(choice.get("text"), str):
        return choice["text"]
    raise Refused("not-compatible")


def _tokens_of(told):
    """(Tokens, their logprobs, the likeliest at each place), in either of the two forms; nothing where none is told."""
    if not isinstance(told, dict):
        return [], [], []
    if isinstance(told.get("content"), list):
        entries = [entry for entry in told["content"][:_MOST_TOKENS] if isinstance(entry, dict)]
        tops = [_tops(entry.get("top_logprobs")) for entry in entries]
        return _checked([entry.get("token") for entry in entries], [entry.get("logprob") for entry in entries], tops)
    if isinstance(told.get("tokens"), list) and isinstance(told.get("token_logprobs"), list):
        tops = told.get("top_logprobs") if isinstance(told.get("top_logprobs"), list) else []
        return _checked(
            told["tokens"][:_MOST_TOKENS], told["token_logprobs"][:_MOST_TOKENS], [_tops(top) for top in tops]
        )
    return [], [], []


def _checked(tokens, logprobs, tops):
    if len(tokens) != len(logprobs) or not all(isinstance(token, str) for token in tokens):
        return [], [], []
    if not all(_is_number(logprob) for logprob in logprobs):
        return [], [], []
    tops = tops[: len(tokens)] + [[]] * (len(tokens) - len(tops))
    return [token[:_LONGEST_TOKEN] for token in tokens], [float(max(_LEAST, value)) for value in logprobs], tops


def _tops(told):
    """The likeliest tokens with their logprobs, the likeliest first."""
    if isinstance(told, dict):
        pairs = list(told.items())
    elif isinstance(told, list):
        pairs = [(entry.get("token"), entry.get("logprob")) for entry in told if isinstance(entry, dict)]
    else:
        return []
    known = [
        (token[:_LONGEST_TOKEN], float(max(_LEAST, value)))
        for token, value in pairs[:20]
        if isinstance(token, str) and _is_number(value)
    ]
    return sorted(known, key=lambda pair: -pair[1])


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value and value < 1e6


def _first(value):
    return value[0] if isinstance(value, list) and value else None


def _word(value):
    return value[:200] if isinstance(value, str) else ""


def _count(value):
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
