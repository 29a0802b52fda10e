"""Pickles from outside: downloaded, named by an argument; silent of what the program itself wrote."""

import pytest

from checks.analysis.scripts.scan import scan

OWN = "import torch\ntorch.save({}, 'm.pt')\nprint(torch.load('m.pt', weights_only=False))\n"
DEFAULT = "import torch\nprint(torch.load('m.pt'))\n"
FIXED = "import pickle\nprint(pickle.load(open('mine.pkl', 'rb')))\n"
DOWNLOADED = "import pickle\nimport urllib.request\nname = 'x'\nurllib.request.urlretrieve('https://x', name)\nprint(pickle.load(open(name, 'rb')))\n"  # noqa: E501
THROUGH = "import sys\nimport joblib\n\ndef read(path):\n    return joblib.load(path)\n\nprint(read(sys.argv[1]))\n"
RESUMED = "import os\nimport torch\nif os.path.exists('m.pt'):\n    print(torch.load('m.pt', weights_only=False))\ntorch.save({}, 'm.pt')\n"  # noqa: E501
LITERAL = "import pickle\nfrom urllib.request import urlretrieve\nurlretrieve('https://x', 'm.pkl')\nwith open('m.pkl', 'rb') as file:\n    print(pickle.load(file))\n"  # noqa: E501
NAMED = "import pickle\nimport sys\nwith open(sys.argv[1], 'rb') as file:\n    print(pickle.load(file))\n"
ALL = "import argparse\nimport joblib\n\ndef main(path):\n    return joblib.load(path)\n\nmain(**vars(argparse.ArgumentParser().parse_args()))\n"  # noqa: E501


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (OWN, []),
        (RESUMED, []),
        (DEFAULT, []),
        (FIXED, []),
        (DOWNLOADED, [5]),
        (LITERAL, [5]),
        (NAMED, [4]),
        (THROUGH, [5]),
        (ALL, [5]),
    ],
)
def test_where_the_file_comes_from(tmp_path, text, lines):
    (tmp_path / "load.py").write_text(text, encoding="utf-8")
    assert [mark.line for mark in scan([tmp_path]).marks if mark.rule == "untrusted-load"] == lines
