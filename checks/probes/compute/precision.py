"""How many digits a framework gets right, by operation, data type and setting.

Every result is set beside the same in float64 on the processor; that of a setting also beside that of the default.
What is of float32 is computed once more in float64 from inputs rounded to shorter formats: where these errors are the
observed ones, element by element, it is that format in which the device computes, whatever a flag says. By default it
is also computed again with its terms in other orders: what rounding makes there is what it can make here.
"""

from . import kit as compute
from . import timing
from .error_shape import error_shape, units
from .runs import BATCH, FULL, NotTried, Run
from .tried import CUTS, in_other_orders, in_shorter_formats

FAR = 4  # times what other orders move, from which on it is looked at how the errors lie
ROUNDOFF = 2.0**-24  # of float32

# The ranks of settings: two behind the defaults of float32; of those that need a process of their own, one after the
# other; and behind everything else. The shorter types come between the last two, their settings after their defaults.
TELLING, USUAL, ELSEWHERE, LAST = 1, 2, 3, 6
_SHORTER, _SHORTER_SET = 4, 5


def stage(backend, argument, clock):
    """The facts of the kind "precision"."""
    yield from compute.measure_listed(entries(backend), clock, Precision(backend).measured, argument)


def entries(backend):
    """What is measured: first float32, all operations by default, then what most often changes them."""
    found = [
        (backend.named("precision", operation, dtype, setting=setting), (operation, dtype, setting))
        for dtype in backend.dtypes
        for operation in backend.operations
        if backend.available(operation) and (dtype == FULL or operation.terms > 1)
        for setting in ("default", *backend.settings(operation, dtype))
    ]
    turns = list(dict.fromkeys(setting for _, (_, _, setting) in found))

    def order(entry):  # sorting keeps the order of the operations
        _, dtype, setting = entry[1]
        if setting == "default":
            return (0 if dtype == FULL else _SHORTER, 0)
        rank = rank_of(backend, setting)
        if rank in (ELSEWHERE, LAST):
            return (rank, turns.index(setting))
        return (rank if dtype == FULL else _SHORTER_SET, 0)

    return sorted(found, key=order)


def rank_of(backend, setting):
    """The rank of a setting. On an accelerator other processes come last: there they show what is known otherwise."""
    if backend.variables(setting):
        return ELSEWHERE if backend.is_processor else LAST
    return TELLING if backend.is_telling(setting) else USUAL


class Precision:
    """Measures entries; what is computed once for all settings of an operation and data type is kept. It is small."""

    def __init__(self, backend):
        self._backend, self._of = backend, {}

    def measured(self, what, clock):
        """The figures of one entry."""
        operation, dtype, setting = what
        if (operation.name, dtype) not in self._of:
            self._of[operation.name, dtype] = _Prepared(self._backend, operation, dtype, clock)
        try:
            return self._of[operation.name, dtype].measured(setting, clock)
        except NotTried as answer:
            return answer.figures


class _Prepared:
    """An operation with its inputs, its true result, and what shorter formats would make of it."""

    def __init__(self, backend, operation, dtype, clock):
        self._backend, self._operation, self._dtype = backend, operation, dtype
        self._given = backend.inputs(operation, dtype)
        exact = backend.exact(self._given)
        self._truth = backend.truth(operation, exact)
        self._conditions = backend.conditions(operation, exact)
        self._condition = float(self._conditions.max())
        self._default, self._seconds = self._run("default", clock)
        self._reordered = self._in_other_orders(clock) if operation.orders and dtype == FULL else None
        self._rounded = in_shorter_formats(backend, operation, exact, self._truth) if dtype == FULL else {}

    def _in_other_orders(self, clock):
        """How far these results are from the truth and from each other, as units says."""
        elements = len(self._truth.reshape(-1))
        found = in_other_orders(self._backend, self._operation, self._given, elements, clock)
        if not found:
            return None
        first, *others = found
        return {
            "farthest": max(self._farthest(wide - self._truth) for wide in (first, *others)),
            "moved": max(self._farthest(wide - first) for wide in others),
            "runs": len(others),
        }

    def _farthest(self, errors, rows=slice(None)):
        return float(units(self._backend, errors, self._conditions[rows]).max())

    def _run(self, setting, clock):
        run = Run(self._backend.device)
        if setting == BATCH:
            run = run.changed(rows=1)
        elif setting != "default":
            run = run.with_setting(setting)
        return self._backend.result(self._operation, self._given, run, clock, timed=True)

    def measured(self, setting, clock):
        """The figures under a setting."""
        backend = self._backend
        result, seconds = (self._default, self._seconds) if setting == "default" else self._run(setting, clock)
        rows = slice(0, 1) if setting == BATCH else slice(None)
        figures = self._against(self._truth[rows], result)
        figures.update(condition=self._condition, **timing.facts(seconds))
        if self._dtype == FULL:
            figures.update(self._lies(backend.wide(result), rows, setting))
        if setting != "default":
            figures["other"] = "default"
            figures["beside"] = backend.difference(backend.in_type_of(self._default[rows], result), result)
        if self._rounded:
            figures["emulated"] = self._emulated(rows, result)
        return figures

    def _lies(self, wide, rows, setting):
        """How the errors lie, where they are larger than other orders make them."""
        farthest = self._farthest(wide - self._truth[rows], rows)
        found = {"farthest": farthest}
        if setting == "default" and self._reordered:
            found["reordered"] = self._reordered
        if farthest > FAR * max(self._reordered["moved"] if self._reordered else 0.0, FAR * ROUNDOFF):
            found["shape"] = error_shape(self._backend, self._truth[rows], wide, self._conditions[rows], CUTS)
        return found

    def _against(self, truth, result):
        """The errors; those of which the truth is rounded to the result's type count no rounding of the truth."""
        backend = self._backend
        errors = backend.wide(result) - truth
        finite = errors[backend.numbers.isfinite(errors)]
        against = dict(backend.difference(backend.in_type_of(truth, result), result))
        if not len(finite):
            return {"against": against, "rms": None}
        against["max_abs"] = float(abs(finite).max())
        return {"against": against, "rms": _rms(finite)}

    def _emulated(self, rows, result):
        observed = self._backend.wide(result) - self._truth[rows]
        found = {}
        for name, of_all in self._rounded.items():
            errors = of_all[rows]
            product = float((observed * observed).sum()) ** 0.5 * float((errors * errors).sum()) ** 0.5
            found[name] = {
                "max_abs": float(abs(errors).max()),
                "rms": _rms(errors),
                # NaN where something overflowed, which is no number of JSON.
                "likeness": float((observed * errors).sum()) / product if 0 < product < float("inf") else None,
            }
        return found


def _rms(errors):
    return float((errors * errors).mean()) ** 0.5
