"""Evidence that cannot be altered unnoticed: each record bound to the one before."""
