"""Agents, models and executors that do what a script says."""
