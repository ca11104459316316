"""Where a task is worked on: the project directory, or branches in sandboxes."""
