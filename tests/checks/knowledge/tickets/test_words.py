"""The words of tickets: written as the readers look them up, and each for one thing."""

import msgspec

from checks import facts
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.knowledge.tickets.words import TicketWords, is_possible, package_of_word
from checks.readers.tickets.found.lists import READS
from checks.readers.tickets.text import plain_key


def test_a_key_tells_one_fact() -> None:
    keys = [key for row in TicketWords.read().field for key in row.keys]
    assert len(keys) == len(set(keys))
    assert [key for key in keys if plain_key(key) != key.replace("()", "")] == []


def test_every_field_can_be_read_and_is_a_fact() -> None:
    for row in TicketWords.read().field:
        assert row.reads in READS, row.fact
        assert _is_fact(row.fact), row.fact


def test_words_are_lower_case_and_for_one_package() -> None:
    words = [word for row in TicketWords.read().package for word in row.words]
    assert len(words) == len(set(words)) == len(package_of_word())
    assert [word for word in words if word != word.lower()] == []


def test_words_of_systems_are_lower_case_and_for_one_system() -> None:
    words = [word for row in TicketWords.read().system for word in row.words]
    assert len(words) == len(set(words))
    assert [word for word in words if word != word.lower()] == []


def test_possible() -> None:
    assert is_possible("torch", "2.7.1")
    assert not is_possible("torch", "23.10")  # a container's
    assert is_possible("any-other", "2024.1")


def test_frameworks_are_called_by_their_distributions() -> None:
    named = {row.name for row in TicketWords.read().package}
    assert {"torch", "tensorflow", "onnxruntime", "jax", "tensorrt", "openvino", "coremltools"} <= named
    assert all(framework_of_package().get(name) for name in ("torch", "onnxruntime-gpu"))


def _is_fact(dotted: str) -> bool:
    first, _, rest = dotted.partition(".")
    if first == "mention":
        return True
    kind: type = {
        "machine": facts.MachineFacts,
        "frameworks": facts.Frameworks,
        "interpreter": facts.InterpreterFacts,
        "environment": facts.EnvironmentVariables,
    }[first]
    for name in rest.split("."):
        types = {field.name: field.type for field in msgspec.structs.fields(kind)}
        if name not in types:
            return False
        wanted = msgspec.inspect.type_info(types[name])
        inner = [each for each in getattr(wanted, "types", (wanted,)) if isinstance(each, msgspec.inspect.StructType)]
        if not inner:
            return True
        kind = inner[0].cls
    return True
