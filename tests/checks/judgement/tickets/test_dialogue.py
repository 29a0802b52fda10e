"""Answers become facts: by choice, by what is pasted, in a thread of mails; and the last one is undone."""

import pytest

from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.judgement.tickets.dialogue import answered, case_of_thread, choice_in, fits, questions_in, tells, unanswered
from checks.knowledge.tickets.questions import questions
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.readers.tickets.threads import Mail
from checks.sharing.case import decode
from wizard.report.prints.json_report import to_json

NO_GPU = "My program runs on the CPU only, torch.cuda.is_available() returns False. What can I do?"
NOT_LOADED = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA "
    "driver is installed and running."
)
CHANGES = "Every time I run my training I get another accuracy. Same code, same data. What can I do?"


def case_of(text: str) -> Case:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET))


def share(case: Case, cause: str) -> float:
    return next((finding.confidence for finding in case.findings if finding.cause == cause), 0.0)


def test_an_output_is_read_by_the_same_readers() -> None:
    case = answered(case_of(NO_GPU), "torch-build", text="2.6.0+cpu None False")
    assert case.facts.frameworks is not None
    assert case.facts.frameworks.torch is not None
    assert case.facts.frameworks.torch.build == "cpu"
    assert case.findings[0].cause == "framework-cpu-only-build"
    assert answered(case_of(NO_GPU), "nvidia-smi", text=NOT_LOADED).findings[0].cause == "driver-not-loaded"


def test_a_build_for_cuda_is_no_cpu_build() -> None:
    case = answered(case_of(NO_GPU), "torch-build", text="2.6.0+cu124 12.4 False")
    assert share(case, "framework-cpu-only-build") < 0.3


def test_a_choice_moves_the_causes() -> None:
    before = case_of(CHANGES)
    unseeded = answered(before, "seeds", choice="none")
    seeded = answered(before, "seeds", choice="all")
    assert unseeded.findings[0].cause == "rng-unseeded"
    assert share(seeded, "rng-unseeded") < share(before, "rng-unseeded") < share(unseeded, "rng-unseeded")


def test_what_nobody_knows_moves_nothing_and_an_answer_of_no_question_is_refused() -> None:
    before = case_of(CHANGES)
    assert [(one.cause, one.confidence) for one in answered(before, "seeds").findings] == [
        (one.cause, one.confidence) for one in before.findings
    ]
    with pytest.raises(KeyError):
        answered(before, "seeds", choice="perhaps")
    with pytest.raises(KeyError):
        answered(before, "no-such-question")


def test_the_last_answer_is_undone() -> None:
    before = case_of(NO_GPU)
    once = answered(before, "nvidia-smi", text=NOT_LOADED)
    twice = answered(once, "where-it-runs", choice="container")
    assert unanswered(twice).facts == once.facts
    assert unanswered(once).facts == before.facts
    assert unanswered(before) is before


def test_answers_are_kept_in_the_case() -> None:
    case = answered(answered(case_of(NO_GPU), "nvidia-smi", text=NOT_LOADED), "where-it-runs", choice="container")
    back = decode(to_json(case, "en"))
    assert back.facts.asked == case.facts.asked
    assert [finding.cause for finding in back.findings] == [finding.cause for finding in case.findings]


def test_an_answer_of_a_newer_version_is_passed_over() -> None:
    case = answered(case_of(CHANGES), "seeds", choice="none")
    newer = to_json(case, "en").replace(b'"seeds"', b'"of-tomorrow"')
    assert decode(newer).findings[0].confidence == case_of(CHANGES).findings[0].confidence


@pytest.mark.parametrize(
    ("question", "text", "wanted"),
    [
        ("what-differs", "b", "devices"),
        ("what-differs", "2)", "devices"),
        ("what-differs", "Two runs of the same program on the same machine", "runs"),
        ("what-differs", "同じマシンで同じプログラムを2回実行したとき", "runs"),
        ("seeds", "Yes, I do everything", "all"),
        ("seeds", "No.", "none"),
        ("seeds", "いいえ", "none"),
        ("seeds", "I never set a seed", "none"),
        ("training-mode", "True", "true"),
        ("training-mode", "it prints False", ""),
        ("where-it-runs", "in Docker on a server", "container"),
        ("same-inputs", "no", "different"),
        ("seeds", "what do you mean?", ""),
        ("seeds", "", ""),
        ("nvidia-smi", "a", ""),
    ],
)
def test_a_choice_in_words(question: str, text: str, wanted: str) -> None:
    assert choice_in(questions()[question], text) == wanted


def test_a_thread_is_the_customers_words_and_the_desks_questions() -> None:
    case = case_of_thread(
        [
            Mail("kim", NO_GPU),
            Mail("desk", "Perhaps ImportError: libcudnn.so.8 is missing? What does nvidia-smi print?"),
            Mail("kim", NOT_LOADED),
        ]
    )
    assert case.findings[0].cause == "driver-not-loaded"
    assert [(one.question, one.is_pasted) for one in case.facts.asked] == [("nvidia-smi", True)]
    assert not any("libcudnn" in (log.text or "") for log in case.facts.logs)


def test_a_question_that_was_not_answered_is_not_asked_again() -> None:
    case = case_of_thread([Mail("kim", CHANGES), Mail("desk", "Did you set a seed?"), Mail("kim", "Please help soon.")])
    assert [(one.question, one.choice) for one in case.facts.asked] == [("seeds", "")]
    answer = case_of_thread([Mail("kim", CHANGES), Mail("desk", "Did you set a seed?"), Mail("kim", "No, I did not.")])
    assert [(one.question, one.choice) for one in answer.facts.asked] == [("seeds", "none")]
    assert answer.findings[0].cause == "rng-unseeded"


def test_thanks_leave_a_ticket_as_open_as_it_was_and_say_that_an_advice_helped() -> None:
    first = "The hidden state of the same input token changes every time I call the same GPT-2 model. Why?"
    advice = "Do model.eval() before retrieving your vector."
    case = case_of_thread([Mail("kim", first), Mail("desk", advice), Mail("kim", "Thank you! This solved my problem.")])
    assert [(one.question, one.choice) for one in case.facts.asked] == [("training-mode", "true")]
    assert case.findings[0].cause == "train-mode-at-inference"


def test_questions_are_known_in_our_words_and_in_others() -> None:
    assert [one.id for one in questions_in(questions()["seeds"].ja)] == ["seeds"]
    assert "packages" in [one.id for one in questions_in("Could you send the output of pip list, please?")]
    assert questions_in("Thank you, that is fixed in the next release.") == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("nvidia-smi", "No devices were found"),
        ("nvidia-smi", "bash: nvidia-smi: command not found"),
        ("torch-build", "2.6.0+cpu None False"),
        ("torch-build", "torch 2.5.1"),
        ("torch-build", "ModuleNotFoundError: No module named 'torch': no such file or directory"),
        ("packages", "Package   Version\n-----\nnumpy   1.26.4"),
        ("packages", "numpy==1.26.4\ntorch==2.5.1"),
        ("variables", "CUDA_VISIBLE_DEVICES=\nLD_LIBRARY_PATH=/usr/local/cuda/lib64"),
        ("variables", "It prints nothing."),
        ("kernel-log", "何も表示されません。"),
        ("whole-error", "Segmentation fault (core dumped)"),
        ("seeds", "no"),
    ],
)
def test_what_can_be_an_answer(question: str, text: str) -> None:
    assert fits(questions()[question], text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("nvidia-smi", "banana"),
        ("nvidia-smi", "2.6.0+cpu None False"),
        ("torch-build", "| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |"),
        ("torch-build", "yes"),
        ("packages", "I have 3 of them"),
        ("variables", "banana"),
        ("whole-error", "banana"),
        ("seeds", "banana"),
    ],
)
def test_what_is_no_answer(question: str, text: str) -> None:
    assert not fits(questions()[question], text)


@pytest.mark.parametrize("mail", ["2.5.1+cpu", "Sorry, it is torch 2.5.1+cpu.", "torch.__version__ prints 2.5.1+cpu"])
@pytest.mark.parametrize("asked", [[], [Mail("desk", "What does torch.__version__ print?")]])
def test_a_later_mail_states_a_version_more_exactly(mail: str, asked: list[Mail]) -> None:
    case = case_of_thread([Mail("kim", f"{NO_GPU} I use torch 2.5.1 with an RTX 3090."), *asked, Mail("kim", mail)])
    assert case.facts.frameworks is not None
    assert case.facts.frameworks.torch is not None
    assert (case.facts.frameworks.torch.version, case.facts.frameworks.torch.build) == ("2.5.1+cpu", "cpu")
    assert case.findings[0].cause == "framework-cpu-only-build"


def test_a_later_mail_corrects_an_earlier_one() -> None:
    first = Mail("kim", f"{NO_GPU} I use torch 2.5.1 on Ubuntu 22.04.")

    def version(*mails: Mail) -> str | None:
        frameworks = case_of_thread([first, *mails]).facts.frameworks
        return frameworks.torch.version if frameworks is not None and frameworks.torch is not None else None

    assert version(Mail("kim", "Sorry, that was not right: torch 2.6.0+cu124.")) == "2.6.0+cu124"
    assert version(Mail("kim", "訂正です。torch 2.6.0でした。")) == "2.6.0"
    assert version(Mail("kim", "With torch 2.6.0 it is the same.")) is None  # both are talked about


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("torch 2.6.0", True),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", True),
        ("banana", False),
        ("I will look tomorrow.", False),
    ],
)
def test_what_is_no_answer_may_tell_something_else(text: str, wanted: bool) -> None:
    assert tells(text) is wanted
