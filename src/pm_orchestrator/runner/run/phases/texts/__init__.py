"""What the words state of texts, held against the texts themselves."""
