"""What is written down of a task from its first moment to its last, in the order a crash needs."""
