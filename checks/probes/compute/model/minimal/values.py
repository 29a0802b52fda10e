"""The values within a model under one setting, for the inputs of a part of it."""

from ..slices import Slices
from ..ways import is_of_model

MOST_BYTES = 512 << 20  # that are kept in memory


class Values:
    """``arrays``: the inputs of the model; ``way``: gives values out; ``clock``: that of looking at all of them."""

    def __init__(self, way, arrays, nodes, known, clock):
        self._way, self._arrays = way, arrays
        self._kept, self._bytes = dict(arrays), sum(array.nbytes for array in arrays.values())
        self._refused = set()
        slices = Slices(nodes, [*arrays.values(), *known.values()], clock)
        self._nodes = nodes
        slices.go(lambda start, end: self._keep(start, end, slices))

    def _keep(self, start, end, slices):
        if self._bytes > MOST_BYTES:
            return
        for name, value in self._given([name for node in self._nodes[start:end] for name in node.outputs if name]):
            slices.look(value)
            self._kept[name] = value
            self._bytes += value.nbytes

    def _given(self, names):
        found = self._way.giving(names)(self._arrays)
        return [(name, value) for name, value in found.items() if hasattr(value, "dtype")]

    def of(self, names):
        """Those of these names, by name; None where the runtime does not hand one of them over."""
        missing = [name for name in names if name not in self._kept]
        more = {}
        if missing:
            if self._refused & set(missing):
                return None
            try:
                more = dict(self._given(missing))
            except Exception as error:
                if not is_of_model(error):
                    raise
            left = [name for name in missing if name not in more]
            if left:
                self._refused.update(left if len(missing) == 1 else ())
                return None
        return {name: self._kept[name] if name in self._kept else more[name] for name in names}

    def kind(self, name):
        """The array of a value that is at hand; None where it is not."""
        return self._kept.get(name)
