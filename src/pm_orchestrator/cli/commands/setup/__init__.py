"""Commands about the program and the project themselves."""
