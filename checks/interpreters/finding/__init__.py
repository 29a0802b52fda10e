"""Find the interpreters of this machine: where they lie, near what was given, and by whom they are told."""
