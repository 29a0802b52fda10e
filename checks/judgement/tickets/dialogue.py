"""The dialogue about a ticket: an answer becomes a fact, and the ticket is judged again. The last one can be undone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from checks.facts import AskedQuestion, Facts, SentFile
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.judgement.tickets.questions import is_told
from checks.knowledge.tickets.questions import TicketQuestion, pattern, questions
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.read import ANSWER, TICKET, pasted, read_ticket
from checks.readers.tickets.reported import facts_of_text
from checks.readers.tickets.threads import Mail
from checks.readers.tickets.wording.signatures import hits

_LETTER = re.compile(r"\W{0,2}([a-d1-4])\W{0,2}(?:\s|$)", re.IGNORECASE)
_CURED = re.compile(
    r"\b(?:(?:that|this|it) (?:was (?:it|the (?:issue|problem|cause))|(?:has )?(?:solved|fixed|helped)"
    r"|(?:now )?works(?: now)?)"
    r"|(?:solved|fixed) (?:it|my|the)|works (?:now|again|fine))\b|解決しました|直りました|解决了",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\W{0,3}(?:yes|yep|yeah|yup|correct|right|it does|it is|はい|是的?|对)\b|\W{0,3}(?:はい|是的|对)", re.IGNORECASE
)
_NO = re.compile(
    r"\W{0,3}(?:no|nope|not|it does ?n[o']t|it is ?n[o']t|negative)\b|\W{0,3}(?:いいえ|いえ|不是|没有|否)",
    re.IGNORECASE,
)


# How somebody says that what they wrote before is not so.
_CORRECTED = re.compile(
    r"\b(?:sorry|apologies|correct(?:ion|ing)|mistake|my bad|mistyped|typo|i meant|i was wrong|actually)\b"
    r"|\bnot v?\d+\.\d|訂正|間違え|間違って|誤りで|正しくは|更正|说错|写错|搞错",
    re.IGNORECASE,
)
# What a shell says where a program is not there, and what people write of one that prints nothing.
_NOTHING = re.compile(
    r"\W*(?:(?:it )?(?:prints |shows |says |gives )?(?:nothing|no output|empty)(?: at all)?|blank"
    r"|何も(?:表示され|出)ません|何も出ない|なし|空(?:です)?|没有(?:任何)?输出|空的?)\W*$",
    re.IGNORECASE,
)
_NO_PROGRAM = re.compile(
    r"command not found|not recognized as (?:an internal|the name)|no such file or directory|permission denied"
    r"|コマンドが見つかりません|認識されていません|未找到命令|不是内部或外部命令",
    re.IGNORECASE,
)


def fits(question: TicketQuestion, text: str) -> bool:
    """Whether a text can be an answer: one of the choices, or what the program prints that was to be run."""
    if not question.paste:
        return bool(choice_in(question, text))
    if _NOTHING.match(text) or _NO_PROGRAM.search(text):
        return True
    return bool(pattern(question.prints).search(text)) or is_told(question, facts_of_text(text), text)


def tells(text: str) -> bool:
    """Whether a text says anything that a ticket is judged by: a fact, or a line that a cause is known by.

    Who is asked one thing often sends another, which counts as well.
    """
    facts = facts_of_text(text)
    return facts != facts_of_text("") or bool(hits(lines_of(text), (facts,)))


def answered(case: Case, question: str, *, choice: str = "", text: str = "") -> Case:
    """The case once a question has been answered: by a choice, by what was pasted, or, with neither, by nobody.

    Raises:
        KeyError: there is no such question, or no such answer of it.
    """
    known = questions()[question]
    if choice and known.choice(choice) is None:
        raise KeyError(choice)
    facts = case.facts
    is_pasted = bool(text.strip()) and not choice
    asked = AskedQuestion(origin=ANSWER, question=question, choice=choice, is_pasted=is_pasted)
    logs = (_answer(known, text), *facts.logs) if is_pasted else facts.logs
    return _again(case, logs, (*facts.asked, asked))


def case_of_thread(mails: Sequence[Mail]) -> Case:
    """The case of a thread, whose first author has the trouble.

    What others wrote is read as questions alone: a supporter who supposes a cause has not seen it. What the customer
    writes next answers the questions that were asked before it.
    """
    customer = mails[0].author
    texts: list[str] = []
    answers: list[SentFile] = []
    asked: list[AskedQuestion] = []
    open_ones: list[TicketQuestion] = []
    for mail in mails:
        if mail.author != customer:
            known = {one.question for one in asked} | {question.id for question in open_ones}
            open_ones += [question for question in questions_in(mail.text) if question.id not in known]
            continue
        found = [_told(question, mail.text) for question in open_ones]
        pasted_for = next((one.question for one in found if one.is_pasted), "")
        asked += found
        open_ones = []
        if pasted_for:
            answers.insert(0, _answer(questions()[pasted_for], mail.text))
        elif _corrects(mail.text, texts):
            answers.insert(0, _sent(mail.text))
        else:
            texts.append(mail.text)
    whole = pasted("\n\n".join(texts))  # what a mail leaves open, another one may have told
    return judged(read_ticket(*answers, whole, asked=tuple(asked)), Answers(symptom=TICKET))


def questions_in(text: str) -> list[TicketQuestion]:
    """The questions of the table that a supporter asks in a mail, in our words or in their own."""
    plain = " ".join(text.split())
    return [
        question
        for question in questions().values()
        if question.en in plain or question.ja in plain or (question.asked and pattern(question.asked).search(plain))
    ]


def _told(question: TicketQuestion, mail: str) -> AskedQuestion:
    """What a mail answers to a question; of an output whether it can be in there."""
    choice = choice_in(question, mail) or (question.cured if _CURED.search(mail) else "")
    is_pasted = bool(question.paste) and is_told(question, facts_of_text(mail), mail)
    return AskedQuestion(origin=ANSWER, question=question.id, choice=choice, is_pasted=is_pasted)


def _corrects(mail: str, texts: Sequence[str]) -> bool:
    """Whether a mail says that a version was wrong which an earlier one names, so that both together state none."""
    if not _CORRECTED.search(mail):
        return False
    whole = _versions(facts_of_text("\n\n".join((*texts, mail))))
    return any(whole.get(name) != version for name, version in _versions(facts_of_text(mail)).items())


def _versions(facts: Facts) -> dict[str, str | None]:
    """The versions of frameworks, of other packages and of the driver that a text states."""
    versions = {name: framework.version for name, framework in (facts.frameworks.each() if facts.frameworks else ())}
    for interpreter in facts.interpreters or ():
        versions |= {"python": interpreter.version} if interpreter.version else {}
        versions |= {f"package {package.name}": package.version for package in interpreter.packages or ()}
    nvidia = facts.machine.nvidia if facts.machine else None
    return versions | ({"driver": nvidia.driver_version} if nvidia and nvidia.driver_version else {})


def unanswered(case: Case) -> Case:
    """The case without the last answer; the same where nothing was asked."""
    if not case.facts.asked:
        return case
    *before, last = case.facts.asked
    logs = list(case.facts.logs)
    if last.is_pasted:
        given = next((log for log in logs if log.kind == ANSWER and log.origin == last.question), None)
        logs = [log for log in logs if log is not given]
    return _again(case, logs, before)


def _again(case: Case, logs: Sequence[SentFile], asked: Sequence[AskedQuestion]) -> Case:
    facts: Facts = read_ticket(*logs, asked=tuple(asked))
    return judged(facts, case.answers, created=case.created, complete=case.complete)


def _answer(question: TicketQuestion, text: str) -> SentFile:
    return _sent(text, name=question.paste, origin=question.id)


def _sent(text: str, *, name: str = "", origin: str = "") -> SentFile:
    size = len(text.encode("utf-8", "replace"))
    return SentFile(name=name, kind=ANSWER, origin=origin, size=size, text=text, examined=True)


def choice_in(question: TicketQuestion, text: str) -> str:
    """Which answer a text gives to a question with choices: its letter or number, its words, a yes or no; "" = none."""
    said = text.strip()
    if not said or not question.answer:
        return ""
    letter = _LETTER.match(said)
    if letter is not None and (len(said) <= 3 or said[letter.end(1) : letter.end(1) + 1] in ").:"):
        place = "abcd".find(letter[1].lower()) if letter[1].isalpha() else int(letter[1]) - 1
        if place < len(question.answer):
            return question.answer[place].id
    plain = said.casefold()
    worded = [one.id for one in question.answer if any(_stands(words, plain) for words in (one.en, one.ja))]
    if len(worded) == 1:
        return worded[0]
    named = [one.id for one in question.answer if one.is_in(said)]
    if len(named) == 1:
        return named[0]
    ids = {one.id for one in question.answer}
    for wording, likely in (
        (_YES, ("yes", "all", "same", "here", "true")),
        (_NO, ("no", "none", "different", "false")),
    ):
        if wording.match(said):
            return next((name for name in likely if name in ids), "")
    return ""


def _stands(words: str, text: str) -> bool:
    wanted = words.casefold()
    return wanted == text or (len(wanted) > 6 and wanted in text)
