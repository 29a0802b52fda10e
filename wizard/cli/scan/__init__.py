"""What `naosu scan` prints and writes, and the proof of its changes."""
