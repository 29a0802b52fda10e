"""Hold an answer against that of a machine that is known to be sound, which computes the same bits.

Only like is held against like: the same processor, versions, threads, devices and variables that change numbers. Where
anything of that differs, other bits are no fault, and nothing is said about them.
"""

import json

SAME, OTHER, NOTHING = "same", "other", "nothing"  # nothing: the two cannot be compared
_QUESTION = ("framework", "operation", "dtype", "setting", "device")
_NUMERIC = ("version", "threads", "cuda_version", "cudnn_version", "settings")


def read(path):
    """The reference.

    Raises:
        OSError, ValueError: it cannot be read, or is no answer of the probe.
    """
    with open(path, encoding="utf-8") as file:
        reference = json.load(file)
    if (
        not isinstance(reference, dict)
        or "naosu-probe" not in reference
        or not isinstance(reference.get("steps"), list)
    ):
        raise ValueError("no answer of naosu-probe")
    return reference


def held_against(reference, mine, variables):
    """(SAME, OTHER or NOTHING, the names of what differs). ``variables``: those that change numbers."""
    theirs, ours = _facts(reference), _facts(mine)
    there, here = _surroundings(theirs, variables), _surroundings(ours, variables)
    unlike = [name for name, value in there.items() if here[name] != value]
    if unlike:
        return NOTHING, unlike
    first, second = _bits(theirs), _bits(ours)
    common = sorted(first.keys() & second.keys())
    other = ["/".join(question) for question in common if first[question] != second[question]]
    return (OTHER, other) if other else (SAME if common else NOTHING, [])


def _facts(answer):
    """Step -> its facts."""
    found = {}
    for step in answer["steps"]:
        facts = found.setdefault(step.get("id", ""), {})
        for line in step.get("answer", "").splitlines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            for name, value in (message.get("facts") or {}).items() if isinstance(message, dict) else ():
                if name.endswith("+") and isinstance(value, list):
                    facts.setdefault(name[:-1], []).extend(value)
                else:
                    facts[name] = value
    return found


def _surroundings(facts, variables):
    """What must be the same for the bits to be."""
    cpu = facts.get("machine", {}).get("cpu") or {}
    first = cpu.get("first") or {}
    values = facts.get("environment", {}).get("values") or {}
    installed = facts.get("python", {}).get("distributions") or []
    return {
        "processor": [first.get(name) for name in ("model name", "flags")],
        "processors": cpu.get("affinity"),
        "variables": {name: values[name] for name in variables if name in values},
        "numpy": sorted(one["version"] for one in installed if one.get("name", "").lower() == "numpy"),
        "frameworks": {
            name: [of_step.get(field) for field in _NUMERIC]
            for name, of_step in facts.items()
            if "devices" in of_step and "version" in of_step
        },
        "devices": sorted(
            "%s %s" % (one.get("device"), one.get("name"))
            for of_step in facts.values()
            for one in (of_step.get("devices") or ())
            if isinstance(one, dict) and one.get("device")
        ),
    }


def _bits(facts):
    """Question -> fingerprint."""
    return {
        tuple(run.get(part, "") for part in _QUESTION): run["fingerprint"]
        for of_step in facts.values()
        for run in (of_step.get("measurements") or ())
        if run.get("kind") == "portrait" and run.get("fingerprint") and not run.get("reason")
    }
