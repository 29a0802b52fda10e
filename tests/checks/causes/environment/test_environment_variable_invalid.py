"""When environment-variable-invalid speaks, and when it keeps silent. The texts are what real programs printed."""

import re

import pytest

from checks.causes.environment.environment_variable_invalid import environment_variable_invalid
from checks.facts import (
    EnvironmentVariables,
    ErrorText,
    Facts,
    Frame,
    Frameworks,
    InterpreterFacts,
    JaxFacts,
    Package,
    ProbeRun,
    ProbeRuns,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, Severity
from checks.facts.runs import StageRun
from checks.facts.search import OwnModule, SearchedFacts
from checks.judgement.judge import judged
from checks.knowledge.packages.environment_variables import allowed_names
from checks.knowledge.packages.variable_values import KERAS_FILE, VariableValues


def packages(*names: str) -> tuple[Package, ...]:
    return tuple(Package(name=name, version=version) for name, _, version in (word.partition("==") for word in names))


def findings(
    values: dict[str, str],
    *installed: str,
    frameworks: Frameworks | None = None,
    runs: tuple[ProbeRun, ...] = (),
    programs: tuple[ProgramRun, ...] = (),
    keras: dict[str, str] | None = None,
) -> list[Finding]:
    return list(
        environment_variable_invalid(
            EnvironmentVariables(values=values, keras=keras),
            InterpreterFacts(path="/env/bin/python", version="3.11.7", packages=packages(*installed)),
            frameworks,
            ProbeRuns(runs=runs),
            ProgramRuns(runs=programs) if programs else None,
        )
    )


def crashed(probe: str, text: str) -> ProbeRun:
    return ProbeRun(probe=probe, status="crashed", stderr_tail=text)


JAX = Frameworks(jax=JaxFacts(version="0.4.38", imported=True))
XLA = "F external/xla/xla/parse_flags_from_env.cc:226] Unknown flags in XLA_FLAGS: --xla_bogus=true"
LOGS = "\nInvalid log settings: verbose, must be a comma separated list of fully\nqualified module names, registered"


@pytest.mark.parametrize(
    ("values", "frameworks", "runs", "variable"),
    [
        ({"XLA_FLAGS": "--xla_bogus=true"}, JAX, (crashed("jax", XLA),), "XLA_FLAGS"),
        (
            {"TORCH_LOGS": "verbose"},
            Frameworks(torch=TorchFacts(imported=False, error=ErrorText(type="ValueError", message=LOGS))),
            (),
            "TORCH_LOGS",
        ),
        (
            {"PYTHONHASHSEED": "abc"},
            None,
            (crashed("torch", 'Fatal Python error: config_init_hash_seed: PYTHONHASHSEED must be "random" or'),),
            "PYTHONHASHSEED",
        ),
        (
            {"PYTHONHOME": "/nowhere"},
            None,
            (crashed("torch", "ModuleNotFoundError: No module named 'encodings'"),),
            "PYTHONHOME",
        ),
        (
            {"JAX_PLATFORMS": "gpux"},
            Frameworks(
                jax=JaxFacts(
                    imported=True,
                    unread={"devices": "Backend 'gpux' is not in the list of known backends: ['cpu', 'tpu']."},
                )
            ),
            (),
            "JAX_PLATFORMS",
        ),
        (
            {"JAX_LOGGING_LEVEL": "foo"},
            None,
            (
                ProbeRun(
                    probe="jax",
                    status="failed",
                    stages=(
                        StageRun(
                            name="imported",
                            ended=True,
                            error=ErrorText(
                                type="ValueError", message='Invalid value "foo" for JAX flag jax_logging_level'
                            ),
                        ),
                    ),
                ),
            ),
            "JAX_LOGGING_LEVEL",
        ),
    ],
)
def test_what_the_reader_says_is_enough(
    values: dict[str, str], frameworks: Frameworks | None, runs: tuple[ProbeRun, ...], variable: str
) -> None:
    (finding,) = findings(values, "jax==0.4.38", "torch==2.13.0", frameworks=frameworks, runs=runs)
    assert (finding.subject, finding.severity, finding.confidence) == (variable, Severity.BLOCKING, 0.97)
    assert finding.placeholders()["variable_value"] == f'"{values[variable]}"'
    assert finding.remedies == ("unset-environment-variable",)


def test_the_users_own_program_says_it() -> None:
    run = ProgramRun(exit_code=1, errors="ValueError: invalid truth value 'maybe' for environment 'JAX_DEBUG_NANS'")
    (finding,) = findings({"JAX_DEBUG_NANS": "maybe"}, "jax==0.10.2", programs=(run,))
    assert finding.severity is Severity.BLOCKING


@pytest.mark.parametrize(
    "values", [{}, {"XLA_FLAGS": "--another=1"}, {"JAX_PLATFORMS": "cpu"}], ids=["unset", "another", "elsewhere"]
)
def test_words_about_a_value_that_is_not_set_here_accuse_nothing(values: dict[str, str]) -> None:
    assert findings({"LANG": "C", **values}, "jax==0.4.38", frameworks=JAX, runs=(crashed("jax", XLA),)) == []


@pytest.mark.parametrize(
    ("values", "installed", "severity", "fit"),
    [
        ({"JAX_ENABLE_X64": "treu"}, "jax==0.4.38", Severity.BLOCKING, "true"),
        ({"JAX_ENABLE_X64": ""}, "jax==0.4.38", Severity.BLOCKING, ""),
        ({"JAX_PLATFORMS": "cuda"}, "jax==0.4.38", Severity.WARNING, ""),
        ({"KERAS_BACKEND": "tensorfow"}, "keras==3.9.0", Severity.BLOCKING, "tensorflow"),
        ({"KERAS_BACKEND": "torch"}, "keras==3.9.0", Severity.BLOCKING, ""),
        ({"TF_USE_LEGACY_KERAS": "1"}, "tensorflow==2.18.0", Severity.WARNING, ""),
        ({"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "pyton"}, "protobuf==5.29.5", Severity.BLOCKING, "python"),
        ({"PYTORCH_CUDA_ALLOC_CONF": "max_split_size:128"}, "torch==2.6.0", Severity.BLOCKING, ""),
        ({"OMP_NUM_THREADS": "0"}, "torch==2.6.0", Severity.NOTE, ""),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS"}, "torch==2.6.0", Severity.NOTE, "PCI_BUS_ID"),
    ],
)
def test_what_the_table_knows(values: dict[str, str], installed: str, severity: Severity, fit: str) -> None:
    (finding,) = findings(values, installed)
    assert (finding.severity, finding.named("variable_fit")) == (severity, fit)
    assert finding.remedies[:1] == ("set-environment-variable" if fit else "unset-environment-variable",)


def test_what_was_seen_to_import_is_not_accused_of_refusing() -> None:
    imported = Frameworks(jax=JaxFacts(version="0.4.38", imported=True))
    assert findings({"JAX_ENABLE_X64": "maybe"}, "jax==0.4.38", frameworks=imported) == []
    (later,) = findings({"TORCHINDUCTOR_COMPILE_THREADS": "x"}, "torch==2.6.0")
    assert later.confidence < 0.8


@pytest.mark.parametrize(
    ("values", "installed"),
    [
        ({"JAX_ENABLE_X64": "TRUE", "JAX_PLATFORMS": "cpu,cuda", "JAX_DEBUG_NANS": "0"}, "jax==0.4.38"),
        ({"JAX_PLATFORMS": "my_own_plugin", "XLA_FLAGS": "--xla_anything=1"}, "jax==0.4.38"),
        ({"JAX_ENABLE_X64": "maybe", "TORCH_DISTRIBUTED_DEBUG": "foo"}, "numpy==2.0.0"),
        ({"KERAS_BACKEND": "theano"}, "keras==2.15.0"),
        ({"TF_USE_LEGACY_KERAS": "1"}, "tensorflow==2.15.0"),
        ({"OMP_NUM_THREADS": "4,2", "OMP_PROC_BIND": "Spread,close", "OMP_SCHEDULE": "dynamic, 4"}, "torch==2.6.0"),
        ({"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:[256:1,512:2,>:4],backend:native"}, "torch==2.6.0"),
        ({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}, "torch==2.6.0"),
        ({"TORCH_LOGS": "+dynamo,my.module"}, "torch==2.6.0"),
        ({"PYTHONHASHSEED": "4294967295", "PYTHONMALLOC": "malloc", "PYTHONUTF8": "1", "PYTHONHOME": "/usr"}, "six==1"),
        ({"HF_HUB_ENABLE_HF_TRANSFER": "1"}, "huggingface-hub==1.4.0"),
        ({"A_VARIABLE_OF_ONES_OWN": "?"}, "torch==2.6.0"),
    ],
)
def test_valid_and_unknown_values_never_disturb(values: dict[str, str], installed: str) -> None:
    assert findings(values, installed) == []


@pytest.mark.parametrize(("value", "is_wrong"), [("4294967296", True), ("4294967294", False), ("-1", True)])
def test_hash_seeds(value: str, is_wrong: bool) -> None:
    assert bool(findings({"PYTHONHASHSEED": value})) is is_wrong


def test_the_settings_file_of_keras_is_not_to_blame_where_there_is_no_backend_at_all() -> None:
    assert findings({}, "keras==3.9.0", keras={"backend": "tensorflow"}) == []
    (finding,) = findings({}, "keras==3.9.0", "jax==0.4.38", keras={"backend": "tensorflow"})
    assert finding.subject == "keras.json: backend"


def test_keras_settings_file_gives_way_to_the_variable() -> None:
    (finding,) = findings({}, "keras==3.9.0", keras={"backend": "theano"})
    assert finding.subject == f"{KERAS_FILE}backend"
    assert finding.remedies == ("edit-keras-settings",)
    assert findings({"KERAS_BACKEND": "numpy"}, "keras==3.9.0", keras={"backend": "theano"}) == []


def test_every_variable_of_the_table_is_read_by_the_probe() -> None:
    known = {*allowed_names(), *(KERAS_FILE + name for name in ("backend", "floatx", "image_data_format"))}
    for row in VariableValues.read().variable:
        assert set(row.names) <= known
        assert row.pattern == "" or re.compile(row.pattern)
        assert (row.effect, row.when) in {
            (effect, when) for effect in ("refused", "ignored") for when in ("start", "import", "use")
        }


def _in_locale(code: str) -> ProgramRun:
    raised = Raised(
        type="locale.Error", message="unsupported locale setting", frames=(Frame(file="main.py", code=code),)
    )
    return ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))


@pytest.mark.parametrize(
    ("values", "code", "variable"),
    [
        ({"LC_ALL": "ja_JP.UTF-8"}, 'locale.setlocale(locale.LC_ALL, "")', "LC_ALL"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": ""}, "locale.setlocale(category, wanted)", "LANG"),
        ({"LANG": "ja_JP.UTF-8"}, 'locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")', None),
        ({"LC_ALL": "C.UTF-8", "LANG": "ja_JP.UTF-8"}, 'locale.setlocale(locale.LC_ALL, "")', None),
        ({}, 'locale.setlocale(locale.LC_ALL, "")', None),
    ],
)
def test_a_locale_that_the_system_does_not_have(values: dict[str, str], code: str, variable: str | None) -> None:
    found = findings(values, programs=(_in_locale(code),))
    assert [finding.subject for finding in found] == ([variable] if variable else [])
    assert all(finding.values[FAILED_RUN] == "python main.py" for finding in found)


@pytest.mark.parametrize(
    ("value", "is_beside", "cause"),
    [
        ("1", True, "environment-variable-invalid"),
        ("", True, "user-code-error"),
        ("1", False, "user-code-error"),
        (None, None, "package-not-installed"),
    ],
)
def test_a_module_of_the_user_s_own_that_lies_where_python_does_not_look(
    value: str | None, is_beside: bool | None, cause: str
) -> None:
    raised = Raised(type="ModuleNotFoundError", message="No module named 'my_scores'", name="my_scores")
    run = ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    own = OwnModule(module="my_scores", folder="/home/user/proj", is_beside_program=bool(is_beside))
    case = judged(
        Facts(
            interpreters=(InterpreterFacts(path="/env/bin/python", version="3.11.7", packages=packages("numpy==2.0")),),
            target="/env/bin/python",
            environment=EnvironmentVariables(values={"PYTHONSAFEPATH": value} if value else {}),
            searched=SearchedFacts(own_modules=(own,) if is_beside is not None else ()),
            runs=(run,),
        ),
        Answers(symptom="does-not-start"),
    )
    assert case.findings[0].cause == cause
    assert case.findings[0].severity is Severity.BLOCKING
