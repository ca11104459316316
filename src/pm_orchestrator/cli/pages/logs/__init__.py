"""Task logs laid out for people: lists, one task, a tree."""
