"""What must not leave the machine does not, in any spelling; what a reader needs stays."""

import re
import unicodedata
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.walk import for_each

from checks.facts import (
    AmdFacts,
    DeviceNode,
    EnvironmentVariables,
    Facts,
    InterpreterFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    Package,
    SentFile,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Evidence, Finding, Severity
from checks.judgement.judge import judged
from checks.knowledge.phrases import phrase
from checks.readers.private.hiding import DROPPED, Own, Redaction, learned
from checks.sharing.case import decode
from checks.sharing.redact import Redacted, redact

NOBODY = Own()


def case(text: str = "", **facts: object) -> Case:
    logs = (SentFile(name="log.txt", kind="log", text=text),) if text else ()
    return judged(Facts(logs=logs, **facts), Answers())  # type: ignore[arg-type]


def hidden(text: str, own: Own = NOBODY, **facts: object) -> str:
    result = redact(case(text, **facts), own)
    return result.case.facts.logs[0].text or ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("File /home/alice/x.py, by Alice", "File /home/<user-1>/x.py, by <user-1>", id="linux"),
        pytest.param("/Users/alice/x ALICE", "/Users/<user-1>/x <user-1>", id="macos-both-cases"),
        pytest.param(r"C:\Users\alice\x alice", r"C:\Users\<user-1>\x <user-1>", id="windows"),
        pytest.param(r"c:\\Users\\alice\\x", r"c:\\Users\\<user-1>\\x", id="escaped-backslashes"),
        pytest.param("C:/Users/alice", "C:/Users/<user-1>", id="forward-slashes"),
        pytest.param("/mnt/c/Users/alice/x", "/mnt/c/Users/<user-1>/x", id="wsl"),
        pytest.param(r"\\wsl$\Ubuntu\home\alice\x", r"\\wsl$\Ubuntu\home\<user-1>\x", id="wsl-from-windows"),
        pytest.param("file:///home/alice/x", "file:///home/<user-1>/x", id="url"),
        pytest.param(r"C:\Users\John Doe\x; John Doe", r"C:\Users\<user-1>\x; <user-1>", id="space"),
        pytest.param(r"C:\Users\johnathan\x C:\Users\JOHNAT~1\y", r"C:\Users\<user-1>\x C:\Users\<user-1>\y", id="8.3"),
        pytest.param(r"C:\Users\alice\x CORP\alice", r"C:\Users\<user-1>\x <host-1>\<user-1>", id="domain"),
        pytest.param("USER=alice\nhello alice", "USER=<user-1>\nhello <user-1>", id="variable"),
        pytest.param(
            "connect user=alice host=bigbox.example.com", "connect user=<user-1> host=<host-1>", id="key-and-value"
        ),
        pytest.param("uid=1000(alice) gid=1000(alice)", "uid=1000(<user-1>) gid=1000(<user-1>)", id="id"),
        pytest.param(r"D:\Profiles\alice\x alice", r"D:\Profiles\<user-1>\x <user-1>", id="profiles"),
        pytest.param("sudo: alice : TTY=pts/0 ; alice", "sudo: <user-1> : TTY=pts/0 ; <user-1>", id="sudo"),
        pytest.param("user 'alice' is unknown: alice", "user '<user-1>' is unknown: <user-1>", id="user-in-quotes"),
        pytest.param("Connection to gpu-a3 closed.", "Connection to <host-1> closed.", id="end-of-ssh"),
        pytest.param("mount: nas-7:/vol/ml on /mnt/ml", "mount: <host-1>:/vol/ml on /mnt/ml", id="nfs"),
        pytest.param('api-key="xyzzy plugh 42"', 'api-key="<secret-1>"', id="key-with-spaces"),
        pytest.param(f"SHA256:{'uNi' * 8} t@w-14", f"SHA256:{'uNi' * 8} <secret-1>", id="ssh-key"),
        pytest.param("/home/alice/a /home/bob/b", "/home/<user-1>/a /home/<user-2>/b", id="two-people"),
        pytest.param("/home/alice/x aliceさん alice_2", "/home/<user-1>/x <user-1>さん <user-1>_2", id="in-japanese"),
        pytest.param("場所は/home/aliceです。alice", "場所は/home/<user-1>です。<user-1>", id="path-in-japanese"),
        pytest.param("パスはC:\\Users\\太郎\\xです", "パスはC:\\Users\\<user-1>\\xです", id="japanese-on-windows"),
        pytest.param("python x.py 2>/home/alice/log", "python x.py 2>/home/<user-1>/log", id="redirection"),
        pytest.param("/home/太郎/x 太郎さん", "/home/<user-1>/x <user-1>さん", id="japanese"),
        pytest.param("file:///C:/Users/Jos%C3%A9/x", "file:///C:/Users/<user-1>/x", id="percent-encoded"),
        pytest.param("alice@desk-01:~/x$ ls\ndesk-01", "<user-1>@<host-1>:~/x$ ls\n<host-1>", id="prompt"),
        pytest.param("[alice@desk-01 ~]$ ls", "[<user-1>@<host-1> ~]$ ls", id="prompt-of-fedora"),
        pytest.param("Linux desk-01 6.8.0-48-generic", "Linux <host-1> 6.8.0-48-generic", id="uname"),
        pytest.param("desk-01:123:123 [0] NCCL INFO", "<host-1>:123:123 [0] NCCL INFO", id="nccl"),
        pytest.param("Nov  2 10:00:00 desk-01 kernel: x", "Nov  2 10:00:00 <host-1> kernel: x", id="syslog"),
        pytest.param("> Computer:      bigbox\nUser: N/A", "> Computer:      <host-1>\nUser: N/A", id="event-viewer"),
        pytest.param("コンピューター:       bigbox", "コンピューター:       <host-1>", id="event-viewer-japanese"),
        pytest.param("<Computer>bigbox</Computer>", "<Computer><host-1></Computer>", id="event-xml"),
        pytest.param("on DESKTOP-AB12CD3 now", "on <host-1> now", id="windows-default-name"),
        pytest.param("Alices-MacBook-Pro.local", "<host-1>", id="mac"),
        pytest.param("gpu7.corp.example.internal", "<host-1>", id="internal-name"),
        pytest.param("peer 192.168.1.20:8080", "peer <ip-1>:8080", id="ipv4"),
        pytest.param("peer 93.184.216.34 answered", "peer <ip-1> answered", id="ipv4-public"),
        pytest.param("inet6 fe80::1ff:fe23:4567:890a", "inet6 <ip-1>", id="ipv6"),
        pytest.param("ether 00:1a:2b:3c:4d:5e", "ether <mac-1>", id="mac-address"),
        pytest.param("write to a.b+c@example.co.jp!", "write to <email-1>!", id="email"),
        pytest.param("Serial Number : 1560221000123", "Serial Number : <serial-1>", id="serial"),
        pytest.param(r"PCI\VEN_10DE&DEV_2684\4&2D78AB8F&0&0008", r"PCI\VEN_10DE&DEV_2684\<serial-1>", id="pnp"),
        pytest.param("HF_TOKEN=hf_abcdefghijklmnopqrst", "HF_TOKEN=<secret-1>", id="hugging-face"),
        pytest.param("key sk-proj-abcdefghijklmnop1234", "key <secret-1>", id="openai"),
        pytest.param("AKIAIOSFODNN7EXAMPLE", "<secret-1>", id="aws"),
        pytest.param("Authorization: Bearer abc.def.ghi", "Authorization: Bearer <secret-1>", id="bearer"),
        pytest.param("https://bob:pw123@host.io/x", "https://<secret-1>@host.io/x", id="url-credentials"),
        pytest.param("https://ghtoken1234567890@host.io/x", "https://<secret-1>@host.io/x", id="url-token"),
        pytest.param('"api_key": "abcd1234"', '"api_key": "<secret-1>"', id="json-key"),
        pytest.param("password = hunter2!", "password = <secret-1>", id="password"),
        pytest.param("x?sig=abc123&y=1", "x?sig=<secret-1>&y=1", id="signed-url"),
        pytest.param("鍵はhf_abcdefghijklmnopqrstです", "鍵は<secret-1>です", id="key-in-japanese"),
        pytest.param(
            "expecting library version 8.5.1.7 got 8.6.1.6, please rebuild",
            "expecting library version 8.5.1.7 got 8.6.1.6, please rebuild",
            id="versions-of-tensorrt",
        ),
        pytest.param("IPは192.168.1.2です。a@b.jpへ", "IPは<ip-1>です。<email-1>へ", id="addresses-in-japanese"),
        pytest.param("パスワード:himitsu1", "パスワード:<secret-1>", id="password-in-japanese"),
        pytest.param("/nfs/home/alice/x alice", "/nfs/home/<user-1>/x <user-1>", id="mounted-home"),
        pytest.param("/mnt/beegfs/home/alice/x", "/mnt/beegfs/home/<user-1>/x", id="parallel-file-system"),
        pytest.param("/run/media/alice/USB/x", "/run/media/<user-1>/USB/x", id="drive"),
        pytest.param("file://localhost/Users/alice", "file://localhost/Users/<user-1>", id="url-with-host"),
        pytest.param("SLURM_JOB_USER=alice", "SLURM_JOB_USER=<user-1>", id="slurm"),
        pytest.param("MASTER_ADDR=node17 node17", "MASTER_ADDR=<host-1> <host-1>", id="distributed"),
        pytest.param("$ ssh -p 22 alice@gpu7 ls", "$ ssh -p 22 <user-1>@<host-1> ls", id="login"),
        pytest.param("-rw-r--r-- 1 alice users 5 x", "-rw-r--r-- 1 <user-1> users 5 x", id="ls"),
        pytest.param(r"\\?\UNC\files01\share", r"\\?\UNC\<host-1>\share", id="long-network-path"),
        pytest.param(r"AzureAD\AliceSmith", r"<host-1>\<user-1>", id="azure"),
        pytest.param("S/N: ABC12345", "S/N: <serial-1>", id="serial-in-short"),
        pytest.param("https://c.org/t/tk-12-ab-34/main", "https://c.org/t/<secret-1>/main", id="conda-token"),
        pytest.param("https://bob:p@ss@host.io/x", "https://<secret-1>@host.io/x", id="at-in-a-password"),
        pytest.param("curl -u bob:pw12 https://x.io", "curl -u <secret-1> https://x.io", id="curl"),
        pytest.param("Authorization: token abcdef1", "Authorization: token <secret-1>", id="token-header"),
        pytest.param("Cookie: a=1; session=2", "Cookie: <secret-1>", id="cookie"),
        pytest.param("DB_PASS=hunter2", "DB_PASS=<secret-1>", id="pass"),
        pytest.param("api key 0123456789abcdef0123", "api key <secret-1>", id="key-in-words"),
        pytest.param("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "<secret-1>", id="pem"),
    ],
)  # fmt: skip
def test_hides(text: str, shown: str) -> None:
    assert hidden(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "nvidia-cudnn-cu12==9.1.0.70",
        "nvidia-cublas-cu12      12.4.5.8",
        "driver 535.104.05, Windows 10.0.26100",
        "listening on 127.0.0.1:8000 and ::1, bound to 0.0.0.0",
        "0000:01:00.0 VGA compatible controller, 10de:2b85",
        "12:30:45 c10::Error at std::vector, at::native::add",
        "eos_token: </s>, tokenizer: fast, max_tokens=512",
        "git+https://github.com/x/y.git@v1.0",
        "/opt/conda/lib/python3.11/site-packages/torch/home.py",
        r"C:\Users\Public\model.onnx",
        "https://api.github.com/users/list and https://example.org/a/home/index.html",
        "/usr/share/home/x /opt/site/users/list",
        "docker run -u 1000:1000 image; BYPASS=yes",
        "Date: 10/t/12/x",
        "@torch.no_grad()",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_keeps_what_a_reader_needs(text: str) -> None:
    assert hidden(text) == text


@pytest.mark.parametrize("name", ["580", "12.4", "2.6.0", "x86_64", "sm_90", "cu126", "nvidia-smi", "libcudart.so.12"])
def test_a_home_named_like_a_fact_hides_no_fact(name: str) -> None:
    fact = f"driver {name}.95.05, {name} was found"
    assert hidden(f"File /home/{name}/x.py\n{fact}") == f"File /home/<user-1>/x.py\n{fact}"


def test_names_and_keys_are_hidden_where_words_of_ours_are_expected() -> None:
    """An installer, the name of a variable, and a variable whose name alone tells that its value is a secret."""
    token = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345"
    package = Package(name="tanakaq-tools", version="1", installer="tanakaq")
    python = InterpreterFacts(path="/home/tanakaq/env/bin/python", packages=(package,))
    values = {token: "1", "TANAKAQ_HOME": "/x", "DB_PASSWORD": "wisteria"}
    case = judged(Facts(interpreters=(python,), environment=EnvironmentVariables(values=values)), Answers())
    shown = msgspec.json.encode(redact(case, NOBODY).case).decode().casefold()
    assert [word for word in ("tanakaq", token.casefold(), "wisteria") if word in shown] == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_both_unicode_forms_are_one_person(form: str) -> None:
    text = f"/Users/{unicodedata.normalize('NFC', 'josé')}/a {unicodedata.normalize(form, 'José')}"  # type: ignore[arg-type]
    assert hidden(text) == "/Users/<user-1>/a <user-1>"


def test_a_secret_that_was_told_once_is_hidden_wherever_it_stands() -> None:
    text = "export DB_PASSWORD=Kelp-Forest9\n./deploy.sh prod Kelp-Forest9\nKelp-Forest91 is another"
    shown = "export DB_PASSWORD=<secret-1>\n./deploy.sh prod <secret-1>\nKelp-Forest91 is another"
    assert hidden(text) == shown


def test_the_own_home_stays_usable() -> None:
    interpreter = InterpreterFacts(
        path="/home/alice/venv/bin/python", packages=(Package(name="torch", version="2.6.0"),)
    )
    result = redact(
        case("by alice in /home/alice/x, not /home/bob/x", interpreters=(interpreter,), target=interpreter.path), NOBODY
    )
    assert result.case.facts.target == "~/venv/bin/python"
    assert result.case.facts.target_interpreter is not None
    assert result.case.facts.logs[0].text == "by <user-1> in ~/x, not /home/<user-2>/x"
    assert result.replaced == {"user": 2}


def test_names_of_this_machine_are_hidden_without_a_path() -> None:
    own = Own(user="alice", home="/home/alice", host="desk-01")
    assert hidden("alice at Desk-01 in /home/alice", own) == "<user-1> at <host-1> in ~"


def test_an_account_named_like_a_word_hides_only_in_paths() -> None:
    own = Own(user="nvidia", home="/home/nvidia", host="ubuntu")
    assert hidden("nvidia driver in /home/nvidia/x on ubuntu", own) == "nvidia driver in ~/x on ubuntu"


def test_one_gpu_is_one_gpu_in_whole_and_shortened_form() -> None:
    uuid = "GPU-5f3c1d2e-1111-2222-3333-444455556666"
    nvidia = NvidiaFacts(devices=(NvidiaGpu(index=0, uuid=uuid),))
    environment = EnvironmentVariables(values={"CUDA_VISIBLE_DEVICES": "GPU-5f3c1d2e"})
    result = redact(case(machine=MachineFacts(nvidia=nvidia), environment=environment), NOBODY).case.facts
    assert result.machine is not None
    assert result.machine.nvidia == NvidiaFacts(devices=(NvidiaGpu(index=0, uuid="GPU-<uuid-1>"),))
    assert result.environment == EnvironmentVariables(values={"CUDA_VISIBLE_DEVICES": "GPU-<uuid-1>"})


def test_groups_pass_by_an_allow_list() -> None:
    machine = MachineFacts(os=OsFacts(groups=("video", "user", "acme-labs")))
    result = redact(case(machine=machine), NOBODY).case.facts
    assert result.machine == MachineFacts(os=OsFacts(groups=("video", "user", "<group-1>")))


def test_the_group_of_a_device_is_a_group_wherever_it_is_named() -> None:
    node = DeviceNode(path="/dev/kfd", readable=False, group="acme-labs")
    machine = MachineFacts(amd=AmdFacts(device_nodes=(node,)))
    finding = Finding(
        cause="device-permission-denied",
        severity=Severity.BLOCKING,
        confidence=0.9,
        evidence=(Evidence("user_groups", "video, acme-labs", ""),),
    )
    whole = msgspec.structs.replace(case(machine=machine), findings=(finding,))
    result = redact(whole, NOBODY).case
    assert result.facts.machine is not None
    assert result.facts.machine.amd is not None
    assert result.facts.machine.amd.device_nodes == (msgspec.structs.replace(node, group="<group-1>"),)
    assert result.findings[0].evidence[0].value == "video, <group-1>"


SENT = "in /home/canary/x on canaryhost, mail canary@mail.example, key hf_canaryCANARYcanary12"


def filled(kind: Any) -> Any:
    """A fact of this type with a canary in every text of it, keys of tables included."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is str or kind is Any:
        return SENT
    if kind in (int, float, bool):
        return kind(1)
    if origin in (Union, UnionType):
        return filled(next(each for each in inner if each is not type(None)))
    if origin is tuple:
        return (filled(inner[0]),)
    if origin is dict:
        return {SENT: filled(inner[1])}
    hints = get_type_hints(kind)
    return kind(**{name: filled(hints[name]) for name in kind.__struct_fields__})


def test_no_field_of_any_fact_is_forgotten() -> None:
    """A file that was sent may hold anything anywhere; so may a broken package, a group, a device."""
    whole = Case(created=SENT, naosu=SENT, answers=filled(Answers), facts=filled(Facts), outcomes=(), findings=())
    own = Own(user="canary", home="/home/canary", host="canaryhost")
    assert b"canary" not in msgspec.json.encode(redact(whole, own).case).lower()


def test_why_a_field_is_unread_is_a_text_of_its_own() -> None:
    os = OsFacts(unread={"package_managers": "PermissionError: /home/alice", "groups": "no such file"})
    result = redact(case(machine=MachineFacts(os=os)), NOBODY).case.facts.machine
    assert result is not None
    assert result.os == OsFacts(
        unread={"package_managers": "PermissionError: /home/<user-1>", "groups": "no such file"}
    )


def test_twice_changes_nothing() -> None:
    text = "alice@desk-01:~$ cat /home/alice/x /home/bob/y 10.1.2.3 a@b.example HF_TOKEN=hf_abcdefghijklmnopqrst"
    once = redact(case(text), NOBODY)
    assert redact(once.case, NOBODY) == Redacted(case=once.case, hidden=())


def test_later_names_do_not_take_old_placeholders() -> None:
    assert hidden("/home/<user-1>/x /home/bob/y") == "/home/<user-1>/x /home/<user-2>/y"


def test_a_text_that_cannot_be_redacted_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr(Redaction, "_hidden", broken)
    assert hidden("/home/alice/secret") == DROPPED


def test_the_judgement_stays_the_same() -> None:
    original = case("text of /home/alice")
    again = redact(original, NOBODY).case
    assert [outcome.status for outcome in again.outcomes] == [outcome.status for outcome in original.outcomes]
    assert again.created == original.created


@for_each(sorted((Path(__file__).parents[2] / "cases").glob("*.json")), lambda path: path.stem)
def test_a_case_that_was_hidden_and_opened_again_has_the_same_verdict(path: Path) -> None:
    case = decode(path.read_bytes())
    again = redact(case, NOBODY).case
    before, after = judged(case.facts, case.answers), judged(again.facts, again.answers)
    assert [(finding.cause, finding.severity) for finding in after.findings] == [
        (finding.cause, finding.severity) for finding in before.findings
    ]
    assert [outcome.status for outcome in after.outcomes] == [outcome.status for outcome in before.outcomes]


PIECES = st.sampled_from(
    (
        *("/home/", "/Users/", "C:\\Users\\", "\\", "/", " ", "\n", "@", ":", "=", "~", "$ ", "'", '"', "::"),
        *("<user-1>", "USER=", "token=", "https://", "192.168.1.7", "GPU-", "torch", "日本", "e\u0301"),
    )
)


@given(st.lists(PIECES | st.just("Zaphod"), max_size=14).map("".join))
def test_a_known_name_is_gone_wherever_it_stands(text: str) -> None:
    """Beside whatever else: separators, placeholders, other scripts, halves of addresses."""
    names = learned([text], "", Own(user="zaphod"))
    shown = Redaction(names).hide(text, "text")
    assert not re.search(
        "(?<![0-9a-z\u00c0-\u024f\u0300-\u052f])zaphod(?![0-9a-z\u00c0-\u024f\u0300-\u052f])", shown, re.IGNORECASE
    )
    assert shown != DROPPED


TOKENS = st.sampled_from(
    (
        *(
            "/home/alice/x",
            "C:\\Users\\bob\\y",
            "/Users/太郎/z",
            "USER=carol",
            "alice@example.org",
            "10.0.0.7",
            "alice",
        ),
        *(
            "fe80::1:2",
            "hf_abcdefghijklmnopqrst",
            "CORP\\bob",
            "torch 2.6.0",
            "/home/<user-7>/x",
            "~/x",
            "password=pw12",
        ),
    )
)


@given(st.lists(st.tuples(TOKENS, st.sampled_from((" ", "\n", " は ", ", ", "; ", " (", ") "))), max_size=10))
def test_redacting_twice_is_redacting_once(parts: list[tuple[str, str]]) -> None:
    text = "".join(token + gap for token, gap in parts)
    once = Redaction(learned([text], "", NOBODY)).hide(text, "text")
    assert Redaction(learned([once], "", NOBODY)).hide(once, "text") == once


def test_the_values_of_a_phrase_are_hidden_and_its_key_is_kept() -> None:
    state = phrase("compat-path", path="/home/wsl/lib/libcuda.so.1")
    finding = Finding(cause="cuda-compat-conflict", severity=Severity.WARNING, confidence=0.9, values={"state": state})
    shown = redact(msgspec.structs.replace(case(), findings=(finding,)), Own(host="compat-path")).case.findings[0]
    assert shown.values == {"state": phrase("compat-path", path="/home/<user-1>/lib/libcuda.so.1")}
    by_key = msgspec.structs.replace(finding, values={"key": "compat-host"})
    (hidden_one,) = redact(msgspec.structs.replace(case(), findings=(by_key,)), Own(host="compat-host")).case.findings
    assert hidden_one.values == {"key": "<host-1>"}


def test_of_many_homes_each_is_hidden_and_none_is_searched_for_alone() -> None:
    """As many names as a server has accounts: a pattern for each took minutes."""
    text = "".join(f"/home/u{number}x{number * 7919 % 10007}/x " for number in range(2000))
    names = learned([text], "", Own())
    hidden = Redaction(names).hide(text, "text")
    assert re.sub(r"<user-\d+>", "", hidden) == "/home//x " * 2000
    assert len(names.users) == names.counts()["user"] == 2000
    assert len(names._patterns) < 30
