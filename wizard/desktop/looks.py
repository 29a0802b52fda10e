"""How a state is drawn: its icon and its colour. Its word stands beside it."""

LOOKS = {
    "blocking": ("state-found", "blocking"),
    "warning": ("state-warning", "warning"),
    "note": ("state-note", "note"),
    "clear": ("state-fine", "fine"),
    "incomplete": ("state-open", "warning"),
    "open": ("state-open", "warning"),
    "nothing-run": ("state-skipped", "muted"),
    "absent": ("state-skipped", "muted"),
    "crashed": ("state-broken", "blocking"),
    "compared": ("results-differ", "note"),
}
