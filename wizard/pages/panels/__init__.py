"""Parts of the pages with an act of their own: shown where it can be done."""
