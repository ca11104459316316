"""Roles that think. They claim; they never decide, and never import each other."""
