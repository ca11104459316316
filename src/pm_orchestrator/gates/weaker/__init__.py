"""Settings, thresholds and tests that are weaker than before, and who asked for that."""
