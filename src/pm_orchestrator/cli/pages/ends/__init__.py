"""The end of a task below its verdict, and the change that it made."""
