"""The application that needs no Python: PyInstaller's folder, and what each system installs it from."""
