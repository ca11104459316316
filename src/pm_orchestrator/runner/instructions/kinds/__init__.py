"""What kind of work an instruction asks for: a change, an answer, or nobody can tell."""
