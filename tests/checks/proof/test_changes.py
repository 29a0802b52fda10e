"""What a remedy's commands change is understood or refused, never guessed, and never handed to a shell."""

import pytest

from checks.knowledge.catalogue import remedy_of
from checks.proof.changes import (
    Filtered,
    Installed,
    Moved,
    NewEnvironment,
    NotTriable,
    Printed,
    Variable,
    changes_of,
)
from checks.remedies.plan import PlannedStep, PlannedVerify, RemedyPlan

PYTHON = "/home/ada/my env/bin/python"


def plan(*codes: str, **step: object) -> RemedyPlan:
    steps = tuple(PlannedStep(**{"kind": "command", "code": code, "language": "sh", **step}) for code in codes)  # type: ignore[arg-type]
    return RemedyPlan(id="some", title="", steps=steps, verify=PlannedVerify(expect=""))


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (f"'{PYTHON}' -m pip install --upgrade onnxruntime", ("pip", "install", ("--upgrade", "onnxruntime"))),
        (f"'{PYTHON}' -m pip install 'protobuf<3.21,>=3.9'", ("pip", "install", ("protobuf<3.21,>=3.9",))),
        (f"'{PYTHON}' -m pip install 'jax[cuda12]==0.6.*'", ("pip", "install", ("jax[cuda12]==0.6.*",))),
        (
            f"'{PYTHON}' -m pip install torch==2.6.0+cu124 --index-url https://a.example/whl/cu124",
            ("pip", "install", ("torch==2.6.0+cu124", "--index-url", "https://a.example/whl/cu124")),
        ),
        (f"'{PYTHON}' -m pip uninstall -y whisper", ("pip", "uninstall", ("-y", "whisper"))),
        (f"uv pip install --python '{PYTHON}' numpy==1.26.4", ("uv", "install", ("numpy==1.26.4",))),
        (f"'{PYTHON}' -m pip install \\\n  --no-deps numpy", ("pip", "install", ("--no-deps", "numpy"))),
    ],
)
def test_a_call_of_an_installer(code: str, wanted: tuple[str, str, tuple[str, ...]]) -> None:
    (change,) = changes_of(plan(code), PYTHON)
    assert isinstance(change, Installed)
    assert (change.installer, change.verb, change.arguments) == wanted


def test_variables_and_files() -> None:
    setting = "export PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION='python'"
    code = f"{setting}\nunset TORCH_LOGS XLA_FLAGS\nenv -u LD_PRELOAD python x.py"
    variables = [
        (change.name, change.value) for change in changes_of(plan(code), PYTHON) if isinstance(change, Variable)
    ]
    assert variables == [
        ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python"),
        ("TORCH_LOGS", None),
        ("XLA_FLAGS", None),
        ("LD_PRELOAD", None),
    ]
    (moved,) = changes_of(plan("mv /e/site-packages/my.pth /e/site-packages/my.pth.bad"), PYTHON)
    assert isinstance(moved, Moved)


def test_a_value_that_a_shell_would_work_out() -> None:
    """In the two forms that the catalogue has, as it has them."""
    (step, *_) = remedy_of("leave-foreign-libcuda-out").step
    (change,) = changes_of(plan(step.code), PYTHON)
    assert change == Filtered(step.code, "LD_LIBRARY_PATH", "/(stubs|compat)(/|$)")
    (step, *_) = remedy_of("rebuild-extension-for-this-gpu").step
    code = step.code.replace("{python}", f"'{PYTHON}'").strip()
    (change,) = changes_of(plan(code), PYTHON)
    assert isinstance(change, Printed)
    assert (change.name, change.python) == ("TORCH_CUDA_ARCH_LIST", PYTHON)
    assert change.statement.startswith("import torch; print(")
    for line in (code.splitlines()[0].replace(PYTHON, "/bin/sh"), 'export A=$(cat "$B")', "export A=$(reboot)"):
        with pytest.raises(NotTriable):
            changes_of(plan(line), PYTHON)


def test_a_new_environment() -> None:
    (made,) = changes_of(plan(f"'{PYTHON}' -m venv fresh-env"), PYTHON)
    assert isinstance(made, NewEnvironment)
    assert (made.folder, made.installer) == ("fresh-env", "pip")
    (made,) = changes_of(plan(f"uv venv fresh-env --python '{PYTHON}'"), PYTHON)
    assert isinstance(made, NewEnvironment)
    assert made.installer == "uv"
    for line in ("python3 -m venv /etc/x", "python3 -m venv ../x", "python3 -m venv --clear x", "uv venv x"):
        with pytest.raises(NotTriable, match="new-environment"):
            changes_of(plan(line), PYTHON)


def test_what_only_looks_changes_nothing() -> None:
    code = f"'{PYTHON}' -m pip install six\n'{PYTHON}' -m pip check\n'{PYTHON}' -c 'import six'  # prints nothing"
    assert len(changes_of(plan(code), PYTHON)) == 1
    with pytest.raises(NotTriable, match="by-hand"):
        changes_of(plan(f"'{PYTHON}' -m pip check"), PYTHON)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("sudo apt-get install -y libgl1", "administrator"),
        ("apt-get update\napt-get install -y libgl1", "administrator"),
        ('sudo mount -o remount,exec "$(findmnt -no TARGET -T /x)"', "administrator"),
        ("conda install numpy", "not-understood"),
        ("/usr/bin/python3 -m pip install numpy", "not-understood"),
        (f"'{PYTHON}' -m pip install numpy; touch /tmp/x", "not-understood"),
        (f"'{PYTHON}' -m pip install numpy && touch /tmp/x", "not-understood"),
        (f"'{PYTHON}' -m pip install $(touch /tmp/x)", "not-understood"),
        (f"'{PYTHON}' -m pip install `touch /tmp/x`", "not-understood"),
        (f"'{PYTHON}' -m pip install ./here", "not-understood"),
        (f"'{PYTHON}' -m pip install git+https://a.example/x", "not-understood"),
        (f"'{PYTHON}' -m pip install https://a.example/x.whl", "not-understood"),
        (f"'{PYTHON}' -m pip install --target=/usr numpy", "not-understood"),
        (f"'{PYTHON}' -m pip install --root / numpy", "not-understood"),
        (f"'{PYTHON}' -m pip install -r requirements.txt", "not-understood"),
        (f"'{PYTHON}' -m pip download numpy", "not-understood"),
        ("export A=$HOME", "not-understood"),
        ("rm -rf /e/site-packages/numpy", "not-understood"),
        ("mv 'a", "not-understood"),
    ],
)
def test_what_is_not_tried(code: str, reason: str) -> None:
    with pytest.raises(NotTriable, match=reason):
        changes_of(plan(code), PYTHON)


def test_a_step_by_hand_a_setting_and_another_shell_are_not_tried() -> None:
    with pytest.raises(NotTriable, match="by-hand"):
        changes_of(plan("", kind="manual", text="Rename the file"), PYTHON)
    with pytest.raises(NotTriable, match="by-hand"):
        changes_of(plan("torch.backends.x = 1", kind="code", language="python"), PYTHON)
    with pytest.raises(NotTriable, match="other-shell"):
        changes_of(plan("$env:A = 'b'", language="powershell"), PYTHON)
