"""Imported by a warm Python (warm_python.py): what Naosu's commands import and read, each once."""

import checks.engine.watch.program  # noqa: F401
import wizard.report.pdf.document  # noqa: F401 - and with it Qt
from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.sharing.redact import without_secrets
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown

case = without_secrets(judged(read_ticket(pasted("RuntimeError: CUDA error: out of memory")), Answers(symptom=TICKET)))
for language in ("en", "ja"):
    to_markdown(build(case, language))
