"""A served model is asked again and again: what is sent, to which address, and the examination of what comes back."""
