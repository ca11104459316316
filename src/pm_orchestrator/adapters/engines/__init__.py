"""Durable execution of run code."""
