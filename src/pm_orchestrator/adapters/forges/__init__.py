"""Where finished runs are put before a person."""
