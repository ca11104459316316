"""Coding CLIs that do a whole task."""
