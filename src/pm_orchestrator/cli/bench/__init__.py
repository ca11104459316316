"""The measurements of `bench`, one per file."""
