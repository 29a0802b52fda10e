"""What was sent is read into facts: pasted text, model files, scripts, reports. Nothing of it is executed."""
