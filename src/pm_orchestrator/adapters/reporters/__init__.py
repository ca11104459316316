"""What asks test runners how each test ended, wherever they run."""
