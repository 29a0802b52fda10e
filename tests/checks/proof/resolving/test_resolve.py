"""Remedies are resolved before they are shown, with an index of wheels made for it, and nothing is installed."""

import http.server
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from support.extent import ALL
from support.wheels import put, wheel

from checks.engine.events import Finished, Resolving
from checks.facts import Facts, MachineFacts, OsFacts, PackageChange, Resolution, ResolutionResult
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Severity
from checks.interpreters import read_interpreter
from checks.proof.resolving import resolve, resolver
from checks.proof.resolving.pip_settings import pip_settings
from checks.proof.resolving.resolve import resolved, resolving
from checks.proof.resolving.resolver import uv_program
from checks.remedies.plan import plan_remedies

UV = uv_program({"PATH": os.environ.get("PATH", "")})


@pytest.fixture(autouse=True)
def _asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that fails is not asked again; the trials of a release wait for that."""
    if not ALL:
        monkeypatch.setitem(resolver._QUIET, "UV_HTTP_RETRIES", "0")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    wheel(folder, "six", "2.0", {"six.py": "VALUE = 2"})
    wheel(folder, "regex", "3.0", {"regex.py": ""}, requires=("six>=2",))
    wheel(folder, "numpy", "9.0", {"numpy.py": ""}, tag="cp27-cp27m-win32")
    _source(folder, "protobuf", "5.0", folder / "was-run")
    return folder


def _source(shelf: Path, name: str, version: str, ran: Path) -> None:
    """A source distribution that leaves a file behind when anything of it is run."""
    folder = shelf / f"{name}-{version}"
    folder.mkdir()
    (folder / "setup.py").write_text(f"open({str(ran)!r}, 'w').close()\nimport setuptools\nsetuptools.setup()\n")
    (folder / "PKG-INFO").write_text(f"Metadata-Version: 1.0\nName: {name}\nVersion: {version}\n")
    with tarfile.open(shelf / f"{name}-{version}.tar.gz", "w:gz") as archive:
        archive.add(folder, folder.name)
    shutil.rmtree(folder)


@pytest.fixture
def variables(shelf: Path, tmp_path: Path) -> dict[str, str]:
    """Of a user whose pip has the shelf alone."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "NAOSU_"))}
    return {**kept, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PIP_CONFIG_FILE": os.devnull}


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """A user's environment, which is the same afterwards: not a file more."""
    folder = tmp_path / "my env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    put(site, "six", "1.0", {"six.py": ""})
    info = put(site, "needy", "1.0", {"needy.py": ""})
    metadata = info / "METADATA"
    metadata.write_text(metadata.read_text().replace("\n\n", "\nRequires-Dist: six<2\n\n"))
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    yield folder
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == before


def case_of(environment: Path, *findings: Finding) -> Case:
    python = str(environment / "bin/python")
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")),
        interpreters=(read_interpreter(python),),
        target=python,
        here=True,
    )
    return Case(created="", answers=Answers(), facts=facts, outcomes=(), findings=findings)


def needs(requirement: str, *remedies: str) -> Finding:
    return Finding(
        cause="dependency-version-conflict",
        severity=Severity.BLOCKING,
        confidence=0.9,
        values={"requirement": requirement, "package_name": "six"},
        remedies=remedies or ("install-required-version",),
    )


def only(case: Case, variables: Mapping[str, str]) -> Resolution:
    (resolution,) = resolved(case, variables).facts.resolutions
    return resolution


def test_what_would_change_and_what_it_would_break(environment: Path, variables: dict[str, str]) -> None:
    found = only(case_of(environment, needs("regex>=3")), variables)
    assert found.result == ResolutionResult.RESOLVED
    assert found.changes == (
        PackageChange(name="regex", version_after="3.0"),
        PackageChange(name="six", version_before="1.0", version_after="2.0"),
    )
    assert found.conflicts == ("needy 1.0: six<2 (2.0)",)
    assert found.download_bytes
    assert not found.unsized
    assert not found.is_clean
    assert found.lacks_pip
    assert read_interpreter(str(environment / "bin/python")).package("regex") is None


def test_a_folder_of_packages_is_named_from_where_the_user_stands(
    environment: Path, variables: dict[str, str], shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shelf.parent)
    case = case_of(environment, needs("six>=2"))
    (resolution,) = resolved(case, {**variables, "PIP_FIND_LINKS": f"./{shelf.name}"}).facts.resolutions
    assert resolution.result == ResolutionResult.RESOLVED
    settings = shelf.parent / "config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[global]\nfind-links =\n    /nowhere\n    ./{shelf.name}\n")
    unnamed = {name: value for name, value in variables.items() if name not in ("PIP_FIND_LINKS", "PIP_CONFIG_FILE")}
    (resolution,) = resolved(case, {**unnamed, "XDG_CONFIG_HOME": str(settings.parents[1])}).facts.resolutions
    assert resolution.result == ResolutionResult.RESOLVED


@pytest.mark.parametrize(
    ("requirement", "wanted", "said"),
    [
        ("six>=7", ResolutionResult.NO_SOLUTION, "six>=7"),
        ("numpy>=9", ResolutionResult.NO_SOLUTION, "numpy"),
        ("six<2", ResolutionResult.NOTHING_TO_DO, ""),
        ("protobuf>=5", ResolutionResult.SOURCE_ONLY, "protobuf"),
    ],
)
def test_what_does_not_resolve_is_said_and_shown_last(
    environment: Path, shelf: Path, variables: dict[str, str], requirement: str, wanted: str, said: str
) -> None:
    finding = needs(requirement, "install-required-version", "update-package")
    case = resolved(case_of(environment, finding), variables)
    found = case.facts.resolutions[0]
    assert found.result == wanted
    assert said in found.said
    first, second = plan_remedies(finding, case.facts, "en")
    assert (first.id, second.id) == ("update-package", "install-required-version")
    assert not (shelf / "was-run").exists(), "nothing of a source distribution runs"


def test_source_without_a_compiler(environment: Path, variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/uv").symlink_to(UV)
    found = only(case_of(environment, needs("protobuf")), {**variables, "PATH": str(tmp_path / "bin")})
    assert (found.result, found.reason) == (ResolutionResult.SOURCE_ONLY, "no-compiler")


@pytest.fixture
def silent_index() -> Iterator[str]:
    """An index that takes every question and answers none."""
    over = threading.Event()

    class Silent(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            over.wait(30)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    over.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_index_that_does_not_answer(
    environment: Path, variables: dict[str, str], silent_index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve, "SECONDS", 1.0)
    del variables["PIP_NO_INDEX"]
    found = only(case_of(environment, needs("regex>=3")), {**variables, "PIP_INDEX_URL": silent_index})
    assert (found.result, found.reason) == (ResolutionResult.UNREACHABLE, "slow")


@pytest.fixture
def odd_index() -> Iterator[Callable[[int, str, bytes], str]]:
    """Starts an index that answers every question in one way."""
    servers = []

    def start(status: int, kind: str, content: bytes) -> str:
        class Odd(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/simple"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "kind", "content"),
    [
        (401, "text/html", b"who are you"),
        (403, "text/html", b"no"),
        (500, "text/html", b"oh"),
        (200, "text/plain", b"hello"),
        (200, "application/vnd.pypi.simple.v1+json", b"{"),
        (200, "text/html", b"\x00\xff<a href='::'>"),
    ],
)
def test_an_index_that_answers_nothing_of_use_accuses_no_remedy(
    environment: Path,
    variables: dict[str, str],
    odd_index: Callable[[int, str, bytes], str],
    status: int,
    kind: str,
    content: bytes,
) -> None:
    del variables["PIP_NO_INDEX"]
    address = odd_index(status, kind, content)
    found = only(case_of(environment, needs("tqdm>=3")), {**variables, "PIP_INDEX_URL": address})
    assert (found.result, found.said) != (ResolutionResult.RESOLVED, "")
    assert not found.failed, found.said


def test_an_index_that_is_not_there(environment: Path, variables: dict[str, str]) -> None:
    del variables["PIP_NO_INDEX"]
    found = only(case_of(environment, needs("regex>=3")), {**variables, "PIP_INDEX_URL": "http://127.0.0.1:1/simple"})
    assert (found.result, found.reason) == (ResolutionResult.UNREACHABLE, "hindered")


@pytest.mark.parametrize(
    ("requirement", "wanted"),
    [("six>=2", True), ("six==3.0", True), ("six<2", False), ("six", False), ("six>=1.5", False), ("six~=1.5", False)],
)
def test_what_is_known_without_an_index(
    environment: Path, variables: dict[str, str], requirement: str, wanted: bool
) -> None:
    case = resolved(case_of(environment, needs(requirement)), {**variables, "NAOSU_OFFLINE": "1"})
    found = [resolution.conflicts for resolution in case.facts.resolutions]
    assert bool(found) is wanted
    if wanted:
        assert found[0][0].startswith("needy 1.0: six<2 (")


def test_without_any_resolver_it_says_so(
    environment: Path, variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uv", None)  # as where it is not installed
    found = only(case_of(environment, needs("regex>=3")), {**variables, "PATH": str(tmp_path)})
    assert (found.result, found.reason) == (ResolutionResult.NOT_RESOLVED, "no-resolver")


def test_who_is_never_asked_about(environment: Path, variables: dict[str, str]) -> None:
    """Nothing is looked up for a stranger's case, for a note, or where the user switched it off."""
    import msgspec

    case = case_of(environment, needs("regex>=3"))
    strangers = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, here=False))
    assert not resolved(strangers, variables).facts.resolutions
    note = msgspec.structs.replace(case.findings[0], severity=Severity.NOTE)
    assert not resolved(case_of(environment, note), variables).facts.resolutions
    offline = resolved(case, {**variables, "NAOSU_OFFLINE": "1"})
    assert not offline.facts.resolutions
    assert offline.facts.missing == {"resolutions": "offline"}


def test_the_events_of_an_examination(environment: Path, variables: dict[str, str]) -> None:
    case = case_of(environment, needs("regex>=3"))
    resolving_event, finished = resolving([Finished(case)], lambda: False, variables)
    assert resolving_event == Resolving(1)
    assert isinstance(finished, Finished)
    assert finished.case.facts.resolutions
    assert list(resolving([Finished(case)], lambda: True, variables)) == [Finished(case)]


def test_settings_of_pip(tmp_path: Path) -> None:
    """The order of files, sections and variables is pip's own."""
    (tmp_path / "home/.config/pip").mkdir(parents=True)
    users = (
        "[global]\nindex-url = https://a.example/simple\nextra_index_url =\n  https://b.example\n  https://c.example\n"
    )
    (tmp_path / "home/.config/pip/pip.conf").write_text(users)
    (tmp_path / "pip.conf").write_text("[install]\nno-index = true\n[global]\nindex-url = https://d.example/simple\n")
    named = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_DIRS": str(tmp_path / "none"), "PIP_NO_INDEX": "0"}
    found = pip_settings(str(tmp_path), named)
    assert found["index-url"] == "https://d.example/simple"
    assert found["extra-index-url"].split() == ["https://b.example", "https://c.example"]
    assert found["no-index"] == "0"
    assert pip_settings(str(tmp_path), {**named, "PIP_CONFIG_FILE": os.devnull}).keys() == {"no-index"}


def test_uv_is_found_by_several_threads_at_once() -> None:
    """In a process in which nothing has asked sysconfig yet: what it knows is filled in by the first who asks."""
    start = (
        "import concurrent.futures, sys, threading; sys.setswitchinterval(1e-6)\n"
        "from checks.proof.resolving.resolver import uv_program\n"
        "together = threading.Barrier(8)\n"
        "def find(_): together.wait(); return uv_program({})\n"
        "with concurrent.futures.ThreadPoolExecutor(8) as pool: print(len(set(pool.map(find, range(8)))))\n"
    )
    root = Path(__file__).parents[4]
    done = subprocess.run([sys.executable, "-c", start], cwd=root, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("1", "")


def test_a_bug_of_ours_costs_no_examination(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Case:
        raise RuntimeError("a bug")

    monkeypatch.setattr(resolve, "resolved", broken)
    case = case_of(environment, needs("six>=2"))
    (finished,) = [event for event in resolving([Finished(case)], lambda: False, {}) if isinstance(event, Finished)]
    assert finished.case is case
