"""When torch.load refuses a file by default, and when it does not."""

from pathlib import Path

import pytest

from checks.causes.model.checkpoint_weights_only_refused import checkpoint_weights_only_refused
from checks.facts import ModelFacts, ModelFiles, ModelNeeds, ModelRun, NamedClass, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity, Unread
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
NEW, OLD = TorchFacts(version="2.6.0+cu124"), TorchFacts(version="2.5.1")


def judged(name: str | ModelFacts, torch: TorchFacts = NEW) -> list[Finding]:
    model = name if isinstance(name, ModelFacts) else read_model(RECORDED / name)
    return list(checkpoint_weights_only_refused(ModelFiles(files=(model,)), torch))


def test_a_whole_module() -> None:
    (finding,) = judged("torch-zip/made/module.pt")
    assert finding.severity is Severity.WARNING
    told = {each.name: each.value for each in finding.evidence}
    assert "__main__.Net" in told["names_refused"]
    assert "torch.nn.modules.conv.Conv2d" in told["names_refused"]
    assert "OrderedDict" not in told["names_refused"]
    assert finding.values["runtime"] == "torch"


def test_values_of_numpy_and_opcodes() -> None:
    (finding,) = judged("torch-zip/made/numpy_inside.pt")
    assert "numpy._core.multiarray._reconstruct" in finding.placeholders()["names_refused"]
    (finding,) = judged("torch-zip/made/protocol_4.pt")
    assert finding.placeholders()["opcode_refused"] == "SHORT_BINUNICODE"
    assert len(judged("torch-legacy/made/tar.pt")) == 1


def test_to_a_dangerous_file_no_way_around_is_offered() -> None:
    needs = ModelNeeds(classes=(NamedClass(name="os.system", risk="dangerous"),))
    assert judged(ModelFacts(path="a.pt", format="torch-zip", needs=needs)) == []


@pytest.mark.parametrize(
    "name",
    [
        "torch-zip/made/state_dict.pt",
        "torch-zip/made/kinds.pt",
        "torch-legacy/alex.pth",
    ],
)
def test_silent(name: str) -> None:
    assert judged(name) == []


def test_an_older_torch_loads_everything() -> None:
    assert judged("torch-zip/made/module.pt", OLD) == []


def test_what_was_really_loaded_is_not_refused() -> None:
    needs = ModelNeeds(classes=(NamedClass(name="numpy.ndarray", risk="known"),))
    model = ModelFacts(path="a.pt", format="torch-zip", needs=needs, runs=(ModelRun(runtime="torch", loaded=True),))
    assert judged(model) == []


def test_unread() -> None:
    with pytest.raises(Unread, match="torch_version"):
        judged("torch-zip/made/module.pt", TorchFacts())


@pytest.mark.parametrize("name", ["torchscript/made/traced.pt", "pickle/made/function.cpkl"])
def test_other_files_are_another_matter(name: str) -> None:
    with pytest.raises(NotHere):
        judged(read_model(RECORDED / name))
