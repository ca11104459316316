"""The conversation on a terminal. The terminal library is imported here and nowhere else."""
