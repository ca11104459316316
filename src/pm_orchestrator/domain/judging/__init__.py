"""What is found about a piece of work: gates, facts and outcomes."""
