"""The project directory as it is, or was, for a gate to run on."""
