"""Protocol buffers, as bytes and as text."""
