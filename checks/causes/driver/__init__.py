"""Kernel modules, user-space drivers, containers and permissions."""
