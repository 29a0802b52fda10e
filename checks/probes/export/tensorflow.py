"""A model of TensorFlow or Keras as the original of an export, and the exporters that start from it.

What is loaded and run is looked through before, as model/tensorflow.py does it.
"""

import itertools
import json
import os

from ..model import kit as model_kit
from ..model import tensorflow as tensorflow_probe
from . import compare

_CONTROL = ("If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase")


def load(argument):
    """The original that the argument names."""
    return (_Keras if argument["format"].startswith("keras") else _Graph)(argument)


def _rounding_of(arrays):
    """(The unit roundoff of the weights, the terms of the longest sum of products, the number of such layers)."""
    kinds = {str(array.dtype) for array in arrays}
    unit = max((compare.UNITS[kind] for kind in kinds if kind in compare.UNITS), default=compare.UNITS["float32"])
    # Of all weights but those of depthwise convolutions the last axis counts the outputs.
    terms = [array.size // array.shape[-1] for array in arrays if array.ndim > 1 and array.shape[-1]]
    return unit, max(terms, default=1), max(len(terms), 1)


def _in_float64(arrays):
    return {name: array.astype("float64") if array.dtype.kind == "f" else array for name, array in arrays.items()}


# --- Keras ------------------------------------------------------------------------------------------------------------


class _Keras:
    """A .keras or .h5 file, loaded in safe mode."""

    def __init__(self, argument):
        self.module = tensorflow_probe.load_keras(argument)
        if not getattr(self.module, "inputs", None):
            raise model_kit.NotDrawn("no-signature")

    @property
    def specs(self):
        """The inputs to draw."""
        return tensorflow_probe.keras_specs(self.module)

    def example(self):
        """Inputs that the file itself holds: none."""

    def run(self, arrays):
        """The outputs by name."""
        return _outputs(self.module, arrays)

    def rounding_of(self):
        """(Unit, terms, layers), as for compare.Rounding."""
        return _rounding_of(self.module.get_weights())

    def in_float64(self, arrays):
        """The outputs computed in float64."""
        return _outputs(self._doubled(), _in_float64(arrays))

    def steps_and_values(self, arrays, float64=False):
        """Its layers in order, and what each gave."""
        model = self._doubled() if float64 else self.module
        layers = [layer for layer in model.layers if type(layer).__name__ != "InputLayer"]
        placed = [(layer, place, tensor) for layer in layers for place, tensor in enumerate(_flat(layer.output))]
        keras = tensorflow_probe.keras_module()
        results = _call(keras.Model(model.inputs, [tensor for _, _, tensor in placed]), arrays, float64)
        values = {_value_name(layer, place): array for (layer, place, _), array in zip(placed, results)}
        makers = {id(tensor): _value_name(layer, place) for layer, place, tensor in placed}
        steps = [
            compare.Step(
                layer.name,
                type(layer).__name__,
                [makers.get(id(tensor), getattr(tensor, "name", "")) for tensor in _flat(layer.input)],
                [_value_name(layer, place) for place, _ in enumerate(_flat(layer.output))],
            )
            for layer in layers
        ]
        return steps, values

    def _doubled(self):
        """The same network with all that was float32 in float64."""
        config = json.loads(json.dumps(self.module.get_config()).replace('"float32"', '"float64"'))
        model = type(self.module).from_config(config)
        weights = self.module.get_weights()
        model.set_weights([weight.astype("float64") if weight.dtype.kind == "f" else weight for weight in weights])
        return model

    def function(self, arrays):
        """It as a function of TensorFlow, and the specification of its inputs."""
        import tensorflow as tf

        specs = [tf.TensorSpec(array.shape, array.dtype, name=name) for name, array in arrays.items()]
        model = self.module

        def infer(*values):
            return _flat(model(values[0] if len(values) == 1 else list(values), training=False))

        return tf.function(infer, input_signature=specs), specs


def _flat(tensors):
    """The tensors of a list, tuple or dict, in the order in which TensorFlow hands them out."""
    import tensorflow as tf

    return tf.nest.flatten(tensors)


def _value_name(layer, place):
    return "%s:%d" % (layer.name, place)


def _call(model, arrays, float64=False):
    import numpy as np

    values = list((_in_float64(arrays) if float64 else arrays).values())
    return [np.asarray(tensor) for tensor in _flat(model(values[0] if len(values) == 1 else values, training=False))]


def _outputs(model, arrays):
    return {"output %d" % place: array for place, array in enumerate(_call(model, arrays))}


# --- a graph ----------------------------------------------------------------------------------------------------------


class _Graph:
    """A SavedModel or frozen graph, with its variables turned into constants and its functions put in their place."""

    def __init__(self, argument):
        import tensorflow as tf

        v1 = tf.compat.v1
        graph_def, ops, plan = tensorflow_probe.graph_and_plan(argument)
        if not plan["outputs"]:
            raise model_kit.NotDrawn("no-signature")
        outside = tensorflow_probe.reaching(graph_def, [*plan["outputs"], *plan["before"]], argument["safety"])
        if outside:
            raise model_kit.Reaching(", ".join(outside))
        with tf.Graph().as_default() as graph:
            tf.graph_util.import_graph_def(graph_def, name="", producer_op_list=ops)
        names = [name.split(":")[0] for name in plan["outputs"]]
        with v1.Session(graph=graph) as session:
            for fetch, feed in plan["before"].items():
                session.run(fetch, feed)
            frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), names)
        self.inputs, self.outputs = plan["inputs"], plan["outputs"]
        self.frozen = _inlined(frozen, list(self.inputs.values()), self.outputs)
        with tf.Graph().as_default() as self._graph:
            tf.graph_util.import_graph_def(self.frozen, name="")

    @property
    def specs(self):
        """The inputs to draw."""
        return tensorflow_probe.graph_specs(self._graph, self.inputs)

    def example(self):
        """Inputs that the file itself holds: none."""

    def run(self, arrays):
        """The outputs by name."""
        return dict(zip(self.outputs, self._run(self.outputs, arrays)))

    def _run(self, names, arrays):
        import tensorflow as tf

        with tf.compat.v1.Session(graph=self._graph) as session:
            return session.run(names, {self.inputs[name]: value for name, value in arrays.items()})

    def function(self, arrays):
        """It as a function of TensorFlow, and the specification of its inputs."""
        import tensorflow as tf

        specs = [tf.TensorSpec(array.shape, array.dtype, name=name) for name, array in arrays.items()]
        whole = tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(self.frozen, name=""), [])
        places = [whole.graph.get_tensor_by_name(name) for name in self.inputs.values()]
        part = whole.prune(places, [whole.graph.get_tensor_by_name(name) for name in self.outputs])

        def infer(*values):
            return [tf.identity(tensor) for tensor in _flat(part(*values))]

        return tf.function(infer, input_signature=specs), specs

    def rounding_of(self):
        """(Unit, terms, layers), as for compare.Rounding."""
        import tensorflow as tf

        constants = [tf.make_ndarray(node.attr["value"].tensor) for node in self.frozen.node if node.op == "Const"]
        return _rounding_of([constant for constant in constants if constant.dtype.kind == "f"])

    def in_float64(self, arrays):
        """Not to be had: the types are written into each operation."""
        raise NotImplementedError

    def steps_and_values(self, arrays, float64=False):
        """Its operations in order, and what each gave."""
        if float64:
            raise NotImplementedError
        idle = ("Const", "Placeholder", "NoOp")
        operations = [get_operation for get_operation in self._graph.get_operations() if get_operation.type not in idle]
        steps = [
            compare.Step(
                operation.name,
                operation.type,
                [tensor.name for tensor in operation.inputs],
                [out.name for out in operation.outputs],
            )
            for operation in operations
        ]
        kinds = {out.name: out.dtype for operation in operations for out in operation.outputs}
        names = [name for name, kind in kinds.items() if kind.base_dtype.name not in ("resource", "variant")]
        values, size = {}, 0
        for name, array in zip(names, self._run(names, arrays)):
            size += array.nbytes
            if size < compare.MOST_BYTES:
                values[name] = array
        return steps, values


def _inlined(graph_def, inputs, outputs):
    import tensorflow as tf
    from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
    from tensorflow.python.grappler import tf_optimizer

    if not graph_def.library.function:
        return graph_def
    # Loops and branches stay what they are: taken apart into jumps (Enter, Exit, Switch) no exporter knows them.
    for node in itertools.chain(graph_def.node, *(called.node_def for called in graph_def.library.function)):
        if node.op in _CONTROL:
            node.attr["_lower_using_switch_merge"].b = False
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def, name="")
        part = tf.compat.v1.train.export_meta_graph(graph_def=graph_def, graph=graph)
    fetched = meta_graph_pb2.CollectionDef()
    fetched.node_list.value.extend([*inputs, *outputs])
    part.collection_def["train_op"].CopyFrom(fetched)
    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.optimizers[:] = ["function"]
    return tf_optimizer.OptimizeGraph(config, part)


# --- the exporters ----------------------------------------------------------------------------------------------------


def to_onnx(original, arrays, folder):
    """tf2onnx."""
    import tf2onnx

    path = os.path.join(folder, "model.onnx")
    if isinstance(original, _Graph):
        tf2onnx.convert.from_graph_def(
            original.frozen, input_names=list(original.inputs.values()), output_names=original.outputs, output_path=path
        )
        return path, None
    function, specs = original.function(arrays)
    tf2onnx.convert.from_function(function, specs, output_path=path)
    return path, None


def to_tflite(original, arrays, folder):
    """The converter of TensorFlow Lite."""
    import tensorflow as tf

    path = os.path.join(folder, "model.tflite")
    if isinstance(original, _Graph):
        with tf.compat.v1.Session(graph=original._graph) as session:
            inputs = [original._graph.get_tensor_by_name(name) for name in original.inputs.values()]
            outputs = [original._graph.get_tensor_by_name(name) for name in original.outputs]
            converter = tf.compat.v1.lite.TFLiteConverter.from_session(session, inputs, outputs)
            content = converter.convert()
    else:
        function, _ = original.function(arrays)
        content = tf.lite.TFLiteConverter.from_concrete_functions([function.get_concrete_function()]).convert()
    with open(path, "wb") as file:
        file.write(content)
    return path, None


def to_tfjs(original, arrays, folder):
    """The converter of TensorFlow.js."""
    import tensorflowjs as tfjs

    path = os.path.join(folder, "tfjs")
    if not isinstance(original, _Graph):
        tfjs.converters.save_keras_model(original.module, path)
        return path, None
    from tensorflowjs.converters import tf_saved_model_conversion_v2 as conversion

    beside = os.path.join(folder, "frozen.pb")
    with open(beside, "wb") as file:
        file.write(original.frozen.SerializeToString())
    conversion.convert_tf_frozen_model(
        beside, ",".join(name.split(":")[0] for name in original.outputs), path, strip_debug_ops=True
    )
    return path, None


def to_coreml(original, arrays, folder):
    """coremltools, as it is called without options."""
    import coremltools as ct

    path = os.path.join(folder, "model.mlpackage")
    function, _ = original.function(arrays)
    package = ct.convert([function.get_concrete_function()], source="tensorflow")
    package.save(path)
    return path, package


EXPORTERS = {"tf2onnx": to_onnx, "tflite-converter": to_tflite, "tensorflowjs": to_tfjs, "coremltools": to_coreml}
