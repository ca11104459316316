"""Message queues of the agent bus."""
