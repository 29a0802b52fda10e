"""The installer that an environment was made with gets the command, and the distribution that is there its name."""

import msgspec
import pytest

from checks.facts import Facts, InterpreterFacts, MachineFacts, OsFacts, Package
from checks.facts.finding import Finding, Severity
from checks.proof.changes import Managed, changes_in
from checks.remedies.plan import RemedyPlan, plan_remedies

PYTHON = "/home/ada/proj/.venv/bin/python"
PROJECT = "/home/ada/proj"


def interpreter(manager: str, project: str | None = PROJECT, *packages: Package) -> InterpreterFacts:
    usual = (Package(name="numpy", version="2.2.6"), Package(name="onnxruntime", version="1.16.3"))
    return InterpreterFacts(
        path=PYTHON,
        prefix="/home/ada/proj/.venv",
        package_manager=manager,
        project=project,
        packages=packages or usual,
    )


def plan(remedy: str, python: InterpreterFacts, system: str = "Linux", **values: str) -> RemedyPlan:
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system=system)), interpreters=(python,), target=python.path, here=True
    )
    finding = Finding(
        cause="dependency-version-conflict",
        severity=Severity.BLOCKING,
        confidence=0.9,
        values=values,
        remedies=(remedy,),
    )
    (planned,) = plan_remedies(finding, facts, "en")
    return planned


def codes(planned: RemedyPlan) -> list[str]:
    return [step.code for step in planned.steps if step.code]


@pytest.mark.parametrize(
    ("manager", "project", "wanted"),
    [
        ("pip", None, f"{PYTHON} -m pip install 'numpy<2'"),
        ("uv", None, f"uv pip install --python {PYTHON} 'numpy<2'"),
        ("uv", PROJECT, f"uv add --project {PROJECT} 'numpy<2'"),
        ("poetry", PROJECT, f"poetry -C {PROJECT} add 'numpy<2'"),
        ("poetry", None, "poetry add 'numpy<2'"),
        ("pdm", PROJECT, f"pdm add -p {PROJECT} 'numpy<2'"),
        ("pixi", PROJECT, f"pixi add --manifest-path {PROJECT} --pypi 'numpy<2'"),
        ("pipx", None, "pipx inject --force .venv 'numpy<2'"),
        ("conda", None, f"{PYTHON} -m pip install 'numpy<2'"),
    ],
)
def test_a_requirement(manager: str, project: str | None, wanted: str) -> None:
    assert codes(plan("install-required-version", interpreter(manager, project), requirement="numpy<2")) == [wanted]


@pytest.mark.parametrize(
    ("manager", "wanted"),
    [
        ("pip", f"{PYTHON} -m pip install --upgrade onnxruntime"),
        ("uv", f"uv add --project {PROJECT} 'onnxruntime>1.16.3'"),
        ("poetry", f"poetry -C {PROJECT} add 'onnxruntime>1.16.3'"),
        ("pdm", f"pdm add -p {PROJECT} 'onnxruntime>1.16.3'"),
    ],
)
def test_an_update_is_a_wish_for_a_newer_release(manager: str, wanted: str) -> None:
    project = None if manager == "pip" else PROJECT
    assert codes(plan("update-package", interpreter(manager, project), package_name="onnxruntime")) == [wanted]


@pytest.mark.parametrize("manager", ["poetry", "pdm"])
def test_the_same_release_again_is_no_change_of_the_manifest(manager: str) -> None:
    found = plan("reinstall-damaged-package", interpreter(manager), package_name="numpy", import_names="numpy")
    line = f"{PYTHON} -m pip install --force-reinstall --no-deps --no-cache-dir numpy==2.2.6"
    assert codes(found) == [line]


def test_what_conda_installed_stays_conda_s() -> None:
    numpy = Package(name="numpy", version="2.2.6", build="py311_0", channel="conda-forge")
    six = Package(name="six", version="1.0")
    python = interpreter("conda", None, numpy, six)
    prefix = "/home/ada/proj/.venv"
    assert codes(plan("install-required-version", python, requirement="numpy<2")) == [
        f"conda install --prefix {prefix} 'numpy<2'"
    ]
    again = plan("reinstall-damaged-package", python, package_name="numpy", import_names="numpy")
    assert codes(again) == [f"conda install --prefix {prefix} --force-reinstall numpy==2.2.6"]
    assert codes(plan("install-required-version", python, requirement="six>2")) == [f"{PYTHON} -m pip install 'six>2'"]
    pixi = msgspec_replaced(python, "pixi")
    assert codes(plan("install-required-version", pixi, requirement="numpy<2")) == [
        f"pixi add --manifest-path {PROJECT} 'numpy<2'"
    ]


def msgspec_replaced(python: InterpreterFacts, manager: str) -> InterpreterFacts:
    import msgspec

    return msgspec.structs.replace(python, package_manager=manager, project=PROJECT)


def test_windows_reads_it_too() -> None:
    found = plan("install-required-version", interpreter("uv"), "Windows", requirement="numpy<2")
    assert codes(found) == [f'uv add --project {PROJECT} "numpy<2"']


def test_an_index_goes_with_it() -> None:
    torch = (Package(name="torch", version="2.6.0+cu124"),)
    address = "https://download.pytorch.org/whl/cu124"
    python = interpreter("poetry", PROJECT, *torch)
    assert codes(plan("update-package", python, package_name="torch"))[0].splitlines() == [
        f"poetry -C {PROJECT} source add --priority explicit naosu {address}",
        f"poetry -C {PROJECT} add --source naosu 'torch>2.6.0'",
    ]
    python = interpreter("uv", PROJECT, *torch)
    wanted = f"uv add --project {PROJECT} --index {address} 'torch>2.6.0'"
    assert codes(plan("update-package", python, package_name="torch")) == [wanted]


@pytest.mark.parametrize(
    ("there", "named", "wanted"),
    [
        ("tensorflow-cpu", "tensorflow", "tensorflow-cpu"),
        ("opencv-python-headless", "opencv-python", "opencv-python-headless"),
        ("onnxruntime-directml", "onnxruntime", "onnxruntime-directml"),
        ("tensorflow", "tensorflow", "tensorflow"),
        ("six", "tensorflow", "tensorflow"),
    ],
)
def test_the_distribution_that_is_there_is_the_one_that_is_named(there: str, named: str, wanted: str) -> None:
    python = interpreter("pip", None, Package(name=there, version="2.0"))
    found = plan("update-package", python, package_name=named)
    assert codes(found) == [f"{PYTHON} -m pip install --upgrade {wanted}"]
    assert wanted in found.title
    found = plan("install-required-version", python, requirement=f"{named}>=2.1")
    assert codes(found) == [f"{PYTHON} -m pip install '{wanted}>=2.1'"]


def test_of_two_siblings_nobody_knows_which_is_meant() -> None:
    both = (Package(name="tensorflow-cpu", version="2.0"), Package(name="tensorflow-intel", version="2.0"))
    python = interpreter("pip", None, *both)
    found = plan("update-package", python, package_name="tensorflow")
    assert codes(found) == [f"{PYTHON} -m pip install --upgrade tensorflow"]


def test_an_installed_flavour_of_onnx_runtime_is_updated() -> None:
    python = interpreter("pip", None, Package(name="onnxruntime-gpu", version="1.20.0"))
    assert codes(plan("update-onnxruntime", python)) == [f"{PYTHON} -m pip install --upgrade onnxruntime-gpu"]


def test_a_command_of_a_tool_that_is_not_this_environment_s_comes_after_what_fits() -> None:
    remedies = ("use-newer-libstdcxx", "make-fresh-environment")
    finding = Finding(
        cause="library-path-conflict", severity=Severity.BLOCKING, confidence=0.9, values={}, remedies=remedies
    )

    def order(manager: str | None) -> list[str]:
        python = InterpreterFacts(path=PYTHON, package_manager=manager)
        machine = MachineFacts(os=OsFacts(system="Linux"))
        facts = Facts(machine=machine, interpreters=(python,), target=PYTHON, here=True)
        return [planned.id for planned in plan_remedies(finding, facts, "en")]

    assert order("pip") == [*reversed(remedies)]
    assert order("conda") == [*remedies]
    assert order(None) == [*remedies], "nobody knows"


HATCH = "/home/ada/.local/share/hatch/env/virtual/proj/HXQx95Uq/proj"


@pytest.mark.parametrize(
    ("kind", "prefix", "base", "said"),
    [
        ("uv", "/home/ada/.local/share/uv/tools/flask", "/usr", "uv tool upgrade"),
        ("venv", HATCH, "/usr", "Hatch"),
        ("uv", "/home/ada/.local/share/uv/python/cpython-3.12.1-linux", None, ""),
        ("venv", "/home/ada/proj/.venv", "/usr", ""),
    ],
)
def test_what_a_tool_would_undo_later_is_said(kind: str, prefix: str, base: str | None, said: str) -> None:
    manager = "uv" if kind == "uv" else "pip"
    python = msgspec.structs.replace(
        interpreter(manager, None), kind=kind, prefix=prefix, base_prefix=base or prefix, path=f"{prefix}/bin/python"
    )
    risk = plan("install-required-version", python, requirement="numpy<2").risk
    assert said in risk
    assert ("undoes this" in risk) == bool(said)


def test_a_command_of_conda_names_the_environment() -> None:
    """Whoever pastes it in another environment would change that one."""
    python = interpreter("conda", None, Package(name="numpy", version="2.2.6", build="py311_0"))
    values = {"package_name": "numpy", "import_names": "numpy", "same_release": "numpy==2.2.6"}
    (code,) = codes(plan("reinstall-damaged-conda-package", python, **values))
    assert code == "conda install --prefix /home/ada/proj/.venv --force-reinstall --no-deps numpy==2.2.6"
    (change,) = changes_in((code,), PYTHON)
    assert isinstance(change, Managed)
    assert (change.verb, change.wanted) == ("again", ("numpy==2.2.6",))
