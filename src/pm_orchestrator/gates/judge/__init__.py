"""What was found becomes a verdict; COMPLETE is decided in `completion`."""
