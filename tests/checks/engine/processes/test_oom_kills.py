"""The counters of the kernel's out-of-memory killer, in both versions of control groups."""

from pathlib import Path

import pytest

from checks.engine.processes.oom_kills import oom_counts, struck_since

EVENTS = "low 0\nhigh 0\nmax 12\noom 1\noom_kill {}\noom_group_kill 0\n"
CONTROL = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="ascii")


@pytest.mark.parametrize(
    ("groups", "file", "text"),
    [
        ("0::/user.slice/app.scope\n", "sys/fs/cgroup/user.slice/app.scope/memory.events", EVENTS),
        ("0::/a/b\n", "sys/fs/cgroup/a/memory.events", EVENTS),  # of a group above ours
        ("4:memory:/docker/1\n0::/\n", "sys/fs/cgroup/memory/docker/1/memory.oom_control", CONTROL),
        ("9:name=systemd:/\n", "proc/vmstat", "nr_free_pages 1\noom_kill {}\n"),
    ],
)
def test_a_kill_is_counted(tmp_path: Path, groups: str, file: str, text: str) -> None:
    write(tmp_path, "proc/self/cgroup", groups)
    write(tmp_path, file, text.format(3))
    before = oom_counts(tmp_path)
    assert list(before.values()) == [3]
    assert struck_since(before, tmp_path) == 0
    write(tmp_path, file, text.format(5))
    assert struck_since(before, tmp_path) == 2


def test_where_nobody_counts_nothing_is_known(tmp_path: Path) -> None:
    assert struck_since(oom_counts(tmp_path), tmp_path) is None
    write(tmp_path, "proc/vmstat", "nr_free_pages 1\n")  # before Linux 4.13
    assert struck_since(oom_counts(tmp_path), tmp_path) is None


def test_a_group_that_is_gone_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path, "proc/self/cgroup", "0::/../outside/x\n")
    write(tmp_path, "proc/vmstat", "oom_kill 0\n")
    before = {**oom_counts(tmp_path), "/sys/fs/cgroup/x/memory.events": 4}
    assert struck_since(before, tmp_path) == 0
