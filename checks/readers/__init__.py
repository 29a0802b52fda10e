"""Facts from what was sent: logs, model files, scripts, reports."""
