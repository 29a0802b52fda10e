"""When package-not-installed speaks, and when it keeps silent."""

import msgspec
import pytest
from support.runs import SITE, failed, frames_of

from checks.causes.environment.framework_not_installed import framework_not_installed
from checks.causes.environment.package_not_installed import package_not_installed
from checks.facts import InterpreterFacts, Package, Raised
from checks.facts.finding import FAILED_RUN, Finding, NotHere
from checks.remedies.plan import plan_remedies

TRANSFORMERS = Package(name="transformers", version="4.40.2", requires=("tokenizers<0.20", "filelock"))


def findings(raised: Raised, *packages: Package, others: tuple[InterpreterFacts, ...] = ()) -> list[Finding]:
    facts = failed(raised, *packages, others=others)
    return list(package_not_installed(facts.target_interpreter, facts))


def no_module(name: str, *files: str) -> Raised:
    return Raised(type="ModuleNotFoundError", message=f"No module named {name!r}", name=name, frames=frames_of(*files))


@pytest.mark.parametrize(
    ("module", "distribution"),
    [
        ("cv2", "opencv-python"),
        ("PIL", "pillow"),
        ("sklearn", "scikit-learn"),
        ("yaml", "pyyaml"),
        ("librosa", "librosa"),
    ],
)
def test_speaks_of_the_distribution_of_a_module(module: str, distribution: str) -> None:
    (finding,) = findings(no_module(module, "/home/user/app/train.py"))
    assert finding.subject == distribution
    assert finding.named("requirement") == distribution
    assert finding.named("import_statement") == f"import {module}"
    assert FAILED_RUN in finding.values


def test_names_the_interpreter_that_has_it() -> None:
    other = InterpreterFacts(path="/opt/other/bin/python", packages=(Package(name="opencv-python", version="4.11.0"),))
    (finding,) = findings(no_module("cv2", "/home/user/app/train.py"), others=(other,))
    assert finding.named("other_python") == "/opt/other/bin/python"


@pytest.mark.parametrize(
    ("type_", "message", "requirement"),
    [
        pytest.param(
            "ImportError",
            "\nT5Tokenizer requires the SentencePiece library but it was not found in your environment. Checkout",
            "sentencepiece",
            id="transformers",
        ),
        pytest.param(
            "ImportError",
            "Using the `Trainer` with `PyTorch` requires `accelerate>=0.26.0`: Please run"
            " `pip install transformers[torch]` or `pip install 'accelerate>=0.26.0'`",
            "accelerate>=0.26.0",
            id="accelerate",
        ),
        pytest.param(
            "ImportError", "Missing optional dependency 'openpyxl'.  Use pip or conda.", "openpyxl", id="pandas"
        ),
        pytest.param(
            "ImportError",
            "Using SOCKS proxy, but the 'socksio' package is not installed. Make sure to install httpx using"
            " `pip install httpx[socks]`.",
            "httpx[socks]",
            id="extra",
        ),
        pytest.param(
            "RuntimeError", 'Form data requires "python-multipart" to be installed.', "python-multipart", id="form"
        ),
    ],
)
def test_speaks_of_what_is_asked_for_in_words(type_: str, message: str, requirement: str) -> None:
    raised = Raised(type=type_, message=message, frames=frames_of(f"{SITE}/transformers/utils/import_utils.py"))
    (finding,) = findings(raised, TRANSFORMERS)
    assert finding.named("requirement") == requirement


@pytest.mark.parametrize(
    "raised",
    [
        pytest.param(no_module("utils.plots", "/home/user/app/train.py"), id="own-code"),
        pytest.param(no_module("torch", "/home/user/app/train.py"), id="a-framework"),
        pytest.param(
            no_module("transformers.models.new", "/home/user/app/train.py"), id="part-of-an-installed-package"
        ),
        pytest.param(no_module("_ctypes", f"{SITE}/transformers/__init__.py"), id="part-of-python"),
        pytest.param(no_module("tokenizers", f"{SITE}/transformers/__init__.py"), id="asked-for-by-metadata"),
        pytest.param(Raised(type="KeyError", message="'please install torchaudio'"), id="another-exception"),
    ],
)
def test_silent(raised: Raised) -> None:
    assert findings(raised, TRANSFORMERS) == []


def test_a_name_that_no_table_knows_is_less_sure_and_not_installed_by_a_command() -> None:
    (finding,) = findings(no_module("zzqx_tools", "/home/user/app/train.py"))
    assert (finding.subject, finding.confidence) == ("zzqx-tools", 0.6)
    plans = plan_remedies(msgspec.structs.replace(finding, cause="package-not-installed"), failed(None), "en")
    assert [plan.id for plan in plans] == ["find-package-of-module"]


def test_a_folder_of_data_is_no_package() -> None:
    raised = Raised(
        type="ImportError",
        message="cannot import name 'load_dataset' from 'datasets' (unknown location)",
        name="datasets",
        frames=frames_of("/home/user/app/train.py"),
    )
    (finding,) = findings(raised)
    assert finding.subject == "datasets"
    assert findings(raised, Package(name="datasets", version="3.0.0")) == []


@pytest.mark.parametrize(
    ("errors", "subjects"),
    [
        pytest.param("12:00 ERROR app: no tokenizer: No module named 'sentencepiece'\n", ["sentencepiece"], id="last"),
        pytest.param("WARNING: No module named 'sentencepiece'\nERROR: no such config\n", [], id="before"),
        pytest.param("WARNING: optional: No module named 'sentencepiece'\n", [], id="warning"),
        pytest.param(
            "A matching Triton is not available, some optimizations will not be enabled.\n"
            "Error caught was: No module named 'triton'\n",
            [],
            id="of-xformers",
        ),
    ],
)
def test_what_a_program_logs_before_it_ends_by_itself(errors: str, subjects: list[str]) -> None:
    facts = failed(None, errors=errors)
    assert [finding.subject for finding in package_not_installed(facts.target_interpreter, facts)] == subjects


def test_a_missing_framework_has_a_cause_of_its_own() -> None:
    facts = failed(no_module("tensorflow", "/home/user/app/train.py"), TRANSFORMERS)
    assert facts.target_interpreter is not None
    (finding,) = framework_not_installed(facts.target_interpreter, facts)
    assert (finding.subject, FAILED_RUN in finding.values) == ("tensorflow", True)


def test_no_framework_is_missed_where_the_program_asked_for_something_else() -> None:
    facts = failed(no_module("cv2", "/home/user/app/train.py"), Package(name="requests", version="2.32.0"))
    assert facts.target_interpreter is not None
    with pytest.raises(NotHere, match="not-installed"):
        list(framework_not_installed(facts.target_interpreter, facts))


@pytest.mark.parametrize(
    ("written", "distribution", "statement"),
    [
        pytest.param("scikit_learn", "scikit-learn", "import sklearn", id="the-name-of-the-package"),
        pytest.param("sklern", "scikit-learn", "import sklearn", id="a-slip"),
        pytest.param("opencv_python", "opencv-python", "import cv2", id="cv2"),
    ],
)
def test_a_misspelt_import_is_told_the_right_name(written: str, distribution: str, statement: str) -> None:
    (finding,) = findings(no_module(written, "/home/user/app/train.py"))
    assert finding.subject == distribution
    assert finding.named("import_statement") == statement
    assert finding.named("requirement") == distribution
    assert finding.remedies[0] == "install-what-the-import-means"


@pytest.mark.parametrize("written", ["scikit_learn", "sklern"])
def test_what_is_installed_and_misspelt_is_not_missing(written: str) -> None:
    assert not findings(no_module(written, "/home/user/app/train.py"), Package(name="scikit-learn", version="1.7.2"))


def test_the_import_of_an_installed_package_is_not_called_misspelt() -> None:
    """Its authors do not ask for a module that nobody brings by a slip of theirs."""
    (finding,) = findings(no_module("sklern", f"{SITE}/transformers/utils.py"), TRANSFORMERS)
    assert finding.named("import_statement") == "import sklern"


@pytest.mark.parametrize("written", ["pytorch", "toch"])
def test_a_misspelt_framework_is_told_its_name(written: str) -> None:
    facts = failed(no_module(written, "/home/user/app/train.py"))
    (finding,) = framework_not_installed(facts.target_interpreter, facts)
    assert finding.named("import_statement") == "import torch"
    assert finding.remedies[0] == "install-what-the-import-means"
