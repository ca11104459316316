"""The repository of one run, where agents' commits arrive."""
