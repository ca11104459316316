"""The person's screen and keyboard: the only place that prints or reads."""
