"""How children are started and ended: a zygote, and one supervisor per command."""
