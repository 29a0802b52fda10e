"""Why a GPU's memory did not suffice: who holds it, or that there is too little in all."""

from enum import StrEnum

from checks.knowledge.gpu.memory_errors import Shortage

CONTEXT = 1 << 30  # bytes that a process takes beside what a framework counts: the driver's context, libraries


class Why(StrEnum):
    """Who holds the memory."""

    MORE = "memory-more"  # more was asked for than the GPU has
    OTHERS = "memory-others"  # without the other programs it would have fitted
    PIECES = "memory-pieces"  # the framework keeps enough, but in pieces
    NEIGHBOUR = "memory-neighbour"  # another framework of the same program
    OWN = "memory-own"  # the program itself, with what it needs
    UNKNOWN = "memory-unknown"


def why_short(shortage: Shortage, total: int | None, held_by_others: int | None) -> Why:
    """The reason, by the figures of the text, else by those of the driver.

    ``total``, ``held_by_others``: bytes of the GPU and of other processes there, as the driver counts them.
    """
    total = shortage.total or total
    if total is None:
        return Why.UNKNOWN
    if shortage.asked > total:
        return Why.MORE
    others = shortage.others if shortage.others is not None else held_by_others
    if others and (shortage.free or 0) + others >= shortage.asked:
        return Why.OTHERS
    if shortage.kept is not None and shortage.kept >= shortage.asked:
        return Why.PIECES
    if shortage.own is None:
        return Why.UNKNOWN
    counted = (shortage.allocated or 0) + (shortage.kept or 0)
    is_counted = shortage.allocated is not None and shortage.kept is not None
    return Why.NEIGHBOUR if is_counted and shortage.own - counted > max(CONTEXT, total // 10) else Why.OWN
