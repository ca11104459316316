"""One module per command; each exports `command`."""
