"""What the core needs from the world: one small Protocol per file."""
