"""What several checks ask of the installed packages: what they require, and which build would fit."""
