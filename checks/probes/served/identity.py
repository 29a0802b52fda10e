"""Which server answers, which models it has, and what it tells of itself, as far as can be seen from outside.

The signs are a table (resources/knowledge/frameworks/served.toml), which comes with the argument: by whom its models
are owned, and where a server tells its version and its settings.
"""

from .connection import Refused, checked

SECONDS = 10.0  # for each of these questions
_MOST_MODELS = 50
_LONGEST = 200


def models_of(server):
    """(Ids of the models that are there, by whom the first is owned).

    Raises:
        Refused: the server does not tell.
    """
    told = checked(server.get("/models", SECONDS))
    rows = told.get("data") if isinstance(told, dict) else None
    if not isinstance(rows, list):
        raise Refused("not-compatible")
    named = [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
    owner = named[0].get("owned_by") if named else ""
    return [row["id"][:_LONGEST] for row in named[:_MOST_MODELS]], owner if isinstance(owner, str) else ""


def about(server, owner, signs):
    """Facts about the server: ``kind``, ``version``, ``settings``, ``promises``; {} of one that is not known."""
    likely = [sign for sign in signs if owner and owner in sign["owners"]]
    for sign in likely or [sign for sign in signs if sign["shown_by"]]:
        told = _told(server, sign["path"]) if sign["path"] else {}
        if told is not None and _shows(sign, told):
            return _facts(sign, told)
    return _facts(likely[0], {}) if likely else {}


def _told(server, path):
    """The JSON object that lies there; None where there is none."""
    try:
        told = checked(server.about(path, SECONDS))
    except Refused:
        return None
    return told if isinstance(told, dict) else None


def _shows(sign, told):
    return all(_within(told, name) is not None for name in sign["shown_by"])


def _facts(sign, told):
    facts = {"kind": sign["id"]}
    version = _within(told, sign["version"]) if sign["version"] else None
    if isinstance(version, str):
        facts["version"] = version[:_LONGEST]
    settings = {}
    for name in sign["settings"]:
        value = _within(told, name)
        if isinstance(value, (bool, int, float, str)):
            settings[name.rpartition(".")[2]] = str(value)[:_LONGEST]
    if settings:
        facts["settings"] = settings
    promised = _within(told, sign["promised_by"]) if sign["promised_by"] else None
    if isinstance(promised, bool):
        facts["is_promised"] = promised
    return facts


def _within(told, name):
    """A value by its path ("default_generation_settings.n_ctx")."""
    for part in name.split("."):
        told = told.get(part) if isinstance(told, dict) else None
    return told
