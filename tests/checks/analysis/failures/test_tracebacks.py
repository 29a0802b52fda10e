"""The text of a traceback becomes the exceptions that it tells of."""

from support.runs import failed

from checks.analysis.failures.of_runs import failures
from checks.analysis.failures.owners import asked_by, module_of_file
from checks.analysis.failures.tracebacks import raised_in

CHAIN = """
a line before
Traceback (most recent call last):
  File "/home/user/env/lib/python3.11/site-packages/transformers/utils/import_utils.py", line 10, in _get
    return importlib.import_module(name)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ImportError: cannot import name 'a' from 'b.c' (/home/user/env/lib/python3.11/site-packages/b/c.py)

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/user/app/train.py", line 1, in <module>
    from transformers import T5Model
RuntimeError: Failed to import transformers.models.t5
because of the following error
"""


def test_a_chain_is_read_the_first_one_first() -> None:
    first, last = raised_in(CHAIN)
    assert (first.type, last.type) == ("ImportError", "RuntimeError")
    assert first.frames[0].code == "return importlib.import_module(name)"
    assert last.message.splitlines() == ["Failed to import transformers.models.t5", "because of the following error"]


def test_of_two_tracebacks_that_are_not_linked_the_last_counts() -> None:
    handled = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nKeyError: 1\n'
    assert [raised.type for raised in raised_in(handled + "went on\n" + CHAIN)] == ["ImportError", "RuntimeError"]


def test_a_traceback_that_ends_in_the_middle_is_no_exception() -> None:
    assert raised_in('Traceback (most recent call last):\n  File "x.py", line 1, in <module>') == ()
    assert raised_in("Traceback (most recent call last):") == ()
    assert raised_in("") == ()


def test_of_several_folders_the_last_site_packages_counts() -> None:
    assert module_of_file("/a/site-packages/x/env/lib/python3.9/site-packages/cv2/__init__.py") == "cv2"
    assert module_of_file(r"C:\Users\me\env\Lib\site-packages\torch\__init__.py") == "torch"
    assert module_of_file("/home/user/app/train.py") == ""
    assert module_of_file("cupy/_core/raw.pyx") == "cupy"  # as Cython writes it


def test_whoever_called_numpy_is_the_one_who_failed() -> None:
    (first, _) = raised_in(CHAIN)
    assert asked_by(first, None) == "transformers"


def test_a_program_from_whose_inside_nothing_was_heard_is_read_from_its_words() -> None:
    facts = failed(None, errors="/usr/bin/python3.11: No module named vllm\n")
    ((raised,),) = [failure.raised for failure in failures(facts.program_runs)]
    assert (raised.type, raised.name) == ("ModuleNotFoundError", "vllm")


def test_what_was_killed_did_not_end_for_what_it_logged() -> None:
    errors = "worker 3: No module named 'triton'\n"
    (ended,) = failures(failed(None, errors=errors).program_runs)
    assert [raised.name for raised in ended.raised] == ["triton"]
    (killed,) = failures(failed(None, errors=errors, signal="SIGKILL").program_runs)
    assert killed.raised == ()
