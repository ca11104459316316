"""Trying checks on other trees, and what a change really changes."""
