"""A ticket as it is judged: of whom it is, nothing is left."""

from checks.facts import SentFile
from checks.readers.tickets.excerpt import LONG
from checks.readers.tickets.impersonal import impersonal


def as_judged(*texts: str) -> tuple[str, ...]:
    return impersonal([SentFile(name="", kind="log", text=text) for text in texts])


def test_a_hidden_value_and_its_placeholder_are_the_same() -> None:
    written = "alice@desk-01:~/x$ HF_TOKEN=hf_0123456789abcdefghij python t.py # by alice"
    hidden = "<user-1>@<host-1>:~/x$ HF_TOKEN=<secret-1> python t.py # by <user-1>"
    assert as_judged(written) == as_judged(hidden) == ("x@x:~/x$ HF_TOKEN=x python t.py # by x",)


def test_every_home_is_the_own_one() -> None:
    for written in (
        "/home/alice/a.py",
        "/home/<user-3>/a.py",
        "~/a.py",
        r"/mnt/c/Users/alice/a.py",
        "/Users/alice/a.py",
    ):
        assert as_judged(written) == ("~/a.py",), written
    assert as_judged(r"C:\Users\alice\a.py") == (r"~\a.py",)


def test_a_name_is_learned_from_any_of_the_texts() -> None:
    assert as_judged("/home/hiroko/x", "hiroko saw it", "nobody did") == ("~/x", "x saw it", "nobody did")


def test_a_harmless_text_stays_as_it_is() -> None:
    text = "CUDA error: no kernel image is available\n\nlibcublas 12.4.5.8, sm_120 <unknown> <gpu>"
    assert as_judged(text) == (text,)


def test_of_a_long_text_what_is_worth_reading_is_left() -> None:
    middle = f"{'-' * 100}\n" * (LONG // 90)
    (judged,) = as_judged(f"/home/hiroko/x\n{middle}RuntimeError: CUDA error\n")
    assert judged.startswith("~/x\n---")
    assert "RuntimeError: CUDA error" in judged
    assert len(judged) < LONG


def test_a_log_without_a_text_has_none() -> None:
    assert impersonal([SentFile(name="a", kind="log")]) == ("",)
