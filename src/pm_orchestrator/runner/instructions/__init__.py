"""What an instruction asks for, read from its words alone: no model, no file, no clock."""
