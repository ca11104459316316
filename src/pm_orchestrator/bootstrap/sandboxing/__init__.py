"""What the sandboxes of a project are made from, and what is installed for them."""
