"""Tables of error codes and error texts."""
