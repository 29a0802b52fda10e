"""Values of a hostile machine inside commands: one word, whatever is in it, for the shell that will read it."""

import subprocess

import pytest

from checks.knowledge.templates import fill_sentence, placeholders
from checks.remedies.shell import Shell, Unquotable

HOSTILE = [
    "/plain/path/python3",
    "/with space/python",
    "/with'quote/python",
    '/with"double/python',
    "/$(touch hacked)/python",
    "/`touch hacked`/python",
    "/$HOME/;rm -rf/|cat/&/python",
    "/back\\slash/python",
    "-c",
    "!history",
    "*",
    "#comment",
    "日本語/環境",
    "{brace}",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_real_sh_reads_one_word(value: str) -> None:
    command = Shell.SH.fill("set -- {path}; printf '%s' \"$1\"", {"path": value}, {})
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True, encoding="utf-8")
    assert done.stdout == value.removeprefix("~")


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        (r"C:\Python311\python.exe", r"C:\Python311\python.exe"),
        (r"C:\Program Files\python.exe", r'"C:\Program Files\python.exe"'),
        (r"C:\O'Neil\python.exe", '"C:\\O\'Neil\\python.exe"'),
        ("C:\\O\u2019Neil\\python.exe", '"C:\\O\u2019Neil\\python.exe"'),
        (r"~\My venv\python.exe", r'"$HOME\My venv\python.exe"'),
        ("C:\\my models\\", r'"C:\my models"'),
        ("numpy>=1,<2", '"numpy>=1,<2"'),
        ("a,b", '"a,b"'),
        ("torch==2.6.0+cu124", "torch==2.6.0+cu124"),
    ],
)
def test_powershell(value: str, quoted: str) -> None:
    assert Shell.POWERSHELL.quote(value) == quoted


def test_powershell_calls_a_quoted_program() -> None:
    commands = {"python": "'C:\\a b\\python.exe'", "python_call": "& 'C:\\a b\\python.exe'"}
    assert Shell.POWERSHELL.fill("{python} -V\nuv --python {python}", {}, commands) == (
        "& 'C:\\a b\\python.exe' -V\nuv --python 'C:\\a b\\python.exe'"
    )
    assert Shell.POWERSHELL.call("C:\\python.exe") == "C:\\python.exe"


@pytest.mark.parametrize("shell", list(Shell))
@pytest.mark.parametrize("value", ["a\nb", "a\x1b[31m", "a\u202eb", "a\x00b", "a\u2028b", "a\udc80b"])
def test_invisible_characters_are_refused(shell: Shell, value: str) -> None:
    with pytest.raises(Unquotable):
        shell.quote(value)


@pytest.mark.parametrize("template", ['echo "{value}"', "python -c 'import {value}'", 'python -c "import {value}"'])
@pytest.mark.parametrize("value", ["$(touch hacked)", "x'; import os #", '"; reboot; "', "`id`", "a\\"])
def test_inside_quotes_only_harmless_values_stand(template: str, value: str) -> None:
    with pytest.raises(Unquotable):
        Shell.SH.fill(template, {"value": value}, {})


def test_inside_quotes_a_plain_value_stands() -> None:
    assert Shell.SH.fill('echo "{value}"', {"value": "torch 2.6 (cu124)"}, {}) == 'echo "torch 2.6 (cu124)"'


def test_an_escaped_quotation_mark_opens_nothing() -> None:
    assert Shell.SH.fill(r"echo \" {value}", {"value": "a b"}, {}) == r"""echo \" 'a b'"""


def test_home_stays_usable() -> None:
    assert Shell.SH.quote("~/My venv/bin/python") == "~/'My venv/bin/python'"
    assert Shell.SH.quote("~") == "'~'"


def test_python_source() -> None:
    assert Shell.PYTHON.fill("load({path})", {"path": "a'b\\c"}, {}) == 'load("a\'b\\\\c")'


def test_home_stays_usable_behind_an_equals_sign() -> None:
    assert Shell.SH.fill("trtexec --onnx={path}", {"path": "~/my.onnx"}, {}) == 'trtexec --onnx="$HOME"/my.onnx'
    assert Shell.SH.fill("trtexec --onnx={path}", {"path": "/m/my.onnx"}, {}) == "trtexec --onnx=/m/my.onnx"


def test_python_is_told_that_a_tilde_means_the_home_folder() -> None:
    filled = Shell.PYTHON.fill("load({path})", {"path": "~/my model.onnx"}, {})
    assert filled == "import os\n\nload(os.path.expanduser('~/my model.onnx'))"


def test_braces_and_unknown_names() -> None:
    assert Shell.SH.fill("docker info --format '{{{{.Runtimes}}}}'", {}, {}) == "docker info --format '{{.Runtimes}}'"
    assert fill_sentence("{known} and {unknown}", {"known": "a{b}"}) == "a{b} and {unknown}"
    assert placeholders("{a} {{b}} {c}") == {"a", "c"}
    with pytest.raises(KeyError):
        Shell.SH.fill("{unknown}", {}, {})


@pytest.mark.parametrize(
    ("shell", "written"),
    [
        (Shell.SH, "pip install torch==2.11.0 'jax[cuda12]' 'a$b' --index-url x"),
        (Shell.POWERSHELL, 'pip install torch==2.11.0 "jax[cuda12]" "a&b" --index-url x'),
    ],
)
def test_several_words_are_quoted_one_by_one(shell: Shell, written: str) -> None:
    odd = "a$b" if shell is Shell.SH else "a&b"
    values = {"packages": f"torch==2.11.0 jax[cuda12] {odd}", "index": "x"}
    template = "{pip_install} {packages:words} --index-url {index}"
    assert shell.fill(template, values, {"pip_install": "pip install"}) == written
    assert placeholders(template) == {"pip_install", "packages", "index"}


@pytest.mark.parametrize("value", ["$x", "a`b", "100%", 'a"b', "a\u201cb", "C:\\$(calc)\\python.exe", "~\\$x"])
def test_what_powershell_or_cmd_expands_in_quotes_is_refused(value: str) -> None:
    with pytest.raises(Unquotable):
        Shell.POWERSHELL.quote(value)


def test_what_powershell_reads_as_an_expression_is_quoted_unless_it_is_a_number() -> None:
    assert Shell.POWERSHELL.fill("$env:X = {x}", {"x": "4"}, {}) == "$env:X = 4"
    assert Shell.POWERSHELL.fill("$env:X = {x}", {"x": "GPU-1a"}, {}) == '$env:X = "GPU-1a"'


@pytest.mark.parametrize("shell", [Shell.SH, Shell.POWERSHELL])
def test_a_value_is_no_option(shell: Shell) -> None:
    for template in ("pip install {x}", "python -m pickletools {x}", "pip install {x:words}"):
        with pytest.raises(Unquotable):
            shell.fill(template, {"x": "-o/home/me/.profile"}, {})
    assert shell.fill("mv -- {x} b", {"x": "-a"}, {}).startswith("mv -- ")
    assert "-a" in shell.fill("trtexec --onnx={x}", {"x": "-a"}, {})
    assert shell.fill("pip install {x}", {"x": "a-b"}, {}) == "pip install a-b"
    assert Shell.PYTHON.fill("load({x})", {"x": "-a"}, {}) == "load('-a')"
