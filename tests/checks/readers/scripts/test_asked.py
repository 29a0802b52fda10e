"""What a program surely asks for: names, calls that only read, variables, modules; and what is left open."""

from pathlib import Path

import pytest

from checks.readers.scripts.asked import Asked, Kind, asked_by_program, is_only_program, names_defined


def _asked(folder: Path, source: str, **installed: str) -> dict[str, Asked]:
    program = folder / "main.py"
    program.write_text(source)
    return {asked.label: asked for asked in asked_by_program(program, installed) if asked.kind is not Kind.PROGRAM}


def _expressions(folder: Path, source: str, **installed: str) -> list[str]:
    calls = [asked for asked in _asked(folder, source, **installed).values() if asked.kind is Kind.CALL]
    return [asked.expression + asked.then for asked in calls if asked.expression]


def test_a_name_of_a_package_is_asked_for_with_the_imports_before_it_and_the_keywords_of_its_call(
    tmp_path: Path,
) -> None:
    found = _asked(
        tmp_path, "import os\nimport numpy as np\nimport pandas as pd\nnp.float\npd.read_csv('a', sep=',')\n"
    )
    assert found["np.float"].imports == ("import os", "import numpy as np", "import pandas as pd")
    assert (found["np.float"].line, found["np.float"].kind, found["np.float"].is_first) == (4, Kind.NAME, True)
    assert found["pd.read_csv(sep=)"].keywords == ("sep",)
    assert "os" not in {asked.expression for asked in found.values()}


def test_functions_that_it_calls_and_modules_of_its_own_are_followed(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("from PIL import Image\n\ndef thumb():\n    return Image.ANTIALIAS\n")
    source = "from helper import thumb\n\ndef main():\n    return thumb()\n\nif __name__ == '__main__':\n    main()\n"
    found = _asked(tmp_path, source)["Image.ANTIALIAS"]
    assert (Path(found.file).name, found.line, found.imports) == ("helper.py", 4, ("from PIL import Image",))


@pytest.mark.parametrize(
    "source",
    [
        "if hasattr(np, 'float'):\n    np.float",
        "np.float if old else np.float64",
        "old and np.float",
        "try:\n    np.float\nexcept AttributeError:\n    pass",
        "for i in range(3):\n    np.float",
        "lambda: np.float",
        "def unused():\n    np.float",
        "import contextlib\nwith contextlib.suppress(AttributeError):\n    np.float",
        "np.float = float\nnp.float",
        "setattr(np, 'float', float)\nnp.float",
        "import sys\nsys.exit()\nnp.float",
        "np = object()\nnp.float",
        "@later\ndef run():\n    np.float\nrun()",
        "def values():\n    yield np.float\nvalues()",
    ],
)
def test_a_name_that_hangs_on_something_is_left_out(tmp_path: Path, source: str) -> None:
    assert "np.float" not in _asked(tmp_path, f"import numpy as np\n{source}\n")


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        ("open('a.txt')", "open('a.txt').read(1048576)"),
        ("NAME = 'a.npy'\nnp.load(NAME)", "np.load('a.npy')"),
        ("def read(path):\n    return np.load(path)\nread('a.npy')", "np.load('a.npy')"),
        ("with open('c.json') as f:\n    json.load(f)", "json.load(open('c.json'))"),
        ("o.InferenceSession(os.path.join('m', 'n.onnx'))", "o.InferenceSession(os.path.join('m', 'n.onnx'))"),
        ("(Path('m') / 'a.txt').read_text()", "(Path('m') / 'a.txt').read_text()"),
        ("os.environ['MODEL']", "os.environ['MODEL']"),
        ("joblib.load('m.pkl')", "open('m.pkl', 'rb').read(1)"),
        ("print('犬')", "'犬'.encode(__import__('sys').stdout.encoding)"),
        ("s = o.InferenceSession('n.onnx')\ns.run(None, {'x': np.ones(2)})",
         "o.InferenceSession('n.onnx').run(None, {'x': np.ones(2)})"),
    ],
)  # fmt: skip
def test_a_call_that_only_reads_is_closed(tmp_path: Path, source: str, expression: str) -> None:
    head = "import json, os\nfrom pathlib import Path\nimport joblib\nimport numpy as np\nimport onnxruntime as o\n"
    assert expression in _expressions(tmp_path, head + source + "\n")


def test_a_file_beside_the_program_is_named_by_its_whole_path(tmp_path: Path) -> None:
    source = "from pathlib import Path\nROOT = Path(__file__).resolve().parent\nopen(ROOT / 'labels.txt')\n"
    found = _asked(tmp_path, source)["open(ROOT / 'labels.txt')"]
    assert found.path == str(tmp_path.resolve() / "labels.txt")


@pytest.mark.parametrize(
    "source",
    [
        "open('a.npy', 'w')",
        "open('a.npy', mode)",
        "open(name)",
        "np.load('a.npy', allow_pickle=True)",
        "np.save('a.npy', 1)\nnp.load('a.npy')",
        "if new:\n    download('a.npy')\nnp.load('a.npy')",
        "os.chdir('data')\nnp.load('a.npy')",
        "def fetch():\n    subprocess.run(['get'])\nfetch()\nnp.load('a.npy')",
        "import torch\ntorch.load('a.pt', weights_only=False)",
        "s = o.SessionOptions()\ns.register_custom_ops_library('x.so')\no.InferenceSession('n.onnx', s)",
        "from transformers import AutoConfig\nAutoConfig.from_pretrained('./m', trust_remote_code=True)",
        "os.environ['MODEL'] = 'm'\nos.environ['MODEL']",
        "os.environ['A'] = '1'\nfrom transformers import AutoConfig\nAutoConfig.from_pretrained('me/tiny')",
        "import sys\nsys.stdout.reconfigure(encoding='utf-8')\nprint('犬')",
        "np.load('a' * 10 ** 9)",
    ],
)
def test_what_does_more_than_read_or_hangs_on_what_went_before_is_left_out(tmp_path: Path, source: str) -> None:
    head = "import os, subprocess\nimport numpy as np\nimport onnxruntime as o\n"
    assert _expressions(tmp_path, head + source + "\n", torch="2.8.0") == []


def test_torch_load_is_tried_from_the_release_on_that_takes_weights_alone(tmp_path: Path) -> None:
    source = "import torch\ntorch.load('a.pt')\n"
    assert _expressions(tmp_path, source, torch="2.5.1") == []
    assert _expressions(tmp_path, source, torch="2.6.0") == ["torch.load('a.pt')"]
    whole = _asked(tmp_path, "import torch\ntorch.load('a.pt', map_location=where)\n", torch="2.6.0")
    (found,) = [asked for asked in whole.values() if asked.is_model]
    assert (found.path, found.expression) == ("a.pt", "")


def test_a_program_that_cannot_be_read_is_still_tried_as_python(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("print 'two'\n")
    (found,) = asked_by_program(program, {})
    assert (found.kind, found.label) == (Kind.PROGRAM, "old.py")


def test_the_one_program_of_a_folder_is_the_one_that_does_something(tmp_path: Path) -> None:
    main, helper, other = tmp_path / "main.py", tmp_path / "helper.py", tmp_path / "train.py"
    main.write_text("import helper\nhelper.go()\n")
    helper.write_text("def go():\n    pass\n")
    assert is_only_program(main, [helper])
    other.write_text("print(1)\n")
    assert not is_only_program(main, [helper, other])
    assert names_defined(main) == ("helper",)
    main.write_text("from helper import *\n")
    assert names_defined(main) is None
