"""Isolated places where workers run commands: one channel protocol, several runtimes."""
