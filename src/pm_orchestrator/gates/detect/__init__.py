"""Which checks a project has."""
