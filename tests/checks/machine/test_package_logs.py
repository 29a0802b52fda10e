"""The logs of package managers, as they write them: only names, releases and times come out of them."""

import json
import time
from collections.abc import Iterator

import pytest

from checks.facts import Change
from checks.machine.package_logs import apt, dnf, pacman, windows, zypper


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    yield
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


def plain(changes: Iterator[Change]) -> list[tuple[str, str | None, str | None, str]]:
    return [(change.name, change.before, change.after, change.time) for change in changes]


def test_apt() -> None:
    text = """
Start-Date: 2025-06-24  14:36:25
Commandline: apt-get -qqy upgrade --password=hunter2
Requested-By: hana (1000)
Upgrade: libsystemd0:amd64 (252.36-1~deb12u1, 252.38-1~deb12u1), libudev1:amd64 (252.36-1~deb12u1, 252.38-1~deb12u1)
Install: patch:amd64 (2.7.6-7, automatic), git:amd64 (1:2.39.5-0+deb12u2)
Remove: libgl1:amd64 (1.6.0-1)
Reinstall: less:amd64 (590-2.1~deb12u2)
End-Date: 2025-06-24  14:36:25
"""
    when = "2025-06-24T14:36:25+00:00"
    assert plain(apt(text)) == [
        ("libsystemd0", "252.36-1~deb12u1", "252.38-1~deb12u1", when),
        ("libudev1", "252.36-1~deb12u1", "252.38-1~deb12u1", when),
        ("patch", None, "2.7.6-7", when),
        ("git", None, "1:2.39.5-0+deb12u2", when),
        ("libgl1", "1.6.0-1", None, when),
    ]


def test_dnf() -> None:
    text = """2026-02-14T09:30:00+0000 INFO --- logging initialized ---
2026-02-14T09:30:12+0000 SUBDEBUG Upgrade: openssl-libs-1:3.2.2-6.el9.x86_64
2026-02-14T09:30:13+0000 SUBDEBUG Installed: kernel-modules-extra-5.10.0-92.fc34.x86_64
2026-02-14T09:30:14+0000 SUBDEBUG Upgraded: openssl-libs-1:3.0.7-27.el9.x86_64
2026-02-14T09:30:15+0000 SUBDEBUG Erase: flac-1.3.3-3.fc29.x86_64
"""
    assert plain(dnf(text)) == [
        ("kernel-modules-extra", None, "5.10.0-92.fc34", "2026-02-14T09:30:13+00:00"),
        ("openssl-libs", "1:3.0.7-27.el9", "1:3.2.2-6.el9", "2026-02-14T09:30:12+00:00"),
        ("flac", "1.3.3-3.fc29", None, "2026-02-14T09:30:15+00:00"),
    ]


def test_pacman() -> None:
    text = """[2019-07-14 21:33] [ALPM] upgraded libev (4.25-1 -> 4.27-1)
[2019-07-14T21:33:05+0200] [ALPM] installed feh (3.1.3-1)
[2019-07-14T21:33:05+0200] [PACMAN] Running 'pacman -S feh --password=x'
[2019-07-14T21:33:06+0200] [ALPM] removed nano (7.2-1)
"""
    assert plain(pacman(text)) == [
        ("libev", "4.25-1", "4.27-1", "2019-07-14T21:33:00+00:00"),
        ("feh", None, "3.1.3-1", "2019-07-14T19:33:05+00:00"),
        ("nano", "7.2-1", None, "2019-07-14T19:33:06+00:00"),
    ]


def test_zypper() -> None:
    text = """2008-09-24 11:48:58|rremove|packman
2008-09-24 11:53:10|install|amarok-yauap|1.4.10-25|x86_64||factory|4421dfa7
# Additional rpm output:
2008-09-24 11:53:25|remove |amarok-lang|1.4.10-25|x86_64|root@h|
"""
    assert plain(zypper(text)) == [
        ("amarok-yauap", None, "1.4.10-25", "2008-09-24T11:53:10+00:00"),
        ("amarok-lang", "1.4.10-25", None, "2008-09-24T11:53:25+00:00"),
    ]


@pytest.mark.parametrize(
    "installed",
    ["/Date(1731456000000)/", {"value": "/Date(1731456000000)/", "DateTime": "Wednesday"}, "2024-11-13T00:00:00+00:00"],
    ids=["powershell-5", "powershell-5-object", "powershell-7"],
)
def test_windows(installed: object) -> None:
    answer = json.dumps({"HotFixID": "KB5046633", "Description": "Security Update", "InstalledOn": installed})
    times = [change.time for change in windows(answer)]
    assert times in ([""], ["2024-11-13T00:00:00+00:00"])
    assert [change.name for change in windows(f"[{answer}, {answer}]")] == ["KB5046633", "KB5046633"]


@pytest.mark.parametrize("read", [apt, dnf, pacman, zypper, windows])
@pytest.mark.parametrize(
    "text", ["", "\0" * 100, "Start-Date: x\nUpgrade: a (", "[" * 10_000, "{}", "| |\n|", "é\n" * 9]
)
def test_anything_else_is_passed_over(read: object, text: str) -> None:
    assert callable(read)
    assert list(read(text)) == []
