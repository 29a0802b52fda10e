"""packaging/run sets up once, mends what was interrupted, and starts the program wherever it lies.

The scripts are real; a stand-in plays Python, which notes what it is asked and installs nothing.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own scripts")

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "env", "cat", "chmod", "cksum", "cp", "dirname", "readlink", "rm", "mkdir", "flock", "touch", "sed")
PYTHON = """#!/usr/bin/env bash
echo "$*" >>"$ASKED"
here=$(dirname "$0")
case "$*" in
  --version) echo Python 3.11.7 ;;
  "-I -m venv "*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; touch "$4/bin/pip" ;;
  "-I -m ensurepip") touch "$here/pip" ;;
  "-I -c import pip") [ -e "$here/pip" ] ;;
  "-I -m pip "*)
    echo "user sets: ${!PYTHON*}" >>"$ASKED"
    [ ! -e "$GATE" ] || cat "$GATE" >/dev/null; exit "${PIP_ENDS:-0}" ;;
  "-I -m wizard"*) for each in "${@:4}"; do echo "<$each>"; done ;;
esac
"""


class Checkout:
    """The scripts in a folder with an unpleasant name, and a system with little else."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "my (copy) & $x's"
        self.tools = folder / "tools"
        self.asked_file, self.gate = folder / "asked", folder / "gate"
        self.root.mkdir()
        shutil.copytree(ROOT / "packaging", self.root / "packaging")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        self.tools.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            if found is not None:  # macOS has no flock
                (self.tools / tool).symlink_to(found)
        self.tool("python3", PYTHON)
        self.environment = {"PATH": str(self.tools), "ASKED": str(self.asked_file), "GATE": str(self.gate)}

    def tool(self, name: str, script: str) -> None:
        path = self.tools / name
        path.write_text(script)
        path.chmod(0o755)

    def start(self, *arguments: str, **more: str) -> "subprocess.Popen[str]":
        script = more.pop("script", str(self.root / "packaging" / "run"))
        command = [str(self.tools / "bash"), script, *arguments]
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **more: str) -> tuple[int, str, str]:
        with self.start(*arguments, **more) as process:
            out, err = process.communicate()
        return process.returncode, out, err

    def asked(self, what: str) -> int:
        """How often Python was asked for this until now."""
        return self.asked_file.read_text().count(what)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_first_start_installs_and_the_second_does_not(checkout: Checkout) -> None:
    status, out, err = checkout.run("check", "--pdf", "my report.pdf", "")
    assert (status, out) == (0, "<check>\n<--pdf>\n<my report.pdf>\n<>\n"), err
    assert checkout.asked("-m pip install") == 1
    status, out, err = checkout.run("envs")
    assert (status, out, err) == (0, "<envs>\n", "")
    assert checkout.asked("-m pip install") == 1


def test_what_the_user_set_for_his_own_python_reaches_no_python_of_the_installation(checkout: Checkout) -> None:
    status, _, err = checkout.run("envs", PYTHONPATH=":/opt/x", PYTHONHOME=".", PYTHONSTARTUP="x.py")
    assert status == 0, err
    asked = [line for line in checkout.asked_file.read_text().splitlines() if not line.startswith("user sets:")]
    assert [line for line in asked if not line.startswith(("-I ", "--version"))] == []
    assert checkout.asked("user sets: PYTHON") == 0


def test_a_link_and_a_search_path_for_folders(checkout: Checkout, tmp_path: Path) -> None:
    link = tmp_path / "naosu"
    link.symlink_to(checkout.root / "packaging" / "run")
    assert checkout.run("envs", script=str(link))[:2] == (0, "<envs>\n")
    assert checkout.run("envs", script="packaging/run", CDPATH=f"{tmp_path}:.") == (0, "<envs>\n", "")
    assert checkout.asked("-m pip install") == 1


def test_a_failed_installation_is_tried_again(checkout: Checkout) -> None:
    assert checkout.run("envs", PIP_ENDS="1")[:2] == (2, "")
    assert checkout.run("envs")[:2] == (0, "<envs>\n")
    assert checkout.asked("-m pip install") == 2


def test_an_environment_without_pip_gets_it(checkout: Checkout) -> None:
    """The first start was interrupted while pip was put into the new environment."""
    checkout.run("envs", PIP_ENDS="1")
    (checkout.root / ".venv" / "bin" / "pip").unlink()
    assert checkout.run("envs")[:2] == (0, "<envs>\n")
    assert checkout.asked("-m ensurepip") == 1


def test_an_environment_whose_python_is_gone_is_made_again(checkout: Checkout) -> None:
    checkout.run("envs")
    python = checkout.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/usr/bin/python3.11-that-was-upgraded")
    assert checkout.run("envs")[:2] == (0, "<envs>\n")
    assert checkout.asked("-m venv") == 2


def test_other_pins_and_another_place_are_installed_anew(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("envs")
    with open(checkout.root / "packaging" / "constraints.txt", "a") as pins:
        pins.write("one==2\n")
    checkout.run("envs")
    assert checkout.asked("-m pip install") == 2
    checkout.root = checkout.root.rename(tmp_path / "moved")  # the environment still names the old folder
    assert checkout.run("envs")[:2] == (0, "<envs>\n")
    assert checkout.asked("-m pip install") == 3


@pytest.mark.skipif(shutil.which("flock") is None, reason="macOS has no flock")
def test_two_first_starts_at_once_install_once(checkout: Checkout) -> None:
    os.mkfifo(checkout.gate)
    first, second = checkout.start("first"), checkout.start("second")
    with open(checkout.gate, "w"):  # as soon as one of them installs
        checkout.gate.unlink()
    ends = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert ends == ["<first>\n", "<second>\n"]
    assert checkout.asked("-m pip install") == 1


def test_no_python_is_one_sentence(checkout: Checkout) -> None:
    checkout.tool("python3", "#!/usr/bin/env bash\nexit 1\n")
    status, out, err = checkout.run()
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "naosu: Python 3.11 to 3.14 with the module venv is needed; please install it and start again"
    ]


def test_a_folder_that_cannot_be_written_to_is_one_more_sentence(checkout: Checkout) -> None:
    status, _, err = checkout.run(NAOSU_VENV="/dev/null/venv")
    assert status == 2
    assert "please set NAOSU_VENV to a folder that can be written to" in err


@pytest.mark.parametrize("reached", [0, 100], ids=["all-sources-answer", "one-source-is-gone"])
def test_system_packages(checkout: Checkout, reached: int) -> None:
    checkout.tool("id", "#!/usr/bin/env bash\necho 0\n")
    checkout.tool("dpkg-query", '#!/usr/bin/env bash\n[ "$4" = libegl1 ] || echo -n installed\n')
    checkout.tool("apt-cache", "#!/usr/bin/env bash\n")
    checkout.tool(
        "apt-get",
        f'#!/usr/bin/env bash\necho "apt-get $*" >>"$ASKED"\n[ "$1" != update ] || exit {reached}\n',
    )
    status, out, err = checkout.run("--yes", "envs")
    assert (status, out) == (0, "<envs>\n")
    assert "installing system packages: libegl1\n" in err
    assert checkout.asked("apt-get install -y -qq --no-install-recommends libegl1") == 1


def test_without_rights_it_says_what_to_install_and_goes_on(checkout: Checkout) -> None:
    checkout.tool("id", "#!/usr/bin/env bash\necho 1000\n")
    checkout.tool("dpkg-query", '#!/usr/bin/env bash\n[ "$4" = libegl1 ] || echo -n installed\n')
    checkout.tool("apt-get", '#!/usr/bin/env bash\necho "apt-get $*" >>"$ASKED"\n')
    status, out, err = checkout.run("--yes", "envs")
    assert (status, out) == (0, "<envs>\n")
    assert "please run: sudo apt-get install libegl1" in err
    assert checkout.asked("apt-get") == 0


@pytest.fixture
def without_libegl(checkout: Checkout) -> Checkout:
    """A Debian on which one library of the window is missing."""
    checkout.tool("id", "#!/usr/bin/env bash\necho 0\n")
    checkout.tool("dpkg-query", '#!/usr/bin/env bash\n[ "$4" = libegl1 ] || echo -n installed\n')
    checkout.tool("apt-cache", "#!/usr/bin/env bash\n")
    checkout.tool("apt-get", '#!/usr/bin/env bash\necho "apt-get $*" >>"$ASKED"\n')
    return checkout


def test_where_nobody_can_be_asked_it_installs_no_system_package(without_libegl: Checkout) -> None:
    status, out, err = without_libegl.run("envs")
    assert (status, out) == (0, "<envs>\n")
    assert "these system packages are missing: libegl1\n" in err
    assert "to install them: sudo apt-get install libegl1 " in err
    assert without_libegl.asked("apt-get") == 0


@pytest.mark.parametrize(("answer", "asked"), [("n", 0), ("y", 2), ("", 2)])
def test_on_a_terminal_it_asks_before_it_installs_system_packages(
    without_libegl: Checkout, answer: str, asked: int
) -> None:
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    command = [str(without_libegl.tools / "bash"), str(without_libegl.root / "packaging" / "run"), "envs"]
    done = subprocess.run(
        command, env=without_libegl.environment, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True
    )
    os.close(theirs)
    os.close(ours)
    assert (done.returncode, done.stdout) == (0, "<envs>\n")
    assert without_libegl.asked("apt-get") == asked


def test_it_says_what_is_downloaded_while_it_installs(checkout: Checkout) -> None:
    lines = "Collecting torch\\n  Downloading torch-2.13.0.whl (192 MB)\\nRequirement already satisfied: pip\\n"
    checkout.tool("python3", PYTHON.replace('"-I -m pip "*)', f'"-I -m pip "*) printf "{lines}";'))
    status, out, err = checkout.run("envs")
    assert (status, out) == (0, "<envs>\n")
    assert [line for line in err.splitlines() if "ing torch" in line] == [
        "naosu: Downloading torch-2.13.0.whl (192 MB)"
    ]
    assert "Requirement" not in err


def test_a_shared_copy_that_another_user_set_up_is_one_sentence(checkout: Checkout) -> None:
    (checkout.root / ".venv" / ".naosu-lock").mkdir(parents=True)  # what may not be written, for root too
    status, out, err = checkout.run("envs")
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("naosu: ")
    assert "set NAOSU_VENV to a folder of your own" in line


def test_the_program_is_told_how_it_was_started(checkout: Checkout) -> None:
    checkout.tool("python3", PYTHON.replace('"-I -m wizard"*)', '"-I -m wizard"*) echo "$NAOSU_PROGRAM";'))
    assert checkout.run(script="packaging/run")[1] == "packaging/run\n"
    assert checkout.run()[1].startswith(str(checkout.root.parent))
    assert "\\ " in checkout.run()[1]  # the folder's name has spaces: it can be pasted into a shell
