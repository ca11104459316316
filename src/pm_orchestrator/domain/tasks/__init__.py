"""A task, its phases and statuses, and the evidence of its operations."""
