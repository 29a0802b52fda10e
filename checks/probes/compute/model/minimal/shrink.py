"""Of the nodes of a model the fewest that still show something: first upward from one, then by leaving out.

The second is the minimising delta debugging of Zeller and Hildebrandt (Simplifying and Isolating Failure-Inducing
Input, IEEE Transactions on Software Engineering 28(2), 2002, figure 2): halves, quarters and so on, and what is left
without each. Where it ends by itself, the result shows nothing any more whichever single node is taken out.
"""

FIRST_REACH = 1


def upward(places, makers, nodes, start, shows, clock):
    """The nodes that feed ``start``, so many steps back as it takes until they show it; None: also all of them do not.

    Args:
        places: of the nodes that may be taken.
        makers: name of a value -> the place of the node that makes it.
        nodes: by place.
        start: places of the nodes with which it begins.
        shows: whether so many nodes show it.
        clock: the time that there is.
    """
    allowed, found, edge = set(places), set(start), set(start)
    reach = FIRST_REACH
    while True:
        if shows(sorted(found)):
            return sorted(found)
        for _ in range(reach):
            before = {makers.get(name) for place in edge for name in nodes[place].inputs}
            edge = {place for place in before if place in allowed and place not in found}
            found |= edge
        reach *= 2
        if clock.left <= 0 or not edge:
            return sorted(found) if clock.left > 0 and shows(sorted(found)) else None


def fewest(places, shows, clock):
    """(Of places that show it the fewest that still do, whether none of them can be left out)."""
    left, parts = list(places), 2
    while len(left) > 1:
        chunks = _split(left, parts)
        smaller = _first(chunks, shows, clock)
        if smaller is not None:
            left, parts = smaller, 2
            continue
        rests = ([place for place in left if place not in chunk] for chunk in map(set, chunks)) if parts > 2 else ()
        smaller = _first(rests, shows, clock)
        if smaller is not None:
            left, parts = smaller, max(parts - 1, 2)
        elif clock.left <= 0:
            return left, False
        elif parts >= len(left):
            return left, True
        else:
            parts = min(len(left), 2 * parts)
    return left, True


def _first(candidates, shows, clock):
    return next((places for places in candidates if clock.left > 0 and shows(places)), None)


def _split(places, parts):
    """So many parts of nearly the same size."""
    edges = [len(places) * part // parts for part in range(parts + 1)]
    return [places[edges[part] : edges[part + 1]] for part in range(parts) if edges[part + 1] > edges[part]]
