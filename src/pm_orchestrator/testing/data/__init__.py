"""Values that tests draw, and what is read off the source."""
