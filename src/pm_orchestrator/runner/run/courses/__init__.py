"""A gate on the delivered tree, and on others."""
