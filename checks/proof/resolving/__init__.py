"""What the installers would do, asked before anybody reads a remedy. Nothing is installed."""
