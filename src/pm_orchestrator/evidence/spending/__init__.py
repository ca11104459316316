"""What was spent on models, written down as it was."""
