"""CSV as GitLab, Jira, Redmine and Zendesk export it, in the encodings of spreadsheets, and tables that are none."""

import io
import tracemalloc

import pytest

from checks.desk.sources.tables import is_table, rows_of
from checks.desk.tickets import Ticket
from checks.readers.containers.source import Damaged

TEXT = "RuntimeError: CUDA out of memory"
GITLAB = (
    "Title,Description,Issue ID,URL,State,Author,Author Username,Assignee,Created At (UTC),Labels\n"
    f'No GPU,"It fails:\n{TEXT}, again",12,https://gitlab.example/a/b/-/issues/12,Open,A,a,,2024-05-01 10:00:00,gpu\n'
)
JIRA = (
    "Summary,Issue key,Issue id,Issue Type,Status,Project name,Created,Description,Environment,Comment,Comment\n"
    f'No GPU,AI-7,10007,Bug,Open,Vision,01/May/24 1:30 PM,"{TEXT}",Ubuntu 22.04,"02/May/24;b;try this",\n'
)
REDMINE = (
    "#,プロジェクト,トラッカー,ステータス,題名,作成日,説明\n"
    f"7,画像認識,バグ,新規,GPUが使えない,2024/05/01 10:00,{TEXT}\n"
)
ZENDESK = f"Id,Subject,Requester,Created at,Description\n99,No GPU,A,2024-05-01T10:00:00Z,{TEXT}\n"


def read(text: str, encoding: str = "utf-8") -> list[Ticket]:
    return list(rows_of(io.BytesIO(text.encode(encoding)), "export.csv"))


def test_gitlab() -> None:
    (ticket,) = read(GITLAB)
    assert (ticket.number, ticket.title) == ("12", "No GPU")
    assert ticket.key == ticket.url == "https://gitlab.example/a/b/-/issues/12"
    assert ticket.text == f"It fails:\n{TEXT}, again"
    assert ticket.created == "2024-05-01T10:00:00"


def test_jira() -> None:
    (ticket,) = read(JIRA)
    assert (ticket.number, ticket.product, ticket.created) == ("AI-7", "Vision", "2024-05-01T13:30:00")
    assert ticket.text == f"{TEXT}\n\nUbuntu 22.04"  # what others commented is advice, and may name any cause


@pytest.mark.parametrize("encoding", ["cp932", "utf-8-sig", "utf-16", "utf-8"])
def test_redmine_in_japanese(encoding: str) -> None:
    head = REDMINE.encode(encoding)
    assert is_table(head, "issues.csv")
    (ticket,) = read(REDMINE, encoding)
    assert (ticket.number, ticket.title, ticket.product) == ("7", "GPUが使えない", "画像認識")
    assert ticket.text == TEXT


def test_zendesk_and_other_separators() -> None:
    for text in (ZENDESK, ZENDESK.replace(",", ";"), ZENDESK.replace(",", "\t")):
        (ticket,) = read(text)
        assert (ticket.number, ticket.title, ticket.text) == ("99", "No GPU", TEXT)


def test_a_million_columns_are_refused_early() -> None:
    wide = ",".join(f"c{number}" for number in range(1_000_000)) + "\n" + ",".join("1" for _ in range(1_000_000))
    tracemalloc.start()
    with pytest.raises(Damaged) as refused:
        read(f"title,{wide}")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.value.reason == "too-many-columns"
    assert most < 80 << 20
    with pytest.raises(Damaged) as refused:
        read("title,text\n" + "," * 1_000_000)
    assert refused.value.reason == "too-many-columns"


def test_a_quote_that_never_ends_and_a_table_without_tickets() -> None:
    with pytest.raises(Damaged) as refused:
        read('title,text\n1,"' + "x" * (9 << 20))
    assert refused.value.reason == "table-damaged"
    with pytest.raises(Damaged) as refused:
        read("name of host,price\na,1\n")
    assert refused.value.reason == "no-columns"


def test_a_log_with_commas_is_no_table() -> None:
    assert not is_table(b"Traceback, most recent call last, of title\nerror, a, b\n", "log.txt")
    assert not is_table(b"hello, world\n", "log.txt")
    assert is_table(GITLAB.encode(), "export.txt")


def test_the_column_of_the_number() -> None:
    (ticket,) = read(f"Ticket,Title,Description\nT-5,No GPU,{TEXT}\n")
    assert (ticket.number, ticket.is_number_chosen) == ("T-5", False)
    data = io.BytesIO(f"Id,Our no,Description\n7,K/12,{TEXT}\n".encode())
    (chosen,) = rows_of(data, "export.csv", number_column="our NO")
    assert (chosen.number, chosen.is_number_chosen) == ("K/12", True)
