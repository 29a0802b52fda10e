"""A model file holds a pickle, or layers, that would run commands or code when it is loaded.

Detects:      names in any pickle of a file (also under other names within an archive, after its end, in arrays of
              objects) that start programs, run code, open files or connections, or reach any attribute; and names that
              the stream computes, so that nobody can read them beforehand. Lambda layers of Keras, which hold code.
              Settings that name such functions for their loader to call, templates of chats that reach Python, and
              operations of a graph that write files.
Why it bites: Python imports and calls them while the file is loaded, before the program sees a value of it.
Blind spots:  a list of what is dangerous is never complete: names that it does not know are another cause's
              (pickle_not_fully_known.py). Files of cloudpickle hold functions of their own, which may be meant well.
Knowledge:    resources/knowledge/formats/loader_settings.toml, pickle_globals.toml, keras.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import values_of
from checks.analysis.models.torch import file_of, in_words, listed
from checks.causes.registry import check
from checks.facts import InterpreterFacts, ModelFacts, ModelFiles, NamedClass
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.formats.model_formats import model_format
from checks.knowledge.formats.pickle_globals import DANGEROUS, PickleGlobalsTable, what_it_does
from checks.knowledge.frameworks.keras import KerasTable, refuses_code

MEANT_WELL = "holds-code"
_KERAS = ("keras-h5", "keras-zip")
_REMEDIES = ("leave-untrusted-pickle-unloaded",)
# What is wrong with files that nevertheless were read, or are known to be something else.
_READ_ALL_THE_SAME = frozenset(
    {"missing-part", "outside", "lfs-pointer", "html-page", "empty", "not-a-file", "empty-folder", "no-model-in-folder"}
)


@check("pickle-runs-code")
def pickle_runs_code(models: ModelFiles, interpreter: InterpreterFacts | None) -> Iterator[Finding]:
    """One finding per file."""
    table = PickleGlobalsTable.read()
    unread = [model.path for model in models.files if _may_hide_some(model)]
    for model in models.files:
        dangerous = [needed for needed in model.needs.classes or () if needed.risk == DANGEROUS]
        if not dangerous:
            continue
        is_usual = all(_deed(needed.name) == MEANT_WELL for needed in dangerous)
        calls = [_call(needed) for needed in sorted(dangerous, key=lambda needed: not needed.given)]
        names = [needed.name for needed in dangerous] if is_usual else calls  # what is called before what is named
        yield Finding(
            severity=Severity.WARNING if is_usual else Severity.BLOCKING,
            confidence=0.7 if is_usual else 0.9,
            subject=model.path,
            evidence=(
                file_of(model),
                Evidence("dangerous_names", listed(names), model.path, table.source),
                *(_in_keras(model, interpreter) if model.format in _KERAS else ()),
            ),
            values={**values_of(model, ""), "dangerous_names": in_words(names)},
            remedies=(*(("load-lambda-of-trusted-source",) if model.format in _KERAS else ()), *_REMEDIES),
        )
    if unread:
        raise Unread("dangerous_names", listed(unread))


def _call(needed: NamedClass) -> str:
    return f"{needed.name}({needed.given})" if needed.given else needed.name


def _in_keras(model: ModelFacts, interpreter: InterpreterFacts | None) -> Iterator[Evidence]:
    """In how many layers the code is, and whether the Keras of the target loads it by default."""
    yield Evidence("code_in_layers", model.details.get("code-in-layers", "1"), model.path)
    keras = interpreter.package("keras") if interpreter else None
    if keras is not None and refuses_code(model.format or "", keras.version):
        yield Evidence("framework", f"keras {keras.version}", keras.location or "")
        yield Evidence("keras_refuses", "safe_mode=True", KerasTable.read().title)


def _may_hide_some(model: ModelFacts) -> bool:
    """Whether a part of a file was not read in which there could be names."""
    if model.problem is None or model.problem in _READ_ALL_THE_SAME:
        return False
    row = model_format(model.format) if model.format else None
    return row is None or row.runs_code in ("yes", "unless-safe")


def _deed(path: str) -> str:
    module, _, name = path.rpartition(".")
    return what_it_does(module, name)
