"""A corpus of tasks whose truth is known: lies and honest work, judged by the real program."""
