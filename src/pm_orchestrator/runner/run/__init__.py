"""One run: seven phases for every task, whoever works and wherever."""
