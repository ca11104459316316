"""What is secret in a text, and its removal before the text leaves memory."""
