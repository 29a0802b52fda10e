"""The first node at which two runs of a model part."""

from .outputs import aligned, apart, is_beyond, severity_of
from .slices import Slices
from .ways import MOST_FIGURE, is_of_model, terms_of

MOST_REPORTED = 200  # nodes that are reported of one search
MOST_BEFORE = 3  # nodes before one that are looked at


class Search:
    """Walks through the nodes in their order with two ways, in slices whose values fit in memory.

    ``first`` and ``second``: (a way, its inputs). ``again``: how often the second is run where the same way is to show
    that it varies. ``batch``: the second has so many times the rows, of which the first are compared.

    A runtime fuses nodes, and does not where the value between them is given out. So a difference that a fused node
    makes is seen only behind the slice that holds it: then single nodes are given out, by halves, back to where it
    begins.
    """

    def __init__(self, model, first, second, clock, again=1, batch=1):
        self._model, self._first, self._second = model, first, second
        self._clock, self._again, self._batch = clock, again, batch
        self._sums = []  # (terms, layers) up to each node
        self._slices = Slices(model.nodes, [*first[1].values(), *(first[0].outputs or {}).values()], clock)
        self.nodes, self.figures = [], {}

    def walk(self):
        """The figures of the first node whose bits differ and of the first that is beyond rounding."""
        terms = layers = 0
        for node in self._model.nodes:
            mine = terms_of(node, self._model.weights)
            terms, layers = max(terms, mine), layers + bool(mine)
            self._sums.append((max(1, terms), max(1, layers)))
        stopped = self._slices.go(self._compare)
        if stopped:
            self.figures["searched_until"] = stopped
        elif self._again == 1:
            self._look_between()
        self.figures["searched"] = len(self.nodes)
        self.figures["nodes"] = _thinned(list(self.nodes))
        return {name: value for name, value in self.figures.items() if name != "first_place"}

    def _compare(self, start, end):
        """One slice."""
        part = self._model.nodes[start:end]
        values = self._values([name for node in part for name in node.outputs if name])
        for place, node in enumerate(part, start):
            found = self._apart(place, values)
            if found is not None:
                self.nodes.append(_as_node(node, *found[:2]))
                self._note(place, *found)

    def _look_between(self):
        """Back to the slice before the first difference, or through all where giving values out made it vanish."""
        found = self.figures.get("first_place")
        high = len(self._model.nodes) - 1 if found is None else found
        starts = [start for start in self._slices.starts if start <= high]
        low = starts[-2] - 1 if found is not None and len(starts) > 1 else -1
        if found is not None and len(starts) == 1:
            return  # all before it was given out, and was the same
        last = None
        if found is None:
            last = self._alone(high)
            if last is None:
                return
        elif not any(self._alone(place) for place in self._before(found)):
            return  # what it takes is the same, although nothing else was given out
        while high - low > 1 and self._clock.left > 0:
            middle = (low + high) // 2
            seen = self._alone(middle)
            if seen is None:
                low = middle
            else:
                high, last = middle, seen
        if last is not None:
            for name in ("first_node", "first_op", "first_difference", "first_place"):
                self.figures.pop(name, None)
            self._note(high, *last)

    def _before(self, place):
        """The places of some nodes whose results a node takes, or of that before it."""
        taken = set(self._model.nodes[place].inputs)
        found = [earlier for earlier in range(place) if taken & set(self._model.nodes[earlier].outputs)]
        return found[-MOST_BEFORE:] or [place - 1]

    def _alone(self, place):
        """How far one node is apart where no other is given out; None where it is not."""
        try:
            found = self._apart(place, self._values([name for name in self._model.nodes[place].outputs if name]))
        except Exception as error:
            if not is_of_model(error):
                raise
            return None  # it cannot be given out
        return found if found is not None and found[0]["differing"] else None

    def _values(self, names):
        """(Of the first way, of its inputs nudged, of the second), each by name."""
        way, arrays = self._first
        run = way.giving(names)
        reference = run(arrays)
        nudged = self._model.nudged(arrays)
        moved = run(nudged) if nudged else {}
        other, others = self._second
        if other is not way or self._again == 1:
            run = None  # what it holds goes before the next is made: a large model is in memory once less
            run = other.giving(names)
        found = run(others)
        for _ in range(self._again - 1):
            if any(not _is_same(self._model.numpy, reference.get(name), found.get(name)) for name in names):
                break
            found = run(others)
        return reference, moved, found

    def _apart(self, place, values):
        """(The difference of a node, what rounding makes of it, whether it is of bytes), of its worst result."""
        numpy, worst = self._model.numpy, None
        for name in self._model.nodes[place].outputs:
            reference, moved, found = (value.get(name) for value in values)
            if not hasattr(reference, "dtype") or not hasattr(found, "dtype"):
                continue
            self._slices.look(reference)
            found = aligned(reference, found, self._batch)
            distance = apart(numpy, reference, found) if found is not None else None
            is_other = distance is None and self._batch == 1
            if is_other:  # how many there are was decided otherwise
                distance = {"elements": reference.size, "differing": max(1, reference.size)}
            if distance is None:
                continue
            if self._batch > 1 and reference.dtype.kind not in "fc":  # lengths of axes are among them
                continue
            bound = None if is_other else self._model.bound(reference, moved, *self._sums[place])
            severity = severity_of(distance, bound)
            if worst is None or severity > worst[0]:
                worst = (severity, distance, bound, reference.dtype.kind in "iu" and reference.dtype.itemsize == 1)
        return worst and worst[1:]

    def _note(self, place, distance, bound, is_bytes):
        """Note where the two part at a node. Quantised to bytes, a number may be rounded to the next step."""
        if not distance["differing"]:
            return
        node, figures = self._model.nodes[place], self.figures
        is_first = "first_node" not in figures
        if is_first:
            figures.update(first_node=node.label, first_op=node.op, first_difference=distance, first_place=place)
        if "choice_node" in figures or "beyond_node" in figures:
            return
        is_wrong = is_first and is_bytes and (distance.get("max_abs") or 0) > 1
        if bound is None and not is_wrong:
            figures.update(choice_node=node.label, choice_op=node.op)
        elif is_wrong or is_beyond(distance, bound):
            figures.update(beyond_node=node.label, beyond_op=node.op, beyond_difference=distance)


def _is_same(numpy, first, second):
    if not hasattr(first, "dtype") or first.dtype.kind in "OSU" or first.shape != second.shape:
        return True
    return first.tobytes() == second.tobytes()


def _as_node(node, distance, bound):
    """One node of the plot: how far apart, and what is rounding, in units of its largest number."""
    scale = distance.get("scale") or 0.0
    fact = {"name": node.label, "op": node.op}
    if distance.get("max_abs") is not None:
        fact["apart"] = _relative(distance["max_abs"], scale)
    if bound is not None and scale:
        fact["bound"] = _relative(bound, scale)
    if distance.get("nan") or distance.get("infinite"):
        fact["odd"] = distance.get("nan", 0) + distance.get("infinite", 0)
    return fact


def _relative(size, scale):
    """In units of the largest number, where there is one."""
    return min(size / max(scale, 1 / MOST_FIGURE), MOST_FIGURE) if scale else size


def _thinned(nodes):
    """At most so many nodes, of neighbours the one that is the farthest apart."""
    step = -(-len(nodes) // MOST_REPORTED)
    if step <= 1:
        return nodes
    return [
        max(nodes[place : place + step], key=lambda node: (node.get("odd", 0), node.get("apart", 0.0)))
        for place in range(0, len(nodes), step)
    ]
