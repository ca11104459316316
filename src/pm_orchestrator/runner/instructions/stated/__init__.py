"""What an instruction says in so many words: values, and the kind of result."""
