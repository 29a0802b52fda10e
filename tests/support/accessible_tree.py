"""What a screen reader sees of the program: a walk over its AT-SPI tree. Runs in the system's Python, which has gi.

``python3 accessible_tree.py PID`` prints one JSON object for each line that it reads: the tree as it is then.
``focus`` as a line prints what has the keyboard alone.
"""

import json
import sys
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402 - the version is chosen first

_STATES = (
    "checked",
    "checkable",
    "enabled",
    "expanded",
    "expandable",
    "focusable",
    "focused",
    "selected",
    "showing",
    "visible",
    "multi_line",
    "editable",
    "read_only",
    "active",
    "modal",
)


def program(pid: int) -> Any:
    """The program among those that speak to assistive technology; None: it does not yet."""
    desktop = Atspi.get_desktop(0)
    for at in range(desktop.get_child_count()):
        found = desktop.get_child_at_index(at)
        if found is not None and found.get_process_id() == pid:
            return found
    return None


def node(found: Any, depth: int = 0) -> dict[str, Any]:
    """One element and all below it that is shown."""
    states = found.get_state_set()
    told = {
        "role": found.get_role_name(),
        "name": found.get_name() or "",
        "description": found.get_description() or "",
        "states": [name for name in _STATES if states.contains(getattr(Atspi.StateType, name.upper()))],
    }
    text = found.get_text_iface() if told["role"] in ("text", "document text", "entry") else None
    if text is not None:
        told["text"] = Atspi.Text.get_text(found, 0, min(Atspi.Text.get_character_count(found), 4000))
    if depth < 60:
        kids = (found.get_child_at_index(at) for at in range(min(found.get_child_count(), 300)))
        told["kids"] = [node(kid, depth + 1) for kid in kids if kid is not None and is_shown(kid)]
    return told


def is_shown(found: Any) -> bool:
    """Whether it can be seen, or is a window."""
    return found.get_state_set().contains(Atspi.StateType.VISIBLE)


def focused(tree: dict[str, Any]) -> "list[dict[str, Any]]":
    """The way to what has the keyboard."""
    for kid in tree.get("kids", ()):
        way = focused(kid)
        # Qt says of the present item of every list that it has the keyboard, whether or not the list has.
        is_item = kid["role"] in ("list item", "table cell", "tree item")
        if way or ("focused" in kid["states"] and (not is_item or "focused" in tree["states"])):
            return [kid, *way]
    return []


def main(pid: int) -> None:
    """Answer each line until there is no more."""
    for line in sys.stdin:
        found = program(pid)
        tree = node(found) if found is not None else {}
        told = (
            [{key: one[key] for key in one if key != "kids"} for one in focused(tree)]
            if line.strip() == "focus"
            else tree
        )
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
