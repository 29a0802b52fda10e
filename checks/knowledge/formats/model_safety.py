"""What a TensorFlow graph, Keras file, TorchScript or exported program may hold if it is to be run without trust."""

from checks.knowledge import Table


class ModelSafety(Table):
    harmless: tuple[str, ...]
    reaching: tuple[str, ...]
    keras_parts: tuple[str, ...]
    keras_code: tuple[str, ...]
    keras_functions: tuple[str, ...]
    graph_writing: tuple[str, ...]
    graph_python: tuple[str, ...]
    script_namespaces: tuple[str, ...]
    script_reaching: tuple[str, ...]
    program_operators: tuple[str, ...]

    def for_probe(self) -> dict[str, list[str]]:
        """The lists by their names, as the probe receives them."""
        return {name: list(getattr(self, name)) for name in ("harmless", "reaching", "keras_parts", "keras_code")}

    def for_export(self) -> dict[str, list[str]]:
        """All lists, as the probe of exports receives them: it runs TorchScript and exported programs, too."""
        more = ("script_namespaces", "script_reaching", "program_operators")
        return {**self.for_probe(), **{name: list(getattr(self, name)) for name in more}}
