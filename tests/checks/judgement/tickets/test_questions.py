"""The one question: which is asked, what is never asked, and when none is."""

import msgspec
import pytest

from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.judgement.tickets.dialogue import answered
from checks.judgement.tickets.questions import LEAST_GAIN, certainty, next_questions
from checks.readers.tickets.read import TICKET, pasted, read_ticket

NO_GPU = "torch.cuda.is_available() returns False. What can I do?"
SMI = """\
| NVIDIA-SMI 551.86    Driver Version: 551.86    CUDA Version: 12.4 |
|   0  NVIDIA GeForce RTX 4080        Off | 00000000:01:00.0  Off |                  N/A |
"""
NO_KERNEL = (
    "RuntimeError: CUDA error: no kernel image is available for execution on the device\nRTX 5090, torch 2.2.0+cu121"
)
ODD_NUMBERS = "I trained the network yesterday with 91 percent, today only 88. I changed nothing at all."


def case_of(text: str) -> Case:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET))


def asked(text: str) -> list[str]:
    return [one.question.id for one in next_questions(case_of(text))]


def test_of_a_gpu_that_is_not_seen_one_output_is_asked_for() -> None:
    best = next_questions(case_of(NO_GPU))[0]
    assert best.question.paste == "nvidia-smi"
    assert best.gain >= LEAST_GAIN
    assert len(best.parts) > 1


@pytest.mark.parametrize(
    "text",
    [
        ODD_NUMBERS,
        "The numbers of my model are not those that I expect.",
        "精度が昨日は91%、今日は88%です。",
    ],
)
def test_of_numbers_in_words_of_their_own_it_is_asked_what_differs_and_no_error_text(text: str) -> None:
    assert asked(text)[:1] == ["what-differs"]
    assert "whole-error" not in asked(text)


@pytest.mark.parametrize(
    "text",
    [
        "同じモデルをA100で動かすとCPUと1e-3くらい違います。allow_tf32はFalseにしています。",
        "My model gives 93.1% accuracy on my laptop but 92.4% on the server (RTX 4090, torch 2.5.1 on both).",
        "モデルの精度が論文より3%低いです。",
        "モデルの出力が全部同じ値です。",
        "The predictions of my model are always the same class.",
        "The translation model always gives the same output sentence no matter the input.",
        "結果がおかしいです。",
    ],
)
def test_of_odd_numbers_no_state_of_the_driver_is_asked_for(text: str) -> None:
    assert not {"nvidia-smi", "kernel-log", "whole-error"} & set(asked(text))


@pytest.mark.parametrize(
    "text",
    [
        "LoRAで学習したモデルをロードすると出力がでたらめになります。エラーは出ません。",
        "Since I loaded the LoRA adapter the answers are gibberish. There is no error.",
    ],
)
def test_no_error_text_is_asked_for_of_who_says_that_there_is_none(text: str) -> None:
    assert "whole-error" not in asked(text)


def test_what_stands_in_the_text_is_not_asked() -> None:
    assert "nvidia-smi" not in asked(f"{NO_GPU}\n\n{SMI}")
    assert "torch-build" not in asked(f"{NO_GPU} It says 2.6.0+cu124.")
    assert "what-differs" not in asked("Every run of my program on the same machine gives different results.")
    assert "what-differs" not in asked("The numbers of my model on the server are not those from my laptop.")
    assert "what-differs" not in asked("推論結果がPCとJetsonで違います。")
    assert "where-it-runs" not in asked(f"{NO_GPU} It runs in Docker.")
    assert "where-it-runs" not in asked(f"{NO_GPU} I start it with singularity exec.")
    assert "nvidia-smi" not in asked("The program does not use my GPU, a Radeon RX 6700 XT.")
    assert "torch-build" not in asked("tensorflow finds no GPU, tf.config.list_physical_devices() is empty")
    assert "size-of-difference" not in asked("The logprobs vary by about 5 between batch sizes.")
    assert "whole-error" not in asked("It stops with ImportError: libfoo.so.1: cannot open shared object file")


def test_nothing_is_asked_where_the_cause_is_certain() -> None:
    assert asked(NO_KERNEL) == []


def test_nothing_is_asked_of_an_examined_machine() -> None:
    case = case_of(NO_GPU)
    facts = msgspec.structs.replace(case.facts, reported=False)
    assert next_questions(msgspec.structs.replace(case, facts=facts)) == ()


def test_a_question_is_asked_once_even_of_who_does_not_know() -> None:
    case = case_of(NO_GPU)
    first = next_questions(case)[0].question.id
    assert first not in [one.question.id for one in next_questions(answered(case, first))]


def test_an_output_that_shows_nothing_leads_to_the_next_question() -> None:
    case = answered(case_of(NO_GPU), "nvidia-smi", text=SMI)
    assert next_questions(case)[0].question.id == "torch-build"


def test_of_results_that_change_seeds_are_asked_next_and_never_an_error_text() -> None:
    case = answered(case_of(ODD_NUMBERS), "what-differs", choice="runs")
    following = [one.question.id for one in next_questions(case)]
    assert following[0] in {"seeds", "training-mode"}
    assert "whole-error" not in following
    sown = answered(case, "seeds", choice="none")
    assert sown.findings[0].cause == "rng-unseeded"


def test_a_dialogue_ends() -> None:
    case = case_of(NO_GPU)
    count = 0
    while best := next(iter(next_questions(case)), None):
        choices = best.question.answer
        case = answered(case, best.question.id, choice=choices[0].id if choices else "", text="" if choices else "-")
        count += 1
        assert count < 5


def test_certainty_falls_with_the_number_of_remedies() -> None:
    assert certainty({"a": 1.0}) == 1.0
    assert certainty({"a": 0.5, "b": 0.5}) > certainty(dict.fromkeys("abcd", 0.25))
    assert certainty({}) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "My training job stops silently after a few hours, no error message. PyTorch 2.5.1, RTX 4090.",
        "The process just exits without any message.",
        "学習が途中で何も言わずに終了します。エラーは出ません。",
    ],
)
def test_a_silent_stop_is_asked_what_decides_it(text: str) -> None:
    assert asked(text)[0] == "how-it-ends"
    assert "nvidia-smi" not in asked(text)


def test_how_it_ended_is_not_asked_of_what_tells_it() -> None:
    for text in ("My script stops after an hour with exit code 137.", "The training job hangs after the first epoch."):
        assert "how-it-ends" not in asked(text)


def test_a_program_that_was_killed_wanted_memory() -> None:
    case = answered(case_of("The process just exits without any message."), "how-it-ends", choice="killed")
    assert case.findings[0].cause == "main-memory-too-small"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "When I run with manualseed=1 I always get different results. How are they made reproducible?",
            "what-differs",
        ),
        ("Running ImageNet I am not able to reproduce the results, even with a seed in main.", "what-differs"),
        ("The same GPT2 inference generates two different sequences on CPU and GPU.", "size-of-difference"),
        ("The values are a little different for the same object: ONNX and torch do not agree.", "same-inputs"),
        ("The training is finished with 100% and stops. I cannot see any error message.", "whole-error"),
        ('  File "main.py", line 30, in <module>\n    joblib.load(name)\nEOFError\nIt stops there.', "whole-error"),
        ("The model does not load, it raises an exception. My model.pkl is 870MB in size.", "file-itself"),
        ("My program does not use the GPU.\nNvidia driver version: 442.92\nGPU 0: TITAN RTX", "nvidia-smi"),
        ("It does not appear to use the GPU. I run Ollama on Arch Linux with an RTX 4090.", "packages"),
    ],
)
def test_no_question_is_asked_whose_answer_the_text_holds(text: str, question: str) -> None:
    assert question not in asked(text)


@pytest.mark.parametrize(
    "text", ["In the training process, the process is always killed.", "程序运行到这里的时候，就会被Killed掉"]
)
def test_what_was_killed_is_asked_for_memory_not_for_the_gpu(text: str) -> None:
    assert set(asked(text)[:2]) <= {"kernel-log", "main-memory", "whole-error"}
