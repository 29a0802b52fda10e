"""Imported by a warm Python (warm_python.py): what Naosu's commands import and read, each once."""

from pathlib import Path

import checks.engine.examination
import checks.engine.watch.program
import checks.proof.resolving.resolve
import checks.readers.models  # noqa: F401
import wizard.cli.command_line
import wizard.report.pdf.document  # noqa: F401 - and with it Qt
from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.knowledge.vocabulary import vocabulary
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.sharing.case import decode
from checks.sharing.redact import redact, without_secrets
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal

ticket = judged(read_ticket(pasted("RuntimeError: CUDA error: out of memory")), Answers(symptom=TICKET))
machine = decode((Path(__file__).parents[1] / "cases" / "rtx-5090-cu121.json").read_bytes())
for case, language in ((ticket, "en"), (machine, "ja")):
    without_secrets(case)
    report = build(redact(case).case, language)
    to_markdown(report)
    to_terminal(report)
vocabulary()
