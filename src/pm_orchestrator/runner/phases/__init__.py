"""The work of each phase, one file per phase that has work of its own."""
