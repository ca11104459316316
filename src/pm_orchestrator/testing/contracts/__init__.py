"""What each port promises, as tests that an adapter subclasses."""
