"""What torch.export.save wrote, loaded without trusting it.

``torch.export.load`` unpickles without limits, evaluates expressions, imports the modules of enumerations and turns
names into Python that is compiled. So the file itself is never given to it: a new one is written with nothing in it
but what is understood here, and of that only what merely computes: operators of the lists in model_safety.toml,
expressions of sums and products, names that are names, weights as plain bytes, inputs that ``weights_only`` reads.
All else ends the loading with :class:`NotPlain`, and a file that is damaged with :class:`NoProgram`.
"""

import ast
import io
import json
import os
import re
import shutil
import zipfile

from ..model import kit as model_kit
from ..model import torch as torch_probe

LARGEST_TEXT = 100_000_000  # bytes of the graph as JSON, and of the inputs
DEEPEST = 60  # levels of it
PLAIN = "plain.pt2"

_NAME = re.compile(r"[A-Za-z_]\w{0,500}$|$")
_DOTTED = re.compile(r"\w[\w.]{0,500}$|$")  # of a weight: "block.0.weight", of a Sequential "0.weight"
_SYMBOL = re.compile(r"_?[a-z]{1,3}\d{1,6}$")
_DECIMAL = re.compile(r"-?\d{1,40}(?:\.\d{0,40})?(?:e[+-]?\d{1,4})?$")
_FUNCTIONS = re.compile(
    r"(?:Add|Mul|Max|Min|Mod|Integer|Rational|Abs|Eq|Ne|Lt|Le|Gt|Ge|And|Or|Not|Equality|Unequality|StrictLessThan|"
    r"LessThan|StrictGreaterThan|GreaterThan|FloorDiv|CeilDiv|CleanDiv|PythonMod|ModularIndexing|Where|CeilToInt|"
    r"FloorToInt|TruncToInt|RoundToInt|IntTrueDiv|FloatTrueDiv|ToFloat|TruncToFloat|Identity|floor|ceiling|sqrt)$"
)
_CONSTANTS = frozenset(("oo", "int_oo", "true", "false", "S", "zoo"))
_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.USub, ast.UAdd, ast.Invert)
_KEY = re.compile(r"[\w.:/ -]{0,200}$")  # of a dict that comes out: it stands in a literal
_TREES = frozenset((None, "builtins.tuple", "builtins.list", "builtins.dict", "builtins.NoneType"))
_OF_WEIGHTS = ("parameter_name", "buffer_name", "tensor_constant_name", "fqn")
_VERSION = re.compile(r"[\w.+-]{0,100}$")
_LINE = re.compile(r'File "[^"\n]{1,500}", line \d{1,7}')
_RAW = re.compile(r"(?:weight|tensor)_\d{1,7}$")
_NO_NUMBERS = ("Infinity", "-Infinity", "NaN")  # which JSON has as texts alone: a mask is filled with them
_DIALECTS = ("TRAINING", "ATEN", "EDGE", "")


class NotPlain(model_kit.Unsafe):
    """The file holds something that is not known to be harmless; the message names it."""


class NoProgram(Exception):  # noqa: N818 - said of the file
    """The file is not what torch.export.save writes; the message names where."""


def load(path, safety):
    """The program in an archive, loaded onto the processor."""
    import torch

    rewrite(path, PLAIN, safety)
    return torch.export.load(PLAIN)


def rewrite(path, plain, safety):
    """Write an archive with nothing but what is plain of another."""
    try:
        _rewrite(path, plain, safety)
    except (NotPlain, NoProgram):
        raise
    except Exception as error:  # what is read may be anything, and zipfile, zlib and json say so in many ways
        raise NoProgram("%s: %s" % (type(error).__name__, str(error)[:300])) from error


def _rewrite(path, plain, safety):
    with zipfile.ZipFile(path) as source:
        names = [member.filename for member in source.infolist()]
        if sum(member.file_size for member in source.infolist()) > os.path.getsize(path) + LARGEST_TEXT:
            raise NotPlain("it unpacks to far more than it is")
        root = next((name.split("/")[0] for name in names if "/" in name), "") + "/"
        graphs = [name for name in names if name.startswith(root + "models/")]
        if not graphs:
            raise NoProgram("there is no graph in it")
        if graphs != [root + "models/model.json"]:
            raise NotPlain("models: %s" % ", ".join(graphs))
        with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED, allowZip64=True) as target:
            target.writestr("plain/models/model.json", json.dumps(_program(_read(source, graphs[0]), safety)))
            for kind in ("weights", "constants"):
                _copy_tensors(source, target, root, kind)
            target.writestr("plain/data/sample_inputs/model.pt", _inputs(source, root))
            for name in ("archive_format", "archive_version", "byteorder", ".data/version"):
                if root + name in names:
                    target.writestr("plain/" + name, _word(source.read(root + name)))


def _read(source, name):
    if source.getinfo(name).file_size > LARGEST_TEXT:
        raise NotPlain("%s is too large" % name)
    return json.loads(source.read(name))


def _word(content):
    if not re.match(rb"\w{1,20}\s?$", content):
        raise NotPlain("archive version")
    return content


def _inputs(source, root):
    """The inputs that the program was exported with, pickled anew from what a careful unpickler made of them."""
    import torch

    name = root + "data/sample_inputs/model.pt"
    if name not in source.NameToInfo:  # a program without
        return b""
    if torch_probe.version(torch) < torch_probe.DISPATCHES_UNTIL:  # its weights_only does not hold
        raise NotPlain("PyTorch %s" % torch.__version__)
    content = source.read(name)
    if not content:
        return b""
    _check_stored(content)
    try:
        read = torch.load(io.BytesIO(content), weights_only=True, map_location="cpu")
    except Exception as error:
        raise NotPlain("data/sample_inputs/model.pt: %s" % error) from error
    written = io.BytesIO()
    torch.save(read, written)
    return written.getvalue()


def _check_stored(content):
    """Let only an archive pass that holds no more than it has bytes: what torch.save writes is never compressed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:  # PyTorch's older format, which its older unpicklers read
        raise NotPlain("data/sample_inputs/model.pt: %s" % error) from error
    is_stored = all(member.compress_type == zipfile.ZIP_STORED for member in members)
    if not is_stored or sum(member.file_size for member in members) > len(content):
        raise NotPlain("data/sample_inputs/model.pt is compressed")


def _copy_tensors(source, target, root, kind):
    folder = "data/%s/" % kind
    name = "%smodel_%s_config.json" % (folder, kind)
    config = _dict(_read(source, root + name)["config"])
    listed = {}
    for key, tensor in config.items():
        file = tensor["path_name"]
        if not _RAW.match(file) or tensor["use_pickle"] is not False:
            raise NotPlain("%s%s is pickled" % (folder, file))
        listed[_named(key, _DOTTED)] = {
            "path_name": file,
            "is_param": tensor["is_param"] is True,
            "use_pickle": False,
            "tensor_meta": _clean(tensor["tensor_meta"], "tensor_meta", (), 0),
        }
    target.writestr("plain/" + name, json.dumps({"config": listed}))
    for file in sorted({tensor["path_name"] for tensor in listed.values()}):
        with source.open(root + folder + file) as read:
            to = target.open("plain/" + folder + file, "w", force_zip64=True)
            with to:
                shutil.copyfileobj(read, to)


# --- the graph --------------------------------------------------------------------------------------------------------


def _program(fields, safety):
    """The program with the parts that are understood, and no others."""
    module = fields["graph_module"]
    operators = tuple(re.compile(operator) for operator in safety["program_operators"])
    first = [call for call in module["module_call_graph"] if call["fqn"] == ""][:1]
    return {
        "graph_module": {
            "graph": _clean(module["graph"], "graph", operators, 0),
            "signature": _clean(module["signature"], "signature", operators, 0),
            "module_call_graph": [{"fqn": "", "signature": _call(call["signature"], operators)} for call in first],
            "metadata": {},
            "treespec_namedtuple_fields": {},
        },
        "opset_version": {_named(key): _whole(value) for key, value in fields["opset_version"].items()},
        "range_constraints": {
            _symbol(key): {name: value[name] if _is_number(value[name]) else None for name in ("min_val", "max_val")}
            for key, value in fields["range_constraints"].items()
        },
        "schema_version": {key: _whole(fields["schema_version"][key]) for key in ("major", "minor")},
        "verifiers": [verifier for verifier in fields["verifiers"] if verifier in _DIALECTS],
        "torch_version": _named(fields.get("torch_version") or "", _VERSION),
        "guards_code": [],  # Python that would be compiled
    }


def _call(signature, operators):
    return {
        "inputs": _clean(signature["inputs"], "inputs", operators, 0),
        "outputs": _clean(signature["outputs"], "outputs", operators, 0),
        # The names of the inputs become Python that is compiled: also those that stand here.
        "in_spec": _tree(signature["in_spec"], _NAME),
        "out_spec": _tree(signature["out_spec"], _KEY),
        "forward_arg_names": [_named(name) for name in signature.get("forward_arg_names") or []],
    }


def _clean(value, key, operators, depth):
    """A part of the graph in which every text is what its place asks for."""
    if depth > DEEPEST:
        raise NotPlain("nested too deep")
    if isinstance(value, dict):
        if key == "metadata":
            return _metadata(value)
        return {_named(name): _clean(part, name, operators, depth + 1) for name, part in value.items()}
    if isinstance(value, list):
        return [_clean(part, key, operators, depth + 1) for part in value]
    return _text(value, key, operators) if isinstance(value, str) else value


def _text(text, key, operators):
    if key in ("target", "as_operator"):
        if not any(operator.fullmatch(text) for operator in operators):
            raise NotPlain(text[:200])
    elif key == "expr_str":
        check_expression(text)
    elif key in ("as_float", "as_floats") and text in _NO_NUMBERS:
        return text
    elif key not in ("as_string", "as_strings"):  # what an operator is given is written as a literal
        _named(text, _DOTTED if key in _OF_WEIGHTS else _NAME)
    return text


def _named(text, pattern=_NAME):
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise NotPlain("name %r" % str(text)[:100])
    return text


def _symbol(text):
    if not _SYMBOL.fullmatch(text):
        raise NotPlain("symbol %r" % text[:100])
    return text


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value):
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63:
        raise NotPlain("version %s" % str(value)[:100])
    return value


def _dict(value):
    if not isinstance(value, dict):
        raise NotPlain("a list where names should be")
    return value


def _metadata(fields):
    """Of what is known about a node only the lines of Python that it comes from."""
    lines = _LINE.findall(str(fields.get("stack_trace") or ""))
    return {"stack_trace": "\n".join(lines)} if lines else {}


def check_expression(text):
    """Let only sums, products and the like of numbers and symbols pass."""
    if len(text) > 5000:
        raise NotPlain("a long expression")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotPlain(text[:200]) from error
    if not _is_plain(tree.body):
        raise NotPlain(text[:200])


def _is_plain(node):
    if isinstance(node, ast.Constant):
        return _is_number(node.value) and abs(node.value) <= 1 << 64
    if isinstance(node, ast.Name):
        return bool(_SYMBOL.fullmatch(node.id)) or node.id in _CONSTANTS
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, _OPERATIONS) and _is_plain(node.operand)
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            is_small = isinstance(node.right, ast.Constant) and node.right.value in (1, 2, 3, 4)
            return is_small and _is_base(node.left)
        return isinstance(node.op, _OPERATIONS) and _is_plain(node.left) and _is_plain(node.right)
    if isinstance(node, ast.Compare):
        return all(map(_is_plain, [node.left, *node.comparators]))
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and _is_plain_call(node)


def _is_plain_call(node):
    if node.func.id == "Symbol":
        name = node.args[0].value if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) else None
        assumed = all(
            isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)
            for keyword in node.keywords
        )
        return isinstance(name, str) and bool(_SYMBOL.fullmatch(name)) and assumed
    if node.func.id == "Float":  # a number as text, with its precision
        return len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and _is_decimal(node.args[0].value)
    if node.func.id == "Pow":  # one that does not explode
        return len(node.args) == 2 and not node.keywords and _is_base(node.args[0]) and _is_small(node.args[1])
    return bool(_FUNCTIONS.match(node.func.id)) and not node.keywords and all(map(_is_plain, node.args))


def _is_base(node):
    """Something without a power: a power of a power of a power has more digits than any memory holds."""
    inner = [part.op if isinstance(part, ast.BinOp) else getattr(part, "id", "") for part in ast.walk(node)]
    return _is_plain(node) and not any(isinstance(op, ast.Pow) or op == "Pow" for op in inner)


def _is_decimal(value):
    return _is_number(value) or (isinstance(value, str) and bool(_DECIMAL.fullmatch(value)))


def _is_small(node):
    """A number that is an exponent, also as "Integer(2)"."""
    if (
        isinstance(node, ast.Call)
        and len(node.args) == 1
        and isinstance(node.func, ast.Name)
        and node.func.id == "Integer"
    ):
        node = node.args[0]
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and _is_number(node.value) and abs(node.value) <= 8


def _tree(text, names):
    """How the inputs or outputs are nested: tuples, lists and dicts with names as keys."""
    protocol, tree = json.loads(text)
    if protocol != 1:
        raise NotPlain("tree of another protocol")
    _check_tree(tree, names, 0)
    return text


def _check_tree(tree, names, depth):
    if depth > DEEPEST or tree["type"] not in _TREES or set(tree) != {"type", "context", "children_spec"}:
        raise NotPlain("tree of %s" % str(tree.get("type"))[:100])
    context = json.loads(tree["context"]) if tree["context"] is not None else None
    if not isinstance(context, (list, type(None))):
        raise NotPlain("tree with %s" % str(context)[:100])
    for key in context or ():
        if not isinstance(key, int):
            _named(key, names)
    for child in tree["children_spec"]:
        _check_tree(child, names, depth + 1)
