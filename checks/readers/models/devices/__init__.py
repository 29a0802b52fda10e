"""Files compiled for one kind of device or runtime."""
