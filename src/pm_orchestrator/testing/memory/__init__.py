"""Ports implemented in memory."""
