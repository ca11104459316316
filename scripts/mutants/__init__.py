"""Breaks the product in small ways and counts how many of them no test notices."""
