"""Who works when: the pool of workers and the limits they live under."""
