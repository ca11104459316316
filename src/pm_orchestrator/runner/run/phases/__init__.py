"""The seven phases, one file each, and what belongs to one of them alone."""
