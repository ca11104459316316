"""The conversation: lines in, results out, one after the other."""
