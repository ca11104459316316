"""Trees while gates run on them: in the project directory, or checked out."""
