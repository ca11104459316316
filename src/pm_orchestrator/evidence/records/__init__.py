"""The records of tasks, runs and sessions, masked and durable."""
