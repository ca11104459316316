"""What a person meets who arrives in a directory, and what they do there themselves."""
