"""One GGUF file in llama.cpp: whether its architecture and vocabulary are known. The weights are not read.

Argument: ``path``.
"""

from . import kit as model_kit

RUNS = model_kit.Runs("llama.cpp")


def imported(argument):
    """Import the binding for real; its import loads the native part."""
    import llama_cpp

    return {"version": str(llama_cpp.__version__)}


def loading(argument):
    """Load the vocabulary."""
    import llama_cpp

    fact = RUNS.begin("vocabulary")
    yield RUNS.answer
    printed = model_kit.tried(fact, lambda: llama_cpp.Llama(argument["path"], vocab_only=True, verbose=True))
    if "error" in fact:
        model_kit.add_to_log(fact, printed)  # the exception itself says no more than that it failed
    else:
        fact["loaded"] = True
    yield RUNS.answer


STAGES = (imported, loading)
ESSENTIAL = ("imported",)
