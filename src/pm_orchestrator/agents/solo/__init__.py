"""One model in the user's own directory: its tools, its conversation, and who listens."""
