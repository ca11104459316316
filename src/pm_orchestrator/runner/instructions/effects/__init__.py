"""What an instruction asks for besides the content of files."""
