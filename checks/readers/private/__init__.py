"""Finding what must not leave the machine: rules for what has a form, learned names, and chance as the last net."""
