"""What passes between agents, their models and those who watch them."""
