"""What is beside the project's own tree, and what is looked at beside an executor at work."""
