"""Trials of served models as facts."""

from __future__ import annotations

from typing import Any

from checks.facts import ServedAnswer, ServedAspect, ServedFacts, ServedParting, ServedTrial


def trial(
    aspect: str | ServedAspect, calls: int = 20, others: int = 0, prompt: str = "sea", **more: Any
) -> ServedTrial:
    """One trial; all answers of the usual text have probabilities that were compared."""
    compared = more.pop("compared", calls - others)
    return ServedTrial(
        aspect=str(aspect),
        prompt=prompt,
        planned=calls,
        repetitions=calls,
        others=others,
        distinct=more.pop("distinct", 1 + bool(others)),
        compared=compared,
        **more,
    )


def near(**more: Any) -> ServedParting:
    """A parting at which two tokens were as good as equally likely."""
    return ServedParting(**{"token": 4, "gap": 0.0002, "other_gap": 0.0001, "below": 0.0, "drift": 0.001, **more})


def wide(**more: Any) -> ServedParting:
    """A parting at which the likeliest token was far ahead in both answers."""
    return near(**{"gap": 3.0, "other_gap": 2.5, **more})


def drawn(**more: Any) -> ServedParting:
    """A parting at which a token was taken that is not the likeliest."""
    return near(**{"gap": 0.3, "below": 1.2, **more})


def served(*trials: ServedTrial, **more: Any) -> ServedFacts:
    """A server of llama.cpp with these trials."""
    facts = {
        "url": "http://localhost:8080/v1",
        "kind": "llama.cpp",
        "version": "b1",
        "model": "tiny",
        "has_tokens": True,
        "has_tops": True,
        "origin": "served/probe.py in python",
    }
    return ServedFacts(**{**facts, **more}, trials=trials)


def answer(text: str = "the sea is wide", gap: float = 2.0, shift: float = 0.0, **more: Any) -> ServedAnswer:
    """An answer of one token per word."""
    words = text.split(" ")
    ends = [sum(len(word) + 1 for word in words[: count + 1]) for count in range(len(words))]
    ends[-1] -= 1
    fields = {"length": len(text), "ends": tuple(ends), "finish": "stop", **more}
    return ServedAnswer(
        text=text, logprobs=tuple(-1.0 + shift for _ in words), gaps=tuple(gap for _ in words), **fields
    )
