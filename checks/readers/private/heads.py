"""How the matches of a pattern begin: enough of it to find them by, so little that one automaton for all stays small.

RE2 makes the states of an automaton as a text leads to them. Of a hundred whole patterns at once nearly every byte of a
mixed text leads to a new one, because each pattern that has begun is at a place of its own; of their heads hardly any.
A head matches wherever its pattern does, and elsewhere, too.
"""

from __future__ import annotations

import re

_STRONG = 3  # signs of their own before a head ends at the first wide repetition
_MOST = 8  # of a wide repetition, and of any count
_ITEM = re.compile(
    r"(?P<flags>\(\?[ims-]+\))|(?P<open>\((?:\?(?:[ims-]*:))?)|(?P<close>\))|(?P<or>\|)"
    r"|(?P<sign>\\p\{\w+\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.)(?P<count>(?:[*+?]|\{\d+(?:,\d*)?\})?\??)",
    re.DOTALL,
)
_COUNT = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})?\??")
_WIDE = re.compile(r"\[\^|\.$|\\[wSDp]|\[.*(?:\\[wdp]|\w-\w)", re.DOTALL)
_ANCHORS = ("^", "$", r"\b", r"\z")


def head(pattern: str) -> str:
    """RE2 that matches at every place at which the pattern does."""
    return _Reader(pattern).alternatives()[0]


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self._is_whole = 0  # inside groups that are repeated and that a head must go on behind

    def alternatives(self, strong: int = 0) -> tuple[str, int, bool]:
        """Up to the end of a group: its head, how many signs of their own each way has at least, whether it ended."""
        branches: list[str] = []
        least, has_ended = 10**6, False
        while True:
            branch, signs, ended = self._branch(strong)
            branches.append(branch)
            least, has_ended = min(least, signs), has_ended or ended
            if not self._pattern.startswith("|", self._place):
                return "|".join(branches), least, has_ended
            self._place += 1

    def _read(self, form: re.Pattern[str]) -> re.Match[str]:
        found = form.match(self._pattern, self._place)
        if found is None:
            raise ValueError(self._pattern[self._place :])
        return found

    def _branch(self, strong: int) -> tuple[str, int, bool]:
        parts: list[str] = []
        ended = False
        while self._place < len(self._pattern):
            item = self._read(_ITEM)
            if item["or"] or item["close"]:
                break
            self._place = item.end()
            if item["flags"]:  # of a branch that ended, too: they hold for those behind it
                parts.append(item["flags"])
            elif item["open"]:
                begin = self._place
                inside, signs, inner_ended = self.alternatives(strong)
                self._place += 1
                count = self._read(_COUNT)
                least, most = _counts(count[0])
                if (least, most) != (1, 1) and strong < _STRONG:
                    self._place, self._is_whole = begin, self._is_whole + 1
                    inside, signs, inner_ended = self.alternatives(strong)
                    self._is_whole -= 1
                self._place = count.end()
                if not ended:
                    opened = "(?:" if item["open"] == "(" else item["open"]
                    is_once = (least, most) == (1, 1)
                    ended = inner_ended or (most is None and strong >= _STRONG and not self._is_whole)
                    if least or not ended:
                        parts.append(f"{opened}{inside})" + ("" if least and ended else count[0]))
                    strong = signs if is_once else strong
            elif not ended:
                part, ended, strong = _sign(item["sign"], item["count"], 0 if self._is_whole else strong)
                parts.append(part)
        return "".join(parts), strong, ended


def _sign(sign: str, count: str, strong: int) -> tuple[str, bool, int]:
    """One sign or class of signs with its count: what of it is kept, whether the head ends here, the signs so far."""
    least, most = _counts(count)
    is_wide = _WIDE.match(sign) is not None
    if sign in _ANCHORS or (least, most) == (1, 1):
        return sign + count, False, strong + (not is_wide and sign not in _ANCHORS)
    if is_wide and (most is None or most > _MOST):
        if strong >= _STRONG:
            kept = min(least, _MOST)
            return f"{sign}{{{kept}}}" if kept else "", True, strong
        return sign + ("*" if not least else "+" if least == 1 else f"{{{min(least, _MOST)},}}"), False, strong
    return sign + count, False, strong


def _counts(count: str) -> tuple[int, int | None]:
    """At least and at most; None: without end."""
    plain = count.rstrip("?") or ("?" if count == "?" else "")
    if plain in ("", "?", "*", "+"):
        return {"": (1, 1), "?": (0, 1), "*": (0, None), "+": (1, None)}[plain]
    least, comma, most = plain[1:-1].partition(",")
    return int(least), (int(most) if most else None) if comma else int(least)
