"""Tables about model formats and what reads them."""
