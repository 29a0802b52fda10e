"""The stages of a probe that computes: the import of its framework, then one stage for each kind of measurement.

A kind is a module with ``stage``: portrait, precision and flip are the same for all frameworks and ask the backend of
one; the others lie in the framework's folder.
"""

import importlib
import os

from . import kit as compute

BY_BACKEND = ("portrait", "precision", "flip")
LOST = 75  # exit status


def stages(framework, imported, kinds, rest=()):
    """The stages, in their order.

    ``imported``: the first stage. ``kinds``: the most telling first, as in the engine's catalogue. ``rest``: (kind,
    module, function) of what is measured at the end where the kind was asked for, in the time that all kinds left
    over; without any, each kind hands its rest on to the next.
    """
    shares = compute.Shares(is_lent=not rest)
    return (
        imported,
        *(_stage(framework, kind, shares) for kind in kinds),
        *(_rest(framework, *what, shares) for what in rest),
    )


def _stage(framework, kind, shares):
    def stage(argument):
        """The measurements of one kind, where time is given to it."""
        seconds = argument["seconds"]
        if seconds.get(kind):
            yield from _until_lost(measured(framework, kind, argument, lambda: shares.clock(kind, seconds)))

    stage.__name__ = kind
    return stage


def _rest(framework, kind, module, function, shares):
    def stage(argument):
        """More measurements of a kind in the time that is left over."""
        if kind in argument["seconds"]:
            measure = getattr(_module(framework, module), function)
            yield from _until_lost(measure(argument, shares.rest()))

    stage.__name__ = function
    return stage


def measured(framework, kind, argument, start_clock):
    """The facts of one kind. ``start_clock`` is called when all is imported: that takes no time from the kind."""
    if kind not in BY_BACKEND:
        module = _module(framework, kind)
        yield from module.stage(argument, start_clock())
        return
    module = importlib.import_module("." + kind, __package__)
    with _module(framework, "backend").Backend(argument["device"]) as backend:
        yield from module.stage(backend, argument, start_clock())


def _module(framework, name):
    return importlib.import_module(".%s.%s" % (framework, name), __package__)


def _until_lost(measurements):
    """The facts. A process to which the device is lost computes no more, and ends: a new one may."""
    is_lost = False
    for facts in measurements:
        yield facts
        is_lost = is_lost or compute.has_reason(facts, "device-lost")
    if is_lost:
        os._exit(LOST)
