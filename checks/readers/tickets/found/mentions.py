"""Loose mentions in what people write: "RTX 5070 Ti, driver 570.124.06, torch 2.7.1+cu128, Windows 11".

What a program printed goes before; two different versions of one thing say that both are talked about, and count for
nothing. A line that says what somebody tried to install is left out.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from checks.facts import Package
from checks.knowledge.tickets.words import TicketWords, is_possible, package_of_word
from checks.readers.tickets.found.gpus import GpuStatement, mentions_of_gpus
from checks.readers.tickets.found.systems import named_system, system_facts
from checks.readers.tickets.text import Statement, Text, goes_on

_VERSION = r"v?(\d{1,4}(?:\.\d{1,8}){1,3}(?:\.?(?:a|b|rc|dev|post)\d*){0,2}(?:\+[a-z0-9](?:[a-z0-9.]{0,39}[a-z0-9])?)?)"
_DRIVER = re.compile(
    r"\bdrivers?(?:[ -]version)?s?[ :=(\"']{1,4}(?:nvidia[ -]{1,2}|is "
    r"|version |r|v){0,2}(\d{3}\.\d{2,3}(?:\.\d{2})?)(?![\d.]*\d)"
    r"|(?:驱动(?:程序)?|ドライバー?)(?:的|の)?(?:版本号?|バージョン)?(?:是|为|は|が)?[ :=：(（]{0,3}(?:nvidia ?)?v?"
    r"(\d{3}\.\d{2,3}(?:\.\d{2})?)(?![\d.]*\d)"
    r"|\bnvidia-(?:driver|open|dkms|utils)?(?:-(?:dkms|bin))?[ :=-]{1,3}(\d{3}(?:\.\d{2,3}(?:\.\d{2})?)?)(?![\d.]*\d)"
)
_PYTHON = re.compile(r"(?<![\w-])python[ :=v-]{0,3}(?:version )?([23]\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)")
# As in "torch 1.12.0 + cu116" and in "torch 2.3.0 (cu121)".
_SPACED_BUILD = re.compile(r" ?(?:\+|[(（]) ?(cu\d{2,3}|cpu|rocm\d\.\d)\b")
# As somebody asks Python: ">>> torch.__version__", and the answer behind it or in the next line.
_ASKED = re.compile(
    rf"\b([a-z_]{{2,20}})\.__version__[)`'\" ]{{0,4}}(?:#|->|:|=)?\s{{0,3}}['\"]?{_VERSION}(?![\d.]*\d)"
)
_SEVERAL = re.compile(r"\s{0,2}(?:and|or|/|vs\.?|to|->|→)\s{0,2}v?\d{1,3}\.\d")  # "1.14 and 1.15": both were tried
_PYTHON_PATH = re.compile(r"[\\/](?:python|Python)(\d)\.?(\d{1,2})[\\/](?:lib[\\/])?(?:site|dist)-packages")
_WHEEL = re.compile(r"-cp(3)(\d{1,2})-(?:cp|abi3)")
_CUDA = re.compile(
    r"\bcuda(?:[ _-](?:version|toolkit|runtime))?(?: is)?[ :=v-]{0,3}(\d{1,2}\.\d{1,2})(?:\.\d{1,3})?(?![\d.]*\d)"
)
_CUDNN = re.compile(
    r"(?<!cuda/)(?<!cuda / )\bcudnn(?:[ _-](?:version|runtime))?"
    r"(?: is)?[ :=v-]{0,3}(\d{1,2}(?:\.\d{1,2}){0,3})(?![\d.]*\d)"
)
# Only PyTorch's wheels carry such a build behind a version of 1 or 2; the word before may name a companion.
_BUILT = re.compile(
    r"(?:\b([a-z][\w-]{1,30})[ :=\"'`(-]{1,4})?(?<![\w.+-])v?([12]\.\d{1,2}\.\d{1,2}\+(?:cpu|cu\d{2,3}))(?![\w+]|\.\w)"
)
_NO_TORCH = ("dgl", "mmcv", "spconv", "flash-attn", "flash_attn", "natten", "torchaudio", "detectron2", "pytorch3d")
_AT_LEAST = re.compile(r"[ \d.]{1,9}\+")  # "macOS 12.3+"
_APPLE = re.compile(
    r"\b(?:(?P<apple>(?i:apple |macbook (?:pro |air )?|mac (?:mini "
    r"|studio )?))?(?P<chip>M[1-9])(?: (?P<kind>Pro|Max|Ultra))?)\b"
)
_JETSON = re.compile(
    r"\b(?:jetson[ -](?:agx |orin |tx[12]|tk1|nano|xavier|thor|t[45]000){1,3}(?:nano|nx|agx|super|dev(?:eloper)? kit)?"
    r"|agx (?:orin|xavier|thor)|orin (?:nano|nx|agx)|xavier nx)\b"
)
_JETPACK = re.compile(r"\bjetpack[ :v=]{0,3}(\d\.\d(?:\.\d)?)")
_L4T = re.compile(r"\bl4t[ :v=]{0,3}r?(\d{2}\.\d{1,2}(?:\.\d)?)")


def read_mentions(text: Text) -> Iterator[Statement]:
    """Everything that is mentioned loosely and without contradiction."""
    found: dict[str, list[Statement]] = {}
    for statement in _versions(text):
        key = statement.value.name if isinstance(statement.value, Package) else statement.fact
        found.setdefault(key, []).append(statement)
    built = [one for one in _built(text) if _is_of(one, found.get("torch", []), text)]
    if built:
        found.setdefault("torch", []).extend(built)
    for statements in found.values():
        counting = _counting(statements, text)
        if counting:
            yield max(counting, key=lambda statement: len(_version_of(statement)))
    yield from _gpus(text)
    yield from _machine(text)


def _counting(statements: list[Statement], text: Text) -> list[Statement]:
    """Those that state one version. Where several are named, what was answered last corrects what was said before."""
    if _agree(statements):
        return statements
    answered = [statement for statement in statements if statement.lines[0] <= text.answered]
    return answered if answered and _agree(answered) else []


def _is_of(built: Statement, known: list[Statement], text: Text) -> bool:
    """Whether a build is that of the version that is named in words, or an answer about it."""
    version = _version_of(built)
    return (
        not known
        or built.lines[0] <= text.answered
        or all(version == _version_of(one) or goes_on(_version_of(one), version) for one in known)
    )


def _version_of(statement: Statement) -> str:
    return statement.value.version if isinstance(statement.value, Package) else str(statement.value)


def _agree(statements: list[Statement]) -> bool:
    """Whether all versions are one, stated more or less exactly: "2.1" and "2.1.0+cu121", but not "2.1" and "2.10"."""
    versions = {_version_of(statement) for statement in statements}
    longest = max(versions, key=len)
    return all(goes_on(version, longest) for version in versions - {longest})


@functools.cache
def _packages() -> re.Pattern[str]:
    by_letter: dict[str, list[str]] = {}  # where a word begins with another letter, none of these is tried
    for word in sorted(package_of_word(), key=len, reverse=True):
        by_letter.setdefault(word[0], []).append(re.escape(word[1:]))
    joined = "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in by_letter.items())
    return re.compile(
        rf"(?<![\w./\\+-])({joined})(?:[ :]{{0,2}}version)?"
        rf"(?: is)?[ :=-]{{0,4}}{_VERSION}(?![\d.]*\d)(?=(?P<behind>[^\n]{{0,60}}))"
    )


def _versions(text: Text) -> Iterator[Statement]:
    lower = text.lower
    for found in _ASKED.finditer(lower) if text.has("__version__") else ():
        name = package_of_word().get(found[1])
        if name is not None and is_possible(name, found[2]):
            yield Statement("package", Package(name=name, version=found[2]), (text.number_at(found.start(2)),), "")
    for found in _packages().finditer(lower):
        version, number = found[2], text.number_at(found.start())
        name = package_of_word()[found[1]]
        instead = re.search(r"\(you have ([^)\s]{1,40})\)", found["behind"])
        if instead is None and not (is_possible(name, version) and _is_here(text, found.start(1), found.end(2))):
            continue
        build = _SPACED_BUILD.match(found["behind"])
        version = f"{version}+{build[1]}" if build else version
        if name == "onnxruntime" and "onnxruntime-gpu" in lower and found.start() > text.line_start(found.start()):
            continue  # in a sentence it is the short name of the other
        yield Statement("package", Package(name=name, version=instead[1] if instead else version), (number,))
    for pattern, fact, words in (
        (_DRIVER, "machine.nvidia.driver_version", ("driver", "nvidia-", "驱动", "ドライバ")),
        (_PYTHON, "interpreter.version", ("python",)),
        (_CUDA, "mention.cuda", ("cuda",)),
        (_CUDNN, "mention.cudnn", ("cudnn",)),
    ):
        for found in pattern.finditer(lower) if text.has(*words) else ():
            value = next(group for group in found.groups() if group)
            instead = re.match(r"[^\n]{0,4}\(you have ([\d.]{3,12})\)", lower[found.end() : found.end() + 30])
            if instead:
                yield Statement(fact, instead[1], text.at(found))
            elif _is_here(text, found.start(), found.end()):
                yield Statement(fact, value, text.at(found))
    for pattern in (_PYTHON_PATH, _WHEEL):
        for found in pattern.finditer(text.whole):
            yield Statement("interpreter.version", f"{found[1]}.{found[2]}", text.at(found))


def _built(text: Text) -> Iterator[Statement]:
    """A version of PyTorch's that is named by its build alone: "it says 2.6.0+cpu"."""
    for found in _BUILT.finditer(text.lower) if text.has("+cpu", "+cu") else ():
        is_other = found[1] in _NO_TORCH or package_of_word().get(found[1] or "", "torch") != "torch"
        if not is_other and _is_here(text, found.start(2), found.end(2)):
            yield Statement("package", Package(name="torch", version=found[2]), (text.number_at(found.start(2)),))


def _is_here(text: Text, start: int, end: int) -> bool:
    """Whether a version is installed, and not asked for, recommended or compared with."""
    words = TicketWords.read().not_here
    line_start = text.line_start(start)
    before = text.lower[max(line_start, start - 400) : start]
    near = before.rstrip(" ('\"`:*,").removesuffix("the").rstrip()
    behind = text.lower[end : end + 40].partition("\n")[0].lstrip(" )'\"`,")
    if near.endswith("you have"):  # pip: "requires numpy<2, but you have numpy 2.0.1 which is incompatible"
        return True
    if any(word in before for word in words.line):
        return False
    is_compared = (
        near.endswith((">=", "<=", ">", "<", "~=", "!="))
        or _SEVERAL.match(text.lower, end) is not None
        or (behind.startswith((".x", "x ", "+ ", "+.", "+,")) and _SPACED_BUILD.match(text.lower, end) is None)
    )
    return not (
        is_compared
        or any(near.endswith(item) and not near[: -len(item)][-1:].isalnum() for item in words.before)
        or behind.startswith(words.after)
    )


def _gpus(text: Text) -> Iterator[Statement]:
    seen = set()
    for mention in mentions_of_gpus(text.whole, text.lower):
        if not _is_here(text, mention.start, mention.end):
            continue
        key = (mention.named.vendor_id, mention.named.product)
        if key not in seen:
            seen.add(key)
            name = " ".join(text.whole[mention.start : mention.end].split())
            yield Statement("gpu", GpuStatement(mention.named, name), (text.number_at(mention.start),), "")


def _machine(text: Text) -> Iterator[Statement]:
    lower = text.lower
    if "M" in text.whole:
        for found in _APPLE.finditer(text.whole):
            after = lower[found.end() : found.end() + 12]
            if found["kind"] or found["apple"] or after.startswith((" chip", " mac", " processor")):
                numbers = text.at(found)
                chip = f"Apple {found['chip']}{' ' + found['kind'] if found['kind'] else ''}"
                yield Statement("machine.apple.chip", chip, numbers)
                yield Statement("machine.apple.is_apple_silicon", True, numbers)
                break
    at = lower.find("apple silicon")
    if at >= 0:
        yield Statement("machine.apple.is_apple_silicon", True, text.at(at))
    for pattern, fact in ((_JETSON, "model"), (_JETPACK, "jetpack"), (_L4T, "l4t_release")):
        if "jetson" in lower or "jetpack" in lower or "orin" in lower or "xavier" in lower or "l4t" in lower:
            named = pattern.search(lower)
            if named is not None:
                value = text.whole[named.start() : named.end()].strip() if fact == "model" else named[1]
                yield Statement(f"machine.jetson.{fact}", value, text.at(named))
    yield from _system(text)


def _system(text: Text) -> Iterator[Statement]:
    named = named_system(text.lower)
    if named is not None:
        row, start, end = named
        line = re.split(r"\n|(?i:wsl)", text.whole[start : start + 80])[0]  # whether it is in WSL, read_wsl knows
        # "windows" without a version and a capital is a thing with panes.
        is_system = row.system != "Windows" or line[0] == "W" or any(c.isdigit() for c in line[:12])
        is_wanted = _AT_LEAST.match(text.lower, end) is not None
        facts = system_facts(line) if is_system and not is_wanted and _is_here(text, start, end) else {}
        if facts:
            yield Statement("machine.os", facts, text.at(start))
    elif "wsl" in text.lower and (found := re.search(r"\bwsl ?[12]?\b", text.lower)):
        yield Statement("machine.os", {"system": "Linux", "wsl": 2}, text.at(found))
    yield from _by_files(text)


def _by_files(text: Text) -> Iterator[Statement]:
    """The system by its paths and its libraries' names."""
    if "\\" in text.whole and (path := re.search(r"(?<!\w)[A-Z]:\\[\w.() \\-]{2,200}", text.whole)):
        yield Statement("machine.os", {"system": "Windows"}, text.at(path))
    elif path := re.search(
        r"(?<![\w:/.])/(?:home|usr|opt(?!/homebrew)|root|mnt|data|tmp|lib64|lib|etc|workspace)/[\w.-]", text.whole
    ):
        yield Statement("machine.os", {"system": "Linux"}, text.at(path))
    elif path := re.search(r"(?<![\w:/.])/(?:Users|Library|Applications)/[\w. -]", text.whole):
        yield Statement("machine.os", {"system": "Darwin"}, text.at(path))
