"""AI programs that bring their own runtime: Ollama, LM Studio, llama.cpp and what is built on it, ComfyUI, ..."""

from __future__ import annotations

from checks.facts.base import Fact

ON_PROCESSOR = "cpu"  # the backend of a program that computes on the processor


class LocalProgram(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One such program: found on this machine (``path``), or told of by a text.

    What its log tells is of its last start, and of the last model that it loaded there.
    """

    name: str
    path: str = ""  # of its executable, or of the folder that it lies in
    version: str | None = None
    log: str = ""  # the file or the command that its log was read from; "": none was found
    written: str = ""  # when something was last written there, ISO 8601
    is_old: bool = False  # that was long before the log was read: it need not be true today
    text: str = ""  # what is kept of a log that was found here: its last start
    backend: str | None = None  # "cuda", "rocm", "vulkan", "metal", ..., "cpu"; None: not told
    runtime: str = ""  # as the program names it: "cuda_v12"
    devices: tuple[str, ...] | None = None  # GPUs that it takes; (): it says that there is none for it
    layers: int | None = None  # of the model, that lie on a GPU
    layers_total: int | None = None

    @property
    def is_whole_on_gpu(self) -> bool:
        """Whether it was seen to put a whole model on a GPU."""
        return bool(self.layers) and self.layers == self.layers_total and self.backend != ON_PROCESSOR

    @property
    def is_partly_on_gpu(self) -> bool:
        """Whether it was seen to leave layers of a model to the processor for which it had a GPU."""
        return bool(self.layers and self.layers_total and self.layers < self.layers_total)

    @property
    def is_on_processor(self) -> bool:
        """Whether it was seen to compute on the processor alone."""
        return self.backend == ON_PROCESSOR or (self.layers == 0 and bool(self.layers_total))

    @property
    def is_told(self) -> bool:
        """Whether anything is known of what it computes on."""
        return self.backend is not None or self.layers is not None or self.devices is not None
