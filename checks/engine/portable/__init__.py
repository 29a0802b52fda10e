"""The probe that is carried to another machine as one file: how it is made, and how its answer is read."""
