"""What a served model is asked where its user gives no prompts."""

from checks.knowledge import Row, Table


class Prompt(Row):
    """One prompt."""

    id: str
    text: str


class ServedPromptsTable(Table):
    version: int
    prompt: tuple[Prompt, ...]
    companions: tuple[str, ...]
    prefix: str
