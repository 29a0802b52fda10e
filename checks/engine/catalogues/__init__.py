"""The probe scripts by what they are for: which there are, how long they may take, how their answers are read."""
