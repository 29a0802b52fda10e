"""Tables about frameworks: versions, settings, operations and exporters."""
