"""Answers to one prompt beside each other: where the text parts, how close it was there, what only the numbers show."""

from collections import Counter

MOST_PARTINGS = 10  # different answers whose parting is kept
_SHOWN = 40  # characters of a token
_BEFORE = 60  # characters of the text before the parting


class Tally:
    """The answers to one prompt as they come, beside the usual one.

    ``reference``: that answer; None: the first of those that come most often. ``first``: the very first answer to the
    prompt, which is no news when it comes again.
    """

    def __init__(self, reference=None, first=None):
        self._reference = reference
        self.first = first
        self._replies = []
        self._whole = {}  # of each text the first answer

    def add(self, reply):
        """Take one more. Of all but the first of a text the likeliest tokens are let go of: they take much memory."""
        if self._whole.setdefault(reply.text, reply) is not reply:
            reply.tops = []
        self._replies.append(reply)

    @property
    def usual(self):
        """The answer that the others are compared with; None while there is none."""
        if self._reference is not None or not self._replies:
            return self._reference
        return self._whole[Counter(reply.text for reply in self._replies).most_common(1)[0][0]]

    @property
    def facts(self):
        """All of it as fields of ServedTrial."""
        usual, replies = self.usual, self._replies
        others = [reply for reply in replies if reply.text != usual.text]
        same = [reply for reply in replies if reply.text == usual.text and reply is not usual]
        drifts = [(reply, drift_of(usual, reply)) for reply in same]
        compared = [(reply, drift) for reply, drift in drifts if drift is not None]
        counts = Counter(reply.text for reply in others)
        parted = [self._whole[text] for text in counts][:MOST_PARTINGS]
        facts = {
            "repetitions": len(replies),
            "others": len(others),
            "as_first": sum(self._is_cold(reply) or reply.text == self.first.text for reply in others)
            if self.first is not None
            else 0,
            "distinct": len(self._whole),
            "compared": len(compared),
            "drifted": sum(drift > 0 and not self._is_first(reply) for reply, drift in compared),
            "partings": [dict(parting_of(usual, reply), count=counts[reply.text]) for reply in parted],
            "fingerprints": _told(Counter(reply.fingerprint for reply in replies)),
            "models": _told(Counter(reply.model for reply in replies)),
        }
        moved = [drift for _, drift in compared] + [drift_of(usual, reply) for reply in others]
        moved = [drift for drift in moved if drift is not None]
        if moved:
            facts["drift"] = max(moved)
        if replies:
            facts["seconds"] = sorted(reply.seconds or 0.0 for reply in replies)[len(replies) // 2]
        if usual is not None:
            facts["tokens"] = len(usual.tokens)
            facts["unlikely"] = sum(_below(usual, place) > 0 for place in range(len(usual.tokens)))
            if usual.prompt_tokens is not None:
                facts["prompt_tokens"] = usual.prompt_tokens
        return facts

    def _is_first(self, reply):
        """Whether it is the very first answer again, number by number, or came of a colder cache as that one did."""
        return self.first is not None and (self._is_cold(reply) or drift_of(self.first, reply) == 0)

    def _is_cold(self, reply):
        """Whether the server says to have taken less from its cache than for the usual answer."""
        return reply.cached is not None and self.usual.cached is not None and reply.cached < self.usual.cached


def portrait_of(reply):
    """An answer as it is kept, to be compared with that of another server."""
    ends, place = [], 0
    for token in reply.tokens:
        place += len(token)
        ends.append(place)
    if not "".join(reply.tokens).startswith(reply.text):  # parts of letters, or marks of a thought
        ends = []
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
