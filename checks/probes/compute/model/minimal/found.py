"""The search for the smallest part: what the whole model shows, where it begins, and the part that still shows it."""

import os

from .. import onnx_cut, onnx_graph
from ..search import Search
from ..ways import Model
from . import shown, shrink
from .sides import Failed
from .values import Values

CHECKS = 3  # times that the part is run again in new processes
OF_VALUES, OF_SEARCH = 0.25, 0.4  # of the time


class Cut:
    """A part of the model as a file. ``places``: of its nodes; ``inputs``: by name; ``outputs``: names."""

    def __init__(self, places, path, inputs, outputs):
        self.places, self.path, self.inputs, self.outputs = places, path, inputs, outputs


class Finder:
    """``sides``: the reference and the candidate, the same where numbers get lost in one. ``model``: as ways.Model.

    ``node``: where numbers were seen to get lost. ``folder``: for files that are needed on the way.
    """

    def __init__(self, parts, model, sides, clock, node="", folder="."):
        self._parts, self._model, self._clock = parts, model, clock
        self._first, self._second = sides
        self._numpy, self._node, self._folder = model.numpy, node, folder
        self._copy = self._values = self._size = None
        self._known = {}
        self.whole = None
        self.tried = self._asked = 0

    def look(self):
        """What the whole model shows under the two settings; None: nothing."""
        path = self._model.named["path"]
        self.whole = self._compared(path, self._model, self._model.arrays)
        return self.whole

    def smallest(self):
        """(The smallest part that shows the same, whether no node of it can be left out); (None, False): not found.

        The whole model is a part of itself.
        """
        steps = self._parts.steps
        way = self._way(self._first)
        nodes = [self._parts.nodes[place] for place in steps]
        outputs = shown.attempt(lambda: way.run(self._model.arrays))
        known = {} if isinstance(outputs, Failed) else outputs
        self._values = Values(way, self._model.arrays, nodes, known, self._clock.less(1 / OF_VALUES))
        start = self._start()
        places = None
        if start is not None:
            places = shrink.upward(steps, self._parts.makers, self._parts.nodes, [start], self._shows, self._clock)
        if places is None:
            if not self._shows(steps):
                return None, False
            places = list(steps)
        places, is_least = shrink.fewest(places, self._shows, self._clock)
        return self._cut(places), is_least

    def checked(self, cut):
        """(In how many of so many new runs the part shows the same, what the last of these shows)."""
        count, last = 0, None
        for _ in range(CHECKS):
            for side in (self._first, self._second):
                side.end()
            seen = self._compared(cut.path, self._part(cut.places), cut.inputs)
            if seen is not None and seen.is_again(self.whole, self._size):
                count, last = count + 1, seen
        return count, last

    def _start(self):
        """The place of the node at which it begins; None where a model that is not computed tells no such."""
        if self.whole.failed is not None:
            return None
        if self.whole.kind == shown.LOST:
            return self._place(self._node)
        ways = ((self._way(self._first), self._model.arrays), (self._way(self._second), self._model.arrays))
        found = Search(self._model, *ways, self._clock.less(1 / OF_SEARCH)).walk()
        begins = {
            shown.BEYOND: ("beyond_node", "first_node"),
            shown.NOT_FINITE: ("beyond_node", "first_node"),
            shown.DECISION: ("choice_node", "first_node"),
        }.get(self.whole.kind, ("first_node",))
        label = next((found[name] for name in begins if found.get(name)), "")
        apart = found.get("beyond_difference") or {}
        if label == found.get("beyond_node") and apart.get("max_abs"):
            self._size = apart["max_abs"] / (apart.get("scale") or 1.0)
        return self._place(label)

    def _place(self, label):
        return next((place for place in self._parts.steps if self._parts.nodes[place].label == label), None)

    def _shows(self, places):
        """Whether the part with these nodes shows what the whole does."""
        key = tuple(places)
        if key not in self._known:
            self._known[key] = self._looked_at(places)
        return self._known[key]

    def _looked_at(self, places):
        cut = self._cut(places)
        if cut is None:
            return False
        self.tried += 1
        try:
            seen = self._compared(cut.path, self._part(places), cut.inputs)
        finally:
            os.remove(cut.path)
        return seen is not None and seen.is_again(self.whole, self._size)

    def _cut(self, places):
        """The file of a part; None where one of its inputs is not at hand."""
        inputs = self._values.of(self._parts.taken(places))
        if inputs is None:
            return None
        outputs = self._parts.ends(places)
        kinds = {name: onnx_cut.element_of(array) for name, array in inputs.items()}
        given = {name: self._kind_of_output(name) for name in outputs}
        content = self._parts.cut(places, kinds, given)
        path = os.path.join(self._folder, "cut.onnx")
        onnx_graph.look_for_room(len(content), self._folder)
        with open(path, "wb") as file:
            file.write(content)
        return Cut(places, path, inputs, outputs)

    def _kind_of_output(self, name):
        """Its type; its shape is left open where nothing tells it."""
        array = self._values.kind(name)
        return (0, None) if array is None else onnx_cut.element_of(array)

    def _part(self, places):
        model, nodes = self._model, [self._parts.nodes[place] for place in places]
        return Model(self._numpy, model.named, model.arrays, nodes, model.unit, model.weights)

    def _compared(self, path, model, arrays):
        for side in (self._first, self._second):
            side.limit = max(1.0, self._clock.whole.left)
        self._asked += 1
        key = "%s %d" % (path, self._asked)
        first = shown.attempt(lambda: self._first.run(path, arrays, key=key))
        if self._second is self._first:
            return shown.lost_of(self._numpy, arrays, first)
        nudged = model.nudged(arrays)
        moved = shown.attempt(lambda: self._first.run(path, nudged, key=key)) if nudged else None
        second = shown.attempt(lambda: self._second.run(path, arrays, key=key))
        return shown.difference_of(model, first, second, None if isinstance(moved, Failed) else moved)

    def _way(self, side):
        def giving(names):
            if self._copy is None:
                self._copy = onnx_graph.Copy(
                    self._model.named["path"], os.path.join(self._folder, "with-outputs"), self._parts.graph.external
                )
            own = set(self._parts.graph.outputs)
            return self._copy.giving([name for name in names if name not in own])

        return side.way(self._model.named["path"], giving)
