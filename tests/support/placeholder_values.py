"""What a placeholder of each kind usually holds, and what somebody hostile puts there."""

from checks.knowledge.commands.placeholders import Kind, kinds

USUAL = {
    Kind.PACKAGE: "torchvision",
    Kind.CONDA_PACKAGE: "pytorch",
    Kind.REQUIREMENTS: "torch==2.11.0 jax[cuda12]>=0.4,<1",
    Kind.SYSTEM_PACKAGE: "libgomp1",
    Kind.INSTALLED_MODULES: "timm, sklearn",
    Kind.MODULES: "timm, sklearn",
    Kind.STATEMENT: "from timm import create_model",
    Kind.INSTALLED_MODULES: "timm, sklearn",
    Kind.SETTING: "python",
    Kind.VERSION: "12.8",
    Kind.NUMBER: "1",
    Kind.DEVICE: "cuda",
    Kind.VARIABLE: "CUDA_VISIBLE_DEVICES",
    Kind.SETTING: "tensorflow",
    Kind.GROUP: "render",
    Kind.LIBRARY: "libGL.so.1",
    Kind.SETTINGS_FILE: "/etc/modprobe.d/blacklist-nvidia.conf",
    Kind.URL: "https://download.pytorch.org/whl/cu128",
    Kind.PATH: "models/my model.onnx",
    Kind.PROGRAM: "/opt/venv/bin/python3.12",
}

# Values of which none may stand in a command for any kind but a path (where they are data, one quoted word).
HOSTILE = (
    "$(touch CANARY)",
    "`touch CANARY`",
    "; touch CANARY",
    "& touch CANARY",
    "| touch CANARY",
    "|| touch CANARY",
    "&& touch CANARY",
    "> CANARY",
    "' ; touch CANARY ; '",
    '" ; touch CANARY ; "',
    "a\ntouch CANARY",
    "a\rtouch CANARY",
    "a\u2028touch CANARY",
    "a\x1b[2Jb",
    "a\u202eb",
    "a\x9b31mb",
    "a\x00b",
    "%COMSPEC% /c touch CANARY",
    "!touch",
    "^& touch CANARY",
    "{touch,CANARY}",
    "<(touch CANARY)",
    "=touch",
    "*",
    "torch @ https://evil.example/x.whl",
    "https://evil.example/x.whl",
    "git+https://evil.example/x.git",
    "file:///tmp/evil.whl",
    "./evil.whl",
    "evil-pkg",
    "torch evil-pkg",
    "torch,evil-pkg",
    "torch; sys_platform == 'linux'",
    "torch===2.0",
    "-r requirements.txt",
    "--index-url=https://evil.example/",
    "-e .",
    "nvidia-cudaevil-cu12",
    "tоrch",  # its second letter is Cyrillic
    "\\\\server\\share\\python.exe",
    "//server/share/python",
    "\\??\\UNC\\server\\share\\python.exe",
    "\u201c; touch CANARY; \u201d",
    "torch\u2019; touch CANARY",
    "${IFS}touch${IFS}CANARY",
    "$env:ComSpec",
    "@(touch CANARY)",
    "",
)
# As a path, of another machine.
REMOTE = (
    r"\\server\share\model.onnx",
    "//server/share/model.onnx",
    r"\\?\UNC\server\share\model.onnx",
    r"\\.\pipe\model",
    r"\??\UNC\server\share\model.onnx",
    r"\/server\share\model.onnx",
    r" \\server\share\model.onnx",
    r"\\wsl$\Ubuntu\model.onnx",
    r"\\server@SSL\DavWWWRoot\model.onnx",
    "https://evil.example/model.onnx",
    "file://server/share/model.onnx",
    "smb://server/share/model.onnx",
    r"Microsoft.PowerShell.Core\FileSystem::\\server\share\model.onnx",
)


def usual(placeholder: str) -> str:
    """A fitting value."""
    return USUAL[kinds()[placeholder]]
