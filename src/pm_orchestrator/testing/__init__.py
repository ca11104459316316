"""Fakes and contract suites: real implementations of the ports, never used in production."""
