"""Seeds: which generators a run draws from, what counts as seeded, through aliases, helpers and files."""

import pytest

from checks.analysis.scripts.scan import scan


def found(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return {(mark.rule, mark.subject, mark.line) for mark in scan([folder]).marks}


TRAINS = """
import torch
from torch import nn, optim

def main():
    model = nn.Linear(4, 2)
    optimiser = optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 4)).sum()
    loss.backward()
    optimiser.step()

if __name__ == "__main__":
    main()
"""


def test_first_weights_of_a_model_that_is_trained(tmp_path):
    assert found(tmp_path, train=TRAINS) == {("seed-missing", "torch", 6)}


@pytest.mark.parametrize(
    "seed",
    [
        "torch.manual_seed(0)",
        "import lightning as L\n    L.seed_everything(1)",
        "from transformers import set_seed\n    set_seed(1)",
        "from accelerate.utils import set_seed\n    set_seed(1)",
        "import keras\n    keras.utils.set_random_seed(1)",
        "if torch.cuda.is_available():\n        torch.manual_seed(1)",
        "from somewhere import fix_seeds\n    fix_seeds()",
    ],
)
def test_seeded(tmp_path, seed):
    text = TRAINS.replace("def main():", f"def main():\n    {seed}")
    assert not {each for each in found(tmp_path, train=text) if each[0] == "seed-missing"}


def test_a_helper_in_another_file_seeds(tmp_path):
    utils = "import random\nimport torch as t\n\ndef set_up(seed):\n    t.manual_seed(seed)\n"
    text = TRAINS.replace("import torch\n", "import torch\nfrom utils import set_up\n").replace(
        "def main():", "def main():\n    set_up(3)"
    )
    assert not found(tmp_path, utils=utils, train=text)


def test_a_helper_that_is_not_called_seeds_nothing(tmp_path):
    utils = "import torch as t\n\ndef set_up(seed):\n    t.manual_seed(seed)\n"
    text = TRAINS.replace("import torch\n", "import torch\nfrom utils import set_up\n")
    assert found(tmp_path, utils=utils, train=text) == {("seed-missing", "torch", 7)}


def test_a_draw_in_another_file(tmp_path):
    data = "from random import shuffle as mix\n\ndef load():\n    rows = [1, 2, 3]\n    mix(rows)\n    return rows\n"
    found_in = found(tmp_path, data=data, train="import data\n\nprint(data.load())\n")
    assert found_in == {("seed-missing", "python", 5)}


def test_a_library_alone_is_silent(tmp_path):
    assert not found(tmp_path, data="import random\n\ndef load(rows):\n    random.shuffle(rows)\n    return rows\n")


def test_tests_are_silent(tmp_path):
    assert not found(tmp_path, test_it="import random\n\nprint(random.random())\n")


def test_the_input_of_an_export_is_no_use(tmp_path):
    text = """
import torch
model = torch.load("m.pt")
x = torch.randn(1, 3, 8, 8)
torch.onnx.export(model, x, "m.onnx")
"""
    assert not {each for each in found(tmp_path, export=text) if each[0] == "seed-missing"}


def test_a_pretrained_model_that_is_asked_draws_nothing(tmp_path):
    text = """
import torch
model = torch.nn.Linear(4, 2)
model.load_state_dict(torch.load("m.pt"))
model.eval()
print(model(torch.ones(1, 4)))
"""
    assert not found(tmp_path, ask=text)


def test_each_generator_for_itself(tmp_path):
    text = "import random\nimport numpy\nrandom.seed(1)\nprint(random.random(), numpy.random.rand())\n"
    assert found(tmp_path, draw=text) == {("seed-missing", "numpy", 4)}


@pytest.mark.parametrize(("call", "count"), [("default_rng()", 1), ("default_rng(3)", 0), ("RandomState(3)", 0)])
def test_generators_of_their_own(tmp_path, call, count):
    text = f"import numpy as np\nrng = np.random.{call}\nprint(rng.normal())\n"
    assert len(found(tmp_path, draw=text)) == count


def test_a_seed_that_comes_too_late(tmp_path):
    text = "import numpy as np\nx = np.random.rand(3)\nnp.random.seed(0)\nprint(x, np.random.rand(3))\n"
    assert found(tmp_path, late=text) == {("seed-after-use", "numpy", 3)}


@pytest.mark.parametrize(
    "split",
    [
        "from torch.utils.data import random_split as cut\nimport torch\nparts = cut(rows, [1])\ntorch.manual_seed(1)",
        "from sklearn.utils import shuffle as split\nimport numpy\nparts = split(rows)\nnumpy.random.seed(1)",
    ],
)
def test_a_split_before_the_seed(tmp_path, split):
    late = {(rule, line) for rule, _, line in found(tmp_path, late=f"rows = [1, 2, 3]\n{split}\nprint(parts)\n")}
    assert late == {("seed-after-use", 5)}


def test_a_seed_is_not_moved_above_its_import(tmp_path):
    text = "import random as r\nx = r.random()\nimport random\nrandom.seed(1)\nprint(x)\n"
    (tmp_path / "late.py").write_text(text, encoding="utf-8")
    (mark,) = scan([tmp_path]).marks
    assert (mark.rule, mark.edits) == ("seed-after-use", ())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("model.generate(x, do_sample=True)", 1, id="sampling"),
        pytest.param("model.generate(x)", 0, id="greedy"),
        pytest.param("model.generate(x, do_sample=False)", 0, id="greedy by argument"),
        pytest.param("torch.manual_seed(1)\nmodel.generate(x, do_sample=True)", 0, id="seeded"),
        pytest.param("pipe('a cat')", 1, id="diffusion"),
        pytest.param("pipe('a cat', generator=torch.Generator().manual_seed(1))", 0, id="diffusion with a generator"),
        pytest.param("GenerationConfig(do_sample=True)", 0, id="configuration"),
    ],
)
def test_what_models_draw_when_they_are_asked(tmp_path, text, count):
    head = (
        "import torch\nfrom transformers import AutoModelForCausalLM, GenerationConfig\n"
        "from diffusers import StableDiffusionPipeline\n"
        'model = AutoModelForCausalLM.from_pretrained("./m")\n'
        'pipe = StableDiffusionPipeline.from_pretrained("./p").to(0)\n'
    )
    assert len({each for each in found(tmp_path, ask=f"{head}{text}\n") if each[0] == "seed-missing"}) == count


GYM = "import gymnasium as gym\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(f"{GYM}env = gym.make('A-v1')\nenv.reset()\nenv.reset()\n", {3}, id="reset"),
        pytest.param(f"{GYM}env = gym.make('A-v1')\nenv = gym.wrappers.A(env)\nenv.reset()\n", {4}, id="wrapped"),
        pytest.param(f"{GYM}env = gym.make('A-v1')\nenv.reset(seed=1)\nenv.reset()\n", set(), id="seeded once"),
        pytest.param("import gym\nenv = gym.make('A-v1')\nenv.seed(1)\nenv.reset()\n", set(), id="gym before 0.26"),
        pytest.param("import other\nenv = other.make('A-v1')\nenv.reset()\n", set(), id="of another package"),
        pytest.param("import optuna\noptuna.create_study()\n", {2}, id="study"),
        pytest.param("import optuna\noptuna.create_study(sampler=mine)\n", set(), id="study with a sampler"),
        pytest.param("import optuna\noptuna.samplers.TPESampler(seed=1)\n", set(), id="sampler"),
        pytest.param("import optuna\noptuna.samplers.GridSampler({})\n", set(), id="a sampler that draws nothing"),
        pytest.param("import keras_tuner as kt\nkt.RandomSearch(build)\n", {2}, id="tuner"),
        pytest.param("from stable_baselines3 import PPO\nPPO('MlpPolicy', env)\n", {2}, id="agent"),
        pytest.param(
            "from stable_baselines3 import PPO\nimport torch\ntorch.manual_seed(1)\nPPO('MlpPolicy', env)\n", set(),
            id="agent of a seeded program",
        ),
    ],
)  # fmt: skip
def test_generators_that_take_a_seed_of_their_own(tmp_path, text, lines):
    assert {line for rule, _, line in found(tmp_path, run=text) if rule == "seed-argument-missing"} == lines


def test_a_name_of_another_thing_is_none_of_them(tmp_path):
    text = "from mine import random\nprint(random.random())\nshuffle = max\nprint(shuffle(1, 2))\n"
    assert not found(tmp_path, other=text)


def test_files_that_import_each_other_come_to_an_end(tmp_path):
    (tmp_path / "random.py").write_text("from random import random\n\nprint(random())\n", encoding="utf-8")
    (tmp_path / "a.py").write_text("from b import draw\n\nprint(draw())\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("from a import draw\n\nprint(draw())\n", encoding="utf-8")
    assert scan([tmp_path]).unread == []


def test_a_function_that_is_handed_to_a_launcher_runs(tmp_path):
    text = "import fire\nimport random\n\ndef run():\n    print(random.random())\n\nfire.Fire({'run': run})\n"
    assert found(tmp_path, launch=text) == {("seed-missing", "python", 5)}


def test_a_drawn_seed_is_not_late(tmp_path):
    text = "import random\nimport sys\nseed = int(sys.argv[1]) or random.randint(1, 99)\nrandom.seed(seed)\n"
    assert not found(tmp_path, drawn=text)


def test_the_seed_is_written_before_the_first_draw(tmp_path):
    path = tmp_path / "late.py"
    path.write_text("import torch\nx = torch.rand(3)\nimport math\nprint(x, math.pi)\n", encoding="utf-8")
    (mark,) = scan([path]).marks
    assert [(edit.line, edit.text) for edit in mark.edits] == [(2, "torch.manual_seed(42)\n")]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import pandas as pd\ndf = pd.concat([])\ndf = df.sample(frac=1).reset_index(drop=True)\n", [3]),
        ("import pandas as pd\ndf = pd.concat([])\ndf = df.sample(frac=1, random_state=3)\n", []),
        ("import dist\nbase = dist.make()\nbase = base.sample(3)\n", []),
    ],
)
def test_a_frame_that_keeps_its_name_while_it_is_shuffled(tmp_path, text, lines):
    assert [line for rule, _, line in found(tmp_path, train=text) if rule == "shuffle-unseeded"] == lines


LOADED = """
import random
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(1)
class Cells(Dataset):
    def __len__(self): return 10
    def __getitem__(self, i): return np.random.rand() + random.random()
for batch in DataLoader(Cells(), batch_size=2, num_workers=2): print(batch)
"""


@pytest.mark.parametrize(
    ("text", "generators"),
    [
        (LOADED, set()),  # each worker seeds all three from a number of torch's generator
        (LOADED.replace("num_workers=2", "num_workers=0"), {"numpy", "python"}),
        (LOADED.replace("num_workers=2", "num_workers=torch.get_num_threads()"), set()),
        (LOADED.replace("np.random.rand()", "np.random.default_rng().random()"), {"numpy"}),
        (LOADED.replace("(Dataset)", ""), set()),
        (LOADED + "print(random.random())\n", {"python"}),
        (LOADED + "print(Cells()[0], [each for each in DataLoader(Cells())])\n", {"numpy", "python"}),
        (LOADED.replace("torch.manual_seed(1)", ""), {"numpy", "python"}),
    ],
)
def test_what_only_workers_draw_is_seeded_with_torch(tmp_path, text, generators):
    subjects = {subject for rule, subject, _ in found(tmp_path, train=text) if rule == "seed-missing"}
    assert subjects == generators


HASHED = "import os\n{}\ntags = {{'a', 'b'}}\nprint({{tag: at for at, tag in enumerate(tags)}}, hash('x') % 10 < 8)\n"


@pytest.mark.parametrize(
    ("first", "is_said"),
    [
        ("os.environ['PYTHONHASHSEED'] = '0'", True),  # Python has read it when it started
        ("os.environ['PYTHONHASHSEED'] = '0'; os.execv('python', [])", False),
        ("assert os.environ.get('PYTHONHASHSEED') == '0'", False),
        ("# start it with PYTHONHASHSEED=0", False),
    ],
)
def test_a_hash_seed_that_a_running_program_sets_is_too_late(tmp_path, first, is_said):
    assert any(rule == "set-order" for rule, *_ in found(tmp_path, train=HASHED.format(first))) == is_said
