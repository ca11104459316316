"""What a project may be set to."""
