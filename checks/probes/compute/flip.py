"""Which suspect makes two runs differ: each is changed in both in turn.

A pair is two runs of the same operation on the same inputs, as two machines or two programs would make them. Where
their results differ, everything stays as it was but one suspect, which is set to the same in both runs: what restores
the same bits was the cause, and what makes the difference a thousand times smaller (float64) shows that it was
rounding. Each run is made twice first: what does not repeat by itself cannot be attributed this way.
"""

from . import kit as compute
from .runs import EXACT, FULL, NotTried

UNSPECIFIC = (EXACT, "deterministic")  # what makes all rounding vanish is no suspect of a particular cause


def stage(backend, _argument, clock):
    """The facts of the kind "flip"."""
    flips = _Flips(backend)
    for operation, names, first, second in backend.pairs():
        named = backend.named("flip", operation, FULL, pair=list(names))
        if clock.left <= 0:
            yield compute.facts_of(dict(named, reason="no-time"))
            continue
        yield from map(backend.reviewed, flips.attributed(named, operation, first, second, clock))


def exact_in_both():
    """The suspect that shows rounding: both compute in float64, and round at the end."""
    return EXACT, lambda run: run.changed(dtype=EXACT)


def set_in_both(setting):
    """The suspect that is a setting."""
    return setting, lambda run: run.with_setting(setting)


class _Flips:
    """Compares runs of one operation after the other; its inputs take longer to make than the operation."""

    def __init__(self, backend):
        self._backend, self._name = backend, ""

    def _prepare(self, operation):
        if self._name != operation.name:
            self._inputs = self._backend.inputs(operation, FULL)
            self._condition = self._backend.condition(operation, self._backend.exact(self._inputs))
            self._name = operation.name

    def attributed(self, named, operation, first, second, clock):
        """The facts of one pair: one per suspect, or a single one where there is nothing to attribute."""

        def results(runs, part):
            computed = [self._backend.result(operation, self._inputs, run, part)[0] for run in runs]
            return [self._backend.in_type(result, FULL) for result in computed]

        def before(_what, part):
            self._prepare(operation)
            try:
                pair, again = results((first, second), part), results((first, second), part)
            except NotTried as answer:
                return answer.figures
            if any(self._apart(*both)["differing"] for both in zip(pair, again)):
                return {"reason": "not-repeatable"}
            return {"before": self._apart(*pair), "condition": self._condition}

        yield compute.measuring(named)
        (found,) = filter(_is_measured, compute.measure([(named, None)], clock, before))
        fact = found["measurements+"][0]
        if "before" not in fact or not fact["before"]["differing"]:
            yield found
            return
        suspects = list(self._backend.suspects(operation, first, second))

        def after(change, part):
            try:
                return {"after": self._apart(*results((change(first), change(second)), part))}
            except NotTried as answer:
                return answer.figures

        def flipped(chosen):
            entries = [(dict(fact, setting=name), change) for name, change in chosen]
            return filter(_is_measured, compute.measure(entries, clock, after))

        is_restored = False
        for facts in flipped(suspects):
            yield facts
            is_restored = is_restored or any(map(_agrees, facts["measurements+"]))
        if not is_restored and "+" in named["pair"][1]:
            # Several things are different, and two of them may be the cause together.
            yield from flipped(_two_at_once(suspects))

    def _apart(self, first, second):
        """Of the rows that both have."""
        rows = min(len(first), len(second))
        return self._backend.difference(first[:rows], second[:rows])


def _is_measured(facts):
    """Whether these are of a measurement: what is planned and begun is the pair as a whole."""
    return "measurements+" in facts


def _agrees(fact):
    return fact["setting"] != EXACT and "after" in fact and not fact["after"]["differing"]


def _two_at_once(suspects):
    """Two suspects as one, each pair once."""
    single = [suspect for suspect in suspects if suspect[0] not in UNSPECIFIC]
    for place, (name, change) in enumerate(single):
        for other, also in single[place + 1 :]:
            yield "%s+%s" % (name, other), lambda run, first=change, second=also: second(first(run))
