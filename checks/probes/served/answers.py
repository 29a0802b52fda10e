"""Answers to one prompt beside each other: where the text parts, how close it was there, what only the numbers show."""

from collections import Counter

MOST_PARTINGS = 10  # different answers whose parting is kept
_SHOWN = 40  # characters of a token
_BEFORE = 60  # characters of the text before the parting


class Tally:
    """The answers to one prompt as they come, each beside the one that it is compared with.

    ``reference``: that answer; None: the first that comes. ``first``: the very first answer to it, which is no news.
    """

    def __init__(self, reference=None, first=None):
        self.reference = reference
        self._first = first
        self.as_first = 0
        self.replies = 0
        self.others = 0
        self.compared = 0  # of the same text, those whose probabilities were compared
        self.drifted = 0
        self.drift = None
        self.texts = Counter()
        self._partings = {}
        self._seconds = []
        self._fingerprints = Counter()
        self._models = Counter()

    def add(self, reply):
        """Take one more."""
        self.replies += 1
        self.texts[reply.text] += 1
        self._seconds.append(reply.seconds or 0.0)
        self._fingerprints[reply.fingerprint] += 1
        self._models[reply.model] += 1
        if self.reference is None:
            self.reference = reply
            return
        drift = drift_of(self.reference, reply)
        if drift is not None:
            self.drift = max(self.drift or 0.0, drift)
        if reply.text != self.reference.text:
            self.others += 1
            self.as_first += self._first is not None and reply.text == self._first.text
            if reply.text in self._partings:
                self._partings[reply.text]["count"] += 1
            elif len(self._partings) < MOST_PARTINGS:
                self._partings[reply.text] = dict(parting_of(self.reference, reply), count=1)
        elif drift is not None:
            self.compared += 1
            self.drifted += drift > 0 and not self._is_first(reply)

    def _is_first(self, reply):
        """Whether it is the very first answer again, number by number."""
        return self._first is not None and drift_of(self._first, reply) == 0

    @property
    def facts(self):
        """All of it as fields of ServedTrial."""
        facts = {
            "repetitions": self.replies,
            "others": self.others,
            "as_first": self.as_first,
            "distinct": len(self.texts),
            "compared": self.compared,
            "drifted": self.drifted,
            "partings": list(self._partings.values()),
            "fingerprints": _told(self._fingerprints),
            "models": _told(self._models),
        }
        if self.drift is not None:
            facts["drift"] = self.drift
        if self._seconds:
            facts["seconds"] = sorted(self._seconds)[len(self._seconds) // 2]
        if self.reference is not None:
            facts["tokens"] = len(self.reference.tokens)
            facts["unlikely"] = sum(_below(self.reference, place) > 0 for place in range(len(self.reference.tokens)))
            if self.reference.prompt_tokens is not None:
                facts["prompt_tokens"] = self.reference.prompt_tokens
        return facts


def portrait_of(reply):
    """An answer as it is kept, to be compared with that of another server."""
    ends, place = [], 0
    for token in reply.tokens:
        place += len(token)
        ends.append(place)
    return {
        "text": reply.text[:20000],
        "length": len(reply.text),
        "ends": ends,
        "logprobs": reply.logprobs,
        "gaps": [_gap(reply, place) for place in range(len(reply.tokens))],
        "finish": reply.finish,
    }


def drift_of(first, second):
    """The largest distance between the logprobs of the tokens that both begin with; None where none is told."""
    distances = [
        abs(mine - theirs)
        for mine, theirs, token, other in zip(first.logprobs, second.logprobs, first.tokens, second.tokens)
        if token == other
    ][: _common(first.tokens, second.tokens)]
    return max(distances) if distances else None


def parting_of(first, second):
    """Where two texts part, as ServedParting; the first is the usual one."""
    place = _common(first.text, second.text)
    facts = {"character": place, "before": first.text[max(0, place - _BEFORE) : place]}
    token = _common(first.tokens, second.tokens)
    if not first.tokens or not second.tokens or (token == len(first.tokens) == len(second.tokens)):
        return dict(facts, usual=first.text[place : place + _SHOWN], other=second.text[place : place + _SHOWN])
    facts.update(token=token, usual=_token(first, token), other=_token(second, token))
    figures = {
        "gap": _gap(first, token),
        "other_gap": _gap(second, token),
        "below": max(_below(first, token), _below(second, token)) if _tops(first, token) else None,
        "drift": drift_of(first, second),
    }
    facts.update({name: value for name, value in figures.items() if value is not None})
    return facts


def _common(first, second):
    """How many items two sequences begin with in common."""
    shorter = min(len(first), len(second))
    return next((place for place in range(shorter) if first[place] != second[place]), shorter)


def _token(reply, place):
    return reply.tokens[place][:_SHOWN] if place < len(reply.tokens) else ""


def _tops(reply, place):
    return reply.tops[place] if place < len(reply.tops) else []


def _gap(reply, place):
    """How far the second likeliest token is behind the likeliest, in logprob; None where that is not told."""
    tops = _tops(reply, place)
    return tops[0][1] - tops[1][1] if len(tops) > 1 else None


def _below(reply, place):
    """How far the token that was taken is behind the likeliest; 0: it is that, or this is not told."""
    tops = _tops(reply, place)
    return max(0.0, tops[0][1] - reply.logprobs[place]) if tops else 0.0


def _told(counts):
    return {name: count for name, count in counts.items() if name}
