"""What can be typed next, offered while it is typed."""
