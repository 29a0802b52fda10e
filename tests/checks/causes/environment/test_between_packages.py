"""What packages do among each other is not called the fault of the user's program."""

import msgspec
import pytest
from support.runs import SITE, failed

from checks.causes.environment.dependency_version_conflict import dependency_version_conflict
from checks.causes.environment.environment_variable_invalid import environment_variable_invalid
from checks.facts import Facts, Frame, LoadedModule, OsFacts, Package, Proof, Raised
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.question import SymptomName
from checks.judgement.judge import judged
from checks.remedies.plan import plan_remedies

OWN = Frame(file="/home/user/app/train.py", line=2, code="class A(BaseModel):")
INSIDE = Frame(
    file=f"{SITE}/pydantic/_internal/_metadata.py", line=9, code="schema = make(fields, extras_keys_schema=1)"
)
# recorded with pydantic 2.11.7 beside pydantic-core 2.27.2
MISFIT = Raised(
    type="TypeError",
    message="model_fields_schema() got an unexpected keyword argument 'extras_keys_schema'",
    frames=(OWN, INSIDE),
)
PYDANTIC = Package(name="pydantic", version="2.11.7", requires=("pydantic-core==2.33.2",))
CORE = Package(name="pydantic-core", version="2.27.2")


def conflicts(facts: Facts) -> list[Finding]:
    target = facts.target_interpreter
    assert target is not None
    return list(dependency_version_conflict(target, OsFacts(system="Linux"), None, None, facts.program_runs))


def first(facts: Facts) -> Finding:
    return judged(facts, Answers(symptom=SymptomName.DOES_NOT_START)).findings[0]


def test_a_call_between_two_packages_that_do_not_fit_is_their_conflict() -> None:
    (finding,) = conflicts(failed(MISFIT, PYDANTIC, CORE))
    assert (finding.severity, finding.confidence) == (Severity.BLOCKING, 0.85)
    assert finding.values["requirement"] == "pydantic-core==2.33.2"
    assert FAILED_RUN in finding.values
    assert first(failed(MISFIT, PYDANTIC, CORE)).cause == "dependency-version-conflict"


CLIENT = f"{SITE}/openai/_base_client.py"
OPENAI = Package(name="openai", version="1.40.0", requires=("httpx<1,>=0.23.0",))


@pytest.mark.parametrize(
    ("own", "is_theirs"), [('openai.OpenAI(api_key="x")', True), ("openai.OpenAI(**settings)", False)]
)
def test_a_class_of_a_package_whose_parent_in_another_refuses_a_keyword(own: str, is_theirs: bool) -> None:
    # recorded with openai 1.40.0 beside httpx 0.28.1, whose metadata fit
    frames = (
        Frame(file="/home/user/app/train.py", line=2, code=own),
        Frame(file=CLIENT, line=843, function="__init__", code="self._client = http_client or SyncHttpxClientWrapper("),
        Frame(file=CLIENT, line=741, function="__init__", code="super().__init__(**kwargs)"),
    )
    message = "Client.__init__() got an unexpected keyword argument 'proxies'"
    facts = failed(
        Raised(type="TypeError", message=message, frames=frames), OPENAI, Package(name="httpx", version="0.28.1")
    )
    found = conflicts(facts)
    assert [finding.values["package_name"] for finding in found] == (["openai"] if is_theirs else [])
    if is_theirs:
        assert plan_remedies(first(facts), facts, "en")[0].id == "update-package"


def test_the_users_own_wrong_call_is_his() -> None:
    own = msgspec.structs.replace(MISFIT, frames=(OWN,))
    (finding,) = conflicts(failed(own, PYDANTIC, CORE))
    assert finding.severity is Severity.WARNING
    assert first(failed(own, PYDANTIC, CORE)).cause == "user-code-error"


@pytest.mark.parametrize(
    ("message", "own", "inside"),
    [
        ("Session.request() got an unexpected keyword argument 'timeoutt'", "requests.get(url, timeoutt=3)",
         "return session.request(method=method, url=url, **kwargs)"),
        ("Net.forward() got an unexpected keyword argument 'labels'", "trainer.train()",
         "return forward_call(*args, **kwargs)"),
        ("collate() missing 1 required positional argument: 'size'", "for batch in loader:",
         "return self.collate_fn(data)"),
    ],
)  # fmt: skip
def test_what_a_package_is_only_handed_is_not_its_conflict(message: str, own: str, inside: str) -> None:
    frames = (
        Frame(file="/home/user/app/train.py", line=2, code=own),
        Frame(file=f"{SITE}/pydantic/main.py", line=9, code=inside),
    )
    facts = failed(Raised(type="TypeError", message=message, frames=frames), PYDANTIC, CORE)
    assert [finding.severity for finding in conflicts(facts)] == [Severity.WARNING]
    assert first(facts).cause != "dependency-version-conflict"


def test_what_fails_while_a_package_is_imported_is_not_his_code() -> None:
    raised = Raised(
        type="ValueError",
        message="Key backend: 'TkAggg' is not a valid value for backend",
        frames=(
            Frame(file="/home/user/app/train.py", line=1, code="import matplotlib.pyplot as plt"),
            Frame(file=f"{SITE}/matplotlib/pyplot.py", line=9, function="<module>", code="switch_backend(...)"),
        ),
    )
    facts = failed(raised, Package(name="matplotlib", version="3.10.5"))
    assert first(facts).cause == "unknown"
    (run,) = facts.runs
    quoting = msgspec.structs.replace(run, quoted_variables={"PLOT_BACKEND": "TkAggg"})
    facts = msgspec.structs.replace(facts, runs=(quoting,), here=True)
    (finding,) = environment_variable_invalid(None, facts.target_interpreter, None, None, facts.program_runs)
    assert (finding.subject, finding.severity, finding.confidence) == ("PLOT_BACKEND", Severity.BLOCKING, 0.75)
    (plan,) = plan_remedies(finding, facts, "en")
    assert plan.steps[0].code == "unset PLOT_BACKEND"
    sent = msgspec.structs.replace(facts, here=False)
    assert all("PLOT_BACKEND" not in step.code for plan in plan_remedies(finding, sent, "en") for step in plan.steps)


def test_a_cause_is_as_good_as_certain_once_mending_it_was_seen_to_help() -> None:
    facts = failed(MISFIT, PYDANTIC, CORE)
    proof = Proof(
        cause="dependency-version-conflict", subject="pydantic", remedy="install-required-version", result="proven"
    )
    for way, confidence in (("copy", 0.95), ("new", 0.85)):
        tried = msgspec.structs.replace(facts, proofs=(msgspec.structs.replace(proof, way=way),))
        assert first(tried).confidence == confidence


def test_a_name_that_a_package_lacks_may_be_misspelt_or_meant_of_another_release() -> None:
    raised = Raised(
        type="AttributeError",
        message="module 'regex' has no attribute 'encode'",
        frames=(Frame(file="/home/user/app/train.py", line=3, code="regex.encode(1)"),),
    )
    facts = failed(raised, Package(name="regex", version="2025.1"))
    (run,) = facts.runs
    loaded = (LoadedModule(name="regex", file=f"{SITE}/regex/__init__.py"),)
    pythons = tuple(msgspec.structs.replace(python, modules=loaded) for python in run.pythons)
    facts = msgspec.structs.replace(facts, runs=(msgspec.structs.replace(run, pythons=pythons),))
    assert (first(facts).cause, first(facts).confidence) == ("user-code-error", 0.6)


def test_what_the_words_of_a_failure_show_goes_before_a_variable_that_they_quote() -> None:
    raised = Raised(
        type="torch.OutOfMemoryError",
        message="CUDA out of memory. Tried to allocate 100.00 GiB. GPU 0 has a total capacity of 79.18 GiB of which "
        "78.64 GiB is free. Loading: /opt/models/a",
        frames=(Frame(file="/home/user/app/train.py", line=3, code="load()"),),
    )
    facts = failed(raised, Package(name="torch", version="2.6.0"))
    (run,) = facts.runs
    quoting = msgspec.structs.replace(run, quoted_variables={"MODEL": "/opt/models/a"})
    causes = [
        finding.cause
        for finding in judged(
            msgspec.structs.replace(facts, runs=(quoting,)), Answers(symptom=SymptomName.DOES_NOT_START)
        ).findings
    ]
    assert "environment-variable-invalid" not in causes
    assert causes[0] not in ("unknown", "user-code-error")


def test_what_a_package_asks_for_in_words_is_what_is_installed() -> None:
    # recorded with transformers 4.57.1 beside accelerate 0.20.3
    raised = Raised(
        type="ImportError",
        message="Using the `Trainer` with `PyTorch` requires `accelerate>=0.26.0`: Please run"
        " `pip install transformers[torch]` or `pip install 'accelerate>=0.26.0'`",
        frames=(
            Frame(file="/home/user/app/train.py", line=3, code="TrainingArguments('x').device"),
            Frame(file=f"{SITE}/transformers/training_args.py", line=9, code="raise ImportError("),
        ),
    )
    transformers = Package(name="transformers", version="4.57.1")
    facts = failed(raised, transformers, Package(name="accelerate", version="0.20.3"))
    facts = msgspec.structs.replace(facts, here=True)
    plan, *_ = plan_remedies(first(facts), facts, "en")
    assert plan.steps[0].code == "/home/user/env/bin/python -m pip install 'accelerate>=0.26.0'"


def test_torchvision_of_another_torch_is_what_a_failure_inside_it_shows() -> None:
    # recorded with torchvision 0.20.1 beside torch 2.13.0
    raised = Raised(
        type="RuntimeError",
        message="operator torchvision::nms does not exist",
        frames=(
            Frame(file="/home/user/app/train.py", line=1, code="import torchvision"),
            Frame(file=f"{SITE}/torchvision/_meta_registrations.py", line=163, function="<module>", code="@register"),
            Frame(file=f"{SITE}/torch/library.py", line=493, code="if torch._C._dispatch_has_kernel("),
        ),
    )
    vision = Package(name="torchvision", version="0.20.1", requires=("torch (==2.5.1)",))
    facts = failed(raised, vision, Package(name="torch", version="2.13.0"))
    assert first(facts).cause == "framework-companion-mismatch"
    assert FAILED_RUN in first(facts).values


SEABORN, PANDAS = Package(name="seaborn", version="0.11.2"), Package(name="pandas", version="2.2.2")
OPTION = (
    Frame(file="/home/user/app/plot.py", line=2, code='seaborn.histplot(table, x="a")'),
    Frame(file=f"{SITE}/seaborn/_core.py", line=1054, code="with pd.option_context('mode.use_inf_as_null', True):"),
    Frame(file=f"{SITE}/pandas/_config/config.py", line=132, code='raise OptionError(f"No such keys(s): {pat!r}")'),
)


@pytest.mark.parametrize(
    ("kind", "message", "is_theirs"),
    [
        # recorded with seaborn 0.11.2 beside pandas 2.2.2
        ("pandas._config.config.OptionError", "No such keys(s): 'mode.use_inf_as_null'", True),
        ("KeyError", "'mode.use_inf_as_null'", False),
        ("pandas._config.config.OptionError", "No such keys(s): 'display.own'", False),
    ],
)
def test_a_name_that_one_package_spells_out_and_another_refuses(kind: str, message: str, is_theirs: bool) -> None:
    found = conflicts(failed(Raised(type=kind, message=message, frames=OPTION), SEABORN, PANDAS))
    assert [finding.values["package_name"] for finding in found] == (["seaborn"] if is_theirs else [])


TYPER, CLICK = Package(name="typer", version="0.9.0"), Package(name="click", version="8.2.1")


@pytest.mark.parametrize(
    ("about", "is_theirs"), [(f"{SITE}/click/core.py", True), ("/home/user/app/main.py", False), ("", False)]
)
def test_a_call_that_lacks_what_another_package_wants(about: str, is_theirs: bool) -> None:
    # recorded with typer 0.9.0 beside click 8.2.1
    frames = (
        Frame(file="/home/user/app/main.py", line=3, code="typer.run(main)"),
        Frame(file=f"{SITE}/typer/rich_utils.py", line=369, code="metavar_str = param.make_metavar()"),
    )
    message = "Parameter.make_metavar() missing 1 required positional argument: 'ctx'"
    found = conflicts(failed(Raised(type="TypeError", message=message, frames=frames, about=about), TYPER, CLICK))
    assert [finding.values["package_name"] for finding in found] == (["typer"] if is_theirs else [])


# pytest-asyncio 0.21.1 beside pytest 8.2.2, as pytest prints it
TESTS = """
_________________________ ERROR at setup of test_model _________________________

        func = _perhaps_rebind_fixture_func(
>           fixture, request.instance, fixturedef.unittest
        )
E       AttributeError: 'FixtureDef' object has no attribute 'unittest'

../env/lib/python3.11/site-packages/pytest_asyncio/plugin.py:319: AttributeError
=========================== short test summary info ============================
ERROR test_model.py::test_model - AttributeError: 'FixtureDef' object has no ...
"""


@pytest.mark.parametrize(
    ("text", "is_theirs"),
    [
        (TESTS, True),
        (TESTS.replace("../env/lib/python3.11/site-packages/pytest_asyncio/plugin.py", "tests/conftest.py"), False),
    ],
)
def test_a_test_that_fails_between_packages(text: str, is_theirs: bool) -> None:
    facts = failed(None, Package(name="pytest-asyncio", version="0.21.1"), Package(name="pytest", version="8.2.2"))
    run = msgspec.structs.replace(facts.runs[0], output=text, errors="")
    found = conflicts(msgspec.structs.replace(facts, runs=(run,)))
    assert [finding.values["package_name"] for finding in found] == (["pytest-asyncio"] if is_theirs else [])


def test_rounding_ends_no_program() -> None:
    words = "onnxruntime.capi.onnxruntime_pybind11_state.Fail: [ONNXRuntimeError] : 1 : FAIL : Load model from net.onnx"
    run = msgspec.structs.replace(failed(None).runs[0], errors=f"{words} failed:system error number 13")
    found = first(msgspec.structs.replace(failed(None), runs=(run,)))
    assert (found.cause, found.severity) == ("unknown", Severity.BLOCKING)
