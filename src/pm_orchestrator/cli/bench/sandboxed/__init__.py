"""What is measured in sandboxes."""
