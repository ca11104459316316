"""Sessions: owning them, looking at them, and what one process leaves for the next."""
