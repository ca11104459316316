"""Settings in, application out: the only room that names technologies."""
