"""One port inside of a sandbox that leads out, from both ends of the channel."""
