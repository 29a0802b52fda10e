"""Files: whole or not at all, opened by content, and nothing leaks into them."""

import errno
import io
import json
import os
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pypdf import PdfReader

from checks.facts import Facts, InterpreterFacts
from checks.facts.case import Case
from checks.readers.private.hiding import Own
from checks.remedies.plan import plan_remedies
from checks.sharing.case import FORMAT, CaseError
from checks.sharing.files import write_whole
from checks.sharing.redact import redact
from wizard.report.content.report import build
from wizard.report.export import KINDS, ExportError, check_writable, default_paper, export, hidden_words, render
from wizard.report.open import SIZE_LIMIT, open_case, sentence_of
from wizard.report.pdf.file import ATTACHMENT
from wizard.report.prints.json_report import to_json
from wizard.report.prints.terminal import to_terminal
from wizard.words import area

pytestmark = pytest.mark.usefixtures("qapp")


NAMES = ("report", "report.txt", "レポート.pdf", "report.json")


@pytest.mark.parametrize("name", NAMES)
def test_opened_by_content(case: Case, tmp_path: Path, name: str) -> None:
    export(case, tmp_path / name, "json", "en", hide=None)
    assert open_case(tmp_path / name).facts == case.facts


def test_a_pdf_is_opened_by_content(case: Case, tmp_path: Path) -> None:
    export(case, tmp_path / "レポート.pdf", "pdf", "en", hide=None)
    for name in NAMES:
        write_whole(tmp_path / name, (tmp_path / "レポート.pdf").read_bytes())
        assert open_case(tmp_path / name).facts == case.facts


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_as_powershell_saves_it(case: Case, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "case.json"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path.write_bytes((mark + to_json(case, "ja").decode()).encode(encoding))
    assert open_case(path).facts == case.facts


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "case-not-ours", id="empty"),
        pytest.param(b"RuntimeError: CUDA error", "case-not-ours", id="a-log"),
        pytest.param(b"\x7fELF\x00", "case-not-ours", id="binary"),
        pytest.param(b'{"other": 1}', "case-not-ours", id="other-json"),
        pytest.param(b'{"format": 1, "facts": {"mach', "case-damaged", id="cut-off"),
        pytest.param(b'{"format": 1, "facts": {"machine": 5}}', "case-unreadable", id="wrong-types"),
        pytest.param(b'{"format": 99, "facts": {"machine": 5}}', "case-too-new", id="too-new"),
        pytest.param(b'{"a":' * 100_000, "case-damaged", id="deep"),
        pytest.param(b"%PDF-1.7 nothing", "pdf-damaged", id="damaged-pdf"),
    ],
)
def test_what_cannot_be_opened(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(CaseError) as raised:
        open_case(path)
    assert raised.value.reason == reason
    for language in ("en", "ja"):
        assert sentence_of(raised.value, language)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="file-missing"):
        open_case(tmp_path / "none")
    for path in (tmp_path, Path("a\x00b")):
        with pytest.raises(CaseError, match="file-unreadable"):
            open_case(path)


def test_far_too_large(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with open(path, "wb") as file:
        file.truncate(SIZE_LIMIT + 1)
    with pytest.raises(CaseError, match="file-too-large"):
        open_case(path)


def test_what_is_encoded_anew_may_be_less_large(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.report.open.PACKED_LIMIT", 100)
    export(case, tmp_path / "a.json", "json", "en", hide=None)
    assert open_case(tmp_path / "a.json").facts == case.facts
    (tmp_path / "b.json").write_bytes((tmp_path / "a.json").read_bytes().decode().encode("utf-16"))
    export(case, tmp_path / "c.pdf", "pdf", "en", hide=None)
    for name in ("b.json", "c.pdf"):
        with pytest.raises(CaseError, match="file-too-large"):
            open_case(tmp_path / name)


def test_a_newer_case_opens_as_far_as_it_is_understood(case: Case, tmp_path: Path) -> None:
    plain = json.loads(to_json(case, "en"))
    plain |= {"format": FORMAT + 1, "naosu": "9.9", "something_new": 1}
    path = tmp_path / "new.json"
    path.write_text(json.dumps(plain))
    opened = open_case(path)
    assert opened.newer
    assert opened.facts == case.facts
    assert "newer" in build(opened, "en").notes[0]


def failing(number: int) -> Callable[..., None]:
    def write(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return write


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EACCES, "not-writable"),
        (errno.EROFS, "not-writable"),
        (errno.ENOENT, "folder-missing"),
        (errno.EIO, "failed"),
    ],
)
def test_one_sentence_and_the_old_file(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    path = tmp_path / "old.json"
    path.write_bytes(b"old")
    monkeypatch.setattr("checks.sharing.files.os.fsync", failing(number))
    with pytest.raises(ExportError) as raised:
        export(case, path, "json", "en")
    assert raised.value.reason == reason
    assert str(path) in raised.value.sentence("ja")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "is-a-folder"), (tmp_path / "none" / "x.pdf", "folder-missing")):
        with pytest.raises(ExportError, match=reason):
            check_writable(path)
    left = tmp_path / ".naosu-0123456789abcdef.part"
    left.write_bytes(b"of a run that was killed")
    check_writable(tmp_path / "x.pdf")
    assert not left.exists()


def test_a_really_full_disk(case: Case) -> None:
    with pytest.raises(ExportError, match="disk-full"):
        export(case, Path("/dev/full"), "json", "en")
    assert not Path("/dev/full").is_file()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        *(("en_US.UTF-8", "letter"), ("en_CA.ISO8859-1", "letter"), ("ja_JP.UTF-8", "a4"), ("de_DE.UTF-8@euro", "a4")),
        *(
            ("English_United States.1252", "letter"),
            ("English_United Kingdom.utf8", "a4"),
            ("Japanese_Japan.932", "a4"),
        ),
        *(("C.UTF-8", "a4"), ("C", "a4"), ("en", "a4")),
    ],
)
def test_paper_of_the_country(monkeypatch: pytest.MonkeyPatch, name: str, paper: str) -> None:
    monkeypatch.setattr("locale.setlocale", lambda category: name)
    assert default_paper() == paper


def test_every_reason_has_its_sentence() -> None:
    assert {key for key in area("errors") if key.startswith("export-")} >= {
        "export-disk-full",
        "export-failed",
        "export-folder-missing",
        "export-is-a-folder",
        "export-no-font",
        "export-no-japanese-font",
        "export-not-writable",
    }


# --- leaks -----------------------------------------------------------------------------------------------------------

CANARIES = {
    "user": "canarina",
    "host": "canaryhost-77",
    "email": "canary.bird@example.org",
    "ip": "203.0.113.77",
    "mac": "02:ca:na:ry:00:01".replace("na", "aa").replace("ry", "bb"),
    "uuid": "5ca1ab1e-0000-4000-8000-00000000cafe",
    "token": "hf_CanaryCanaryCanary1234",
    "password": "canarypass77",
}
PLANTED = f"""{CANARIES["user"]}@{CANARIES["host"]}:~$ python /home/{CANARIES["user"]}/x.py
C:\\Users\\{CANARIES["user"].upper()}\\x C:\\Users\\CANARI~1\\y {CANARIES["host"].upper()}
mail {CANARIES["email"]}, peer {CANARIES["ip"]}, ether {CANARIES["mac"]}, GPU-{CANARIES["uuid"]}
HF_TOKEN={CANARIES["token"]} password={CANARIES["password"]}
/Users/{unicodedata.normalize("NFD", "cánaria")}/x {unicodedata.normalize("NFC", "cánaria")}
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_leaks(make_case: Callable[..., Case], kind: str, language: str) -> None:
    case = make_case(log=PLANTED)
    data = render(case, kind, language)
    texts = [data.decode("utf-8", errors="replace")]
    if kind == "pdf":
        reader = PdfReader(io.BytesIO(data))
        texts += [reader.attachments[ATTACHMENT][0].decode(), str(reader.metadata), str(reader.xmp_metadata)]
        texts += [subprocess.run(["pdftotext", "-", "-"], input=data, capture_output=True, check=True).stdout.decode()]
    for text in texts:
        plain = unicodedata.normalize("NFC", text).casefold()
        for name, canary in CANARIES.items():
            assert canary.casefold() not in plain, name
        for other in ("canari~1", "cánaria", "alice", "5f3c1d2e"):
            assert other not in plain, other
    if kind == "reply":  # holds the cause and the remedy alone
        return
    shown = texts[-1] if kind == "pdf" else texts[0]
    assert "user-3" in shown  # alice, canarina, cánaria


def test_unless_the_user_wants_it(make_case: Callable[..., Case]) -> None:
    assert CANARIES["user"] in render(make_case(log=PLANTED), "json", "en", hide=None).decode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("redact", [True, False])
def test_paths_that_are_no_unicode(make_case: Callable[..., Case], tmp_path: Path, kind: str, redact: bool) -> None:
    python = "/opt/\udce9t\udcff/bin/python"  # bytes E9 and FF, as os.fsdecode gives them
    known = Facts(interpreters=(InterpreterFacts(path=python),), target=python)
    path = tmp_path / "x"
    export(make_case(only=known), path, kind, "en", hide=() if redact else None)
    if kind in ("json", "pdf"):
        assert open_case(path).facts.target == "/opt/\ufffdt\ufffd/bin/python"


def test_the_commands_stay_usable(case: Case) -> None:
    remedies = ("make-virtual-environment",)
    asked = msgspec.structs.replace(case.findings[0], remedies=remedies)
    (plan,) = plan_remedies(asked, redact(case, Own()).case.facts, "en")
    assert plan.steps[0].code == "~/'My Project/venv/bin/python' -m venv .venv"


def test_what_was_hidden_is_counted(case: Case, tmp_path: Path) -> None:
    hidden = export(case, tmp_path / "x.json", "json", "en")
    assert hidden["user"] >= 1
    assert hidden["uuid"] == 1
    assert hidden["secret"] == 1
    assert export(case, tmp_path / "y.json", "json", "en", hide=None) == {}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_terminal_obeys_nothing_from_outside(make_case: Callable[..., Case], language: str) -> None:
    case = make_case(driver="470.1\x1b]0;evil\x07")
    text = to_terminal(build(case, language))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert build(case, language).verdict.sentence.split("\x1b")[0] in text


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_hidden_in_words(language: str) -> None:
    kinds = ("user", "host", "email", "ip", "mac", "uuid", "serial", "secret", "group")
    text = hidden_words(dict.fromkeys(kinds, 3), language)
    assert text.count("3") == len(kinds)
    assert hidden_words({}, language) == ""
