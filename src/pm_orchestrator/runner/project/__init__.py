"""An opened project: its ports, its sessions and its selection, and what can be read of it."""
