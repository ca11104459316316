"""How models are asked: behind which gateway, at whose cost, and what is kept of it."""
