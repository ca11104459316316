"""Arriving at the terminal: what is found there, and the one yes that sets a project up."""
