"""What the user asks, as closed sets of words. Fields that hold them are text: a newer case may hold others."""

from enum import StrEnum


class SymptomName(StrEnum):
    """What has happened: the values of ``--symptom``, and the four questions that have commands of their own."""

    DOES_NOT_START = "does-not-start"
    NOT_ON_GPU = "not-on-gpu"
    WORKS_ELSEWHERE = "works-elsewhere"
    AFTER_CHANGE = "after-change"
    RESULTS_CHANGE = "results-change"  # from run to run
    RESULTS_DIFFER = "results-differ"  # from place to place
    EVERYTHING = "everything"
    TICKET = "ticket"  # the case is about what somebody sent; no machine is examined
    MODELS = "models"  # the question is what the given model files are and need; nothing else is judged
    SERVED = "served"  # how the answers of a served model vary; no machine is examined
    COMPARISON = "comparison"  # why two machines compute differently; what breaks neither is not judged


MODELS, COMPARISON, SERVED = SymptomName.MODELS, SymptomName.COMPARISON, SymptomName.SERVED
# The two symptoms that ask why numbers differ; a program that fails is explained by the other families.
ABOUT_RESULTS = frozenset({SymptomName.RESULTS_CHANGE, SymptomName.RESULTS_DIFFER})


class Exactness(StrEnum):
    """How exact a result must be; "" in a case where the user did not say."""

    BITS = "bits"
    DECISIONS = "decisions"
    CLOSE = "close"


class Effort(StrEnum):
    """How long may be examined and computed."""

    QUICK = "quick"
    STANDARD = "standard"
    THOROUGH = "thorough"
