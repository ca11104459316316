"""The Runner's own look at a directory."""
